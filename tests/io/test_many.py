"""Several files as one matrix."""

import numpy as np
import pytest

import boolfact
from boolfact.io.many import files_of
from boolfact.io.rows import as_rows, shape_of

X = np.array([[1, 0, 1], [0, 1, 1], [1, 1, 0], [1, 0, 0]], dtype=np.int8)


def write(folder, ending="npy"):
    for number, part in enumerate((X[:3], X[3:])):
        path = folder / f"part{number}.{ending}"
        if ending == "npy":
            np.save(path, part)
        else:
            np.savetxt(path, part, fmt="%d", delimiter=",", header="a,b,c", comments="")
    return str(folder / f"*.{ending}")


@pytest.mark.parametrize("ending", ["npy", "csv"])
def test_the_rows_of_files_follow_one_another(tmp_path, ending):
    pattern = write(tmp_path, ending)
    assert (boolfact.as_matrix(pattern).values == X).all()
    assert (as_rows(pattern).values(slice(None)) == X).all()


def test_the_shape_is_known_from_the_heads_of_the_files(tmp_path):
    assert shape_of(write(tmp_path)) == (4, 3)


def test_a_pattern_without_files_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="no file matches"):
        files_of(str(tmp_path / "*.npy"))


@pytest.mark.parametrize("read", [boolfact.as_matrix, as_rows])
def test_files_with_other_columns_are_refused(tmp_path, read):
    pattern = write(tmp_path, "csv")
    (tmp_path / "part1.csv").write_text("a,x,c\n1,0,1\n")
    with pytest.raises(ValueError, match="column 2 is 'x', expected 'b'"):
        read(pattern)
