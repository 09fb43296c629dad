import pytest
from hypothesis import given, settings

from boolfact.io.read import as_matrix
from boolfact.io.write import write_matrix
from boolfact.model.matrix import BinaryMatrix

from strategies import matrices


@settings(max_examples=30)
@given(matrices())
def test_a_written_matrix_is_read_back_with_its_names(tmp_path_factory, matrix):
    path = tmp_path_factory.mktemp("written") / "x.csv"
    named = BinaryMatrix(
        matrix.values,
        row_names=[f"r{i}" for i in range(matrix.shape[0])],
        column_names=[f"c, {j}" for j in range(matrix.shape[1])],
    )
    write_matrix(path, named)
    again = as_matrix(path)
    assert (again.values == matrix.values).all()
    assert again.row_names == named.row_names
    assert again.column_names == named.column_names


def test_a_failed_write_leaves_the_old_file_alone(tmp_path, monkeypatch):
    path = tmp_path / "x.csv"
    path.write_text("precious")
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        write_matrix(path, as_matrix([[1, 0]]))
    assert path.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [path]
