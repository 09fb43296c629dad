"""Writing files whole, or not at all."""

from __future__ import annotations

import csv
import io
import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from boolfact.model.matrix import MISSING, BinaryMatrix

__all__ = ["csv_text", "whole_file", "write_csv", "write_matrix", "write_whole"]


def write_whole(path: str | os.PathLike[str], text: str) -> Path:
    """Write a text file, whole or not at all; its folder is made if it is not there.

    Line ends stay as they are, and who may read the file is what the umask says, as for any other
    new file. Half a character, which no file can hold, is written as an escape.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(Path(folder) / "deep" / "x.csv", "1,0").read_text()
    '1,0'
    """
    with (
        whole_file(path) as scratch,
        scratch.open("x", encoding="utf-8", errors="backslashreplace", newline="") as stream,
    ):
        stream.write(text)
    return Path(path)


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A file to write beside another one, which it replaces at the end, if all went well.

    For whoever writes files with tools of his own, pictures for example. It has the same ending.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole_file(Path(folder) / "x.bin") as scratch:
    ...         _ = scratch.write_bytes(b"12")
    ...     (Path(folder) / "x.bin").read_bytes()
    b'12'
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    scratch = target.with_name(f".{secrets.token_hex(6)}-{target.name}")
    try:
        yield scratch
        # A disk that is full, or far away, may say so only now.
        with scratch.open("rb") as written:
            os.fsync(written.fileno())
        os.replace(scratch, target)
    except BaseException:
        scratch.unlink(missing_ok=True)
        raise


def write_matrix(path: Path, matrix: BinaryMatrix) -> None:
    """Write 0, 1 and empty cells, with names where there are any."""
    n = matrix.shape[0]
    rows: list[list[Any]] = []
    if matrix.column_names:
        rows.append([*(["row"] if matrix.row_names else []), *matrix.column_names])
    for i in range(n):
        cells = ["" if v == MISSING else str(int(v)) for v in matrix.values[i]]
        rows.append([*([matrix.row_names[i]] if matrix.row_names else []), *cells])
    write_csv(path, rows)


def write_csv(path: Path, rows: Iterable[Iterable[Any]]) -> None:
    """Write lines of cells."""
    write_whole(path, csv_text(rows))


def csv_text(rows: Iterable[Iterable[Any]]) -> str:
    """Lines of cells as text; cells stay as they are, also those that a spreadsheet may run."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
