"""What a file may ask for: sizes are checked before memory is taken, indices before use."""

from __future__ import annotations

import math
import os
import zipfile
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np

__all__ = ["check_npy", "check_size", "checked_sparse", "npz_head"]


def check_size(what: object, shape: tuple[int, ...], itemsize: int) -> None:
    """Refuse a dense array that this machine has no room for, before anything is read.

    Examples
    --------
    >>> check_size("x.mtx", (10**9, 10**9), 8)
    Traceback (most recent call last):
        ...
    ValueError: x.mtx: shape (1000000000, 1000000000) needs 8000000000.0 GB of memory, ...
    """
    if any(side < 0 for side in shape):
        raise ValueError(f"{what}: shape {shape} has a negative side")
    needed = math.prod(shape) * max(1, itemsize)
    if needed > _memory():
        raise ValueError(
            f"{what}: shape {shape} needs {needed / 1e9:.1f} GB of memory, "
            f"and this machine has {_memory() / 1e9:.1f} GB"
        )


def _memory() -> int:
    """Bytes of memory in this machine."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 1 << 40


def checked_sparse(what: object, matrix: Any) -> Any:
    """A sparse matrix whose indices all lie inside it: scipy writes to wherever they say."""
    try:
        pointers = getattr(matrix, "indptr", None)
        # Scipy leaves them alone where the last one says that there is no entry.
        if pointers is not None and (pointers[1:] < pointers[:-1]).any():
            raise ValueError("its pointers go back")
        if hasattr(matrix, "check_format"):
            matrix.check_format(full_check=True)
    except ValueError as error:
        raise ValueError(f"{what}: not a sparse matrix: {error}") from error
    return matrix


def npz_head(path: Path, name: str) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and type of an array in an archive, by its head; the array itself is not read."""
    with zipfile.ZipFile(path) as folder, folder.open(f"{name}.npy") as file:
        return _head(file)


def check_npy(path: Path) -> None:
    """Refuse a file that is shorter than its head says, before anything is made of the head."""
    with path.open("rb") as file:
        shape, kind = _head(file)
    needed, there = math.prod(shape) * kind.itemsize, path.stat().st_size
    # Pickled objects, which are refused later, have a size that is not that of the file.
    if not kind.hasobject and (needed > there or any(side < 0 for side in shape)):
        raise ValueError(f"shape {shape} needs {needed} bytes, the file has {there}")


def _head(file: Any) -> tuple[tuple[int, ...], np.dtype[Any]]:
    version = np.lib.format.read_magic(file)
    read = np.lib.format.read_array_header_1_0
    if version != (1, 0):
        read = np.lib.format.read_array_header_2_0
    try:
        shape, _, kind = read(file)
    except (SyntaxError, TokenError) as error:
        # A head is text, which is read as Python reads its own.
        raise ValueError(f"its head is not one of an array: {error}") from error
    return tuple(int(side) for side in shape), kind
