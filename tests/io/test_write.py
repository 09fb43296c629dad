import os
import stat

import pytest
from hypothesis import given, settings

from boolfact.io.read import as_matrix
from boolfact.io.write import write_matrix, write_whole
from boolfact.model.matrix import BinaryMatrix
from boolfact.reproduce.cells import Budget, Cell, Store
from boolfact.show.report import write_report

from sample_results import sample
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


def test_files_are_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "table.csv"
    write_whole(path, "old")

    def broken(source, target):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(OSError, match="disk full"):
        write_whole(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_text_is_written_as_it_is(tmp_path):
    path = write_whole(tmp_path / "deep" / "er" / "x.txt", "ä\r\nb\n")
    assert path.read_bytes() == b"\xc3\xa4\r\nb\n"
    assert list(path.parent.iterdir()) == [path]


def write_cell(folder):
    Store(folder).save(Cell("zoo", 2, "asso", dict), Budget(), {})


WRITERS = [
    lambda folder: write_whole(folder / "x.txt", "text"),
    lambda folder: write_matrix(folder / "x.csv", as_matrix([[1, 0]])),
    lambda folder: write_report(*sample(), folder / "x.html"),
    write_cell,
]


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
@pytest.mark.parametrize("write", WRITERS, ids=["text", "matrix", "report", "cell"])
@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_the_umask_says_who_may_read_a_file(tmp_path, write, umask, mode):
    before = os.umask(umask)
    try:
        write(tmp_path)
    finally:
        os.umask(before)
    (path,) = tmp_path.iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == mode
