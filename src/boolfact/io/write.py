"""Writing files whole, or not at all."""

from __future__ import annotations

import csv
import io
import os
import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from boolfact.model.matrix import MISSING, BinaryMatrix

__all__ = ["write_csv", "write_matrix", "write_whole"]


def write_whole(path: str | os.PathLike[str], text: str) -> Path:
    """Write a text file, whole or not at all; its folder is made if it is not there.

    The text is written beside the file and put in its place at the end. Line ends stay as they
    are, and who may read the file is what the umask says, as for any other new file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(Path(folder) / "deep" / "x.csv", "1,0").read_text()
    '1,0'
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    scratch = target.with_name(f".{target.name}-{secrets.token_hex(6)}")
    try:
        with scratch.open("x", encoding="utf-8", newline="") as stream:
            stream.write(text)
        os.replace(scratch, target)
    except BaseException:
        scratch.unlink(missing_ok=True)
        raise
    return target


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
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    write_whole(path, text.getvalue())
