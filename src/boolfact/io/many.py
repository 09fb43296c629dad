"""Matrices in many parts: several files as one ('data/*.parquet'), arrays and frames of Dask."""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

__all__ = ["check_columns", "files_of", "is_collection"]


def files_of(source: Any) -> list[Path] | None:
    """The files that a pattern with *, ? or [...] stands for, by name; None for anything else.

    A file whose own name has such letters is itself.

    Examples
    --------
    >>> files_of("zoo") is None
    True
    """
    if not isinstance(source, str | os.PathLike):
        return None
    pattern = os.fspath(source)
    if not glob.has_magic(pattern) or os.path.lexists(pattern):
        return None
    found = [Path(name) for name in sorted(glob.glob(pattern, recursive=True))]
    files = [path for path in found if path.is_file()]
    if not files:
        raise FileNotFoundError(f"no file matches {pattern!r}")
    return files


def is_collection(X: Any) -> bool:
    """Whether this is an array or a frame of Dask, which is not loaded for the question."""
    dask = sys.modules.get("dask")
    return dask is not None and bool(dask.is_dask_collection(X))


def check_columns(
    labels: Sequence[str], widths: Sequence[int], names: Sequence[tuple[str, ...] | None]
) -> None:
    """Refuse parts of a matrix that do not have the same columns; the first one says which.

    Parameters
    ----------
    labels : sequence of str
        What each part is called in a message.
    widths : sequence of int
    names : sequence of tuple of str or None
    """
    for label, width, own in zip(labels, widths, names, strict=True):
        if width != widths[0]:
            raise ValueError(
                f"{label} has {width} columns, {labels[0]} has {widths[0]}; expected the same"
            )
        if own != names[0]:
            if own is None or names[0] is None:
                without = label if own is None else labels[0]
                raise ValueError(
                    f"{without} has no column names, others have; expected the same in all"
                )
            j = next(j for j in range(width) if own[j] != names[0][j])
            raise ValueError(
                f"{label} has other columns than {labels[0]}: column {j + 1} is {own[j]!r}, "
                f"expected {names[0][j]!r}"
            )
