"""Matrices in npz files: one array, or a sparse matrix of scipy, and names beside it."""

from __future__ import annotations

import lzma
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np

from boolfact.io.limits import check_size, checked_sparse, npz_head

__all__ = ["NpzMatrix", "npz_shape", "read_npz"]

_ROW_NAMES, _COLUMN_NAMES = "row_names", "column_names"
_DAMAGE = (
    ValueError, EOFError, OSError, KeyError, IndexError, TypeError, AttributeError, OverflowError,
    # Of archives: damaged, encrypted, packed in a way that is not known, or not to be unpacked.
    zipfile.BadZipFile, RuntimeError, NotImplementedError, zlib.error, lzma.LZMAError,
    # Of heads, which are read as Python reads its own text, and of names that are not Unicode.
    SyntaxError, TokenError, SystemError,
)  # fmt: skip


@dataclass(frozen=True)
class NpzMatrix:
    """What a file holds: an array, or a sparse matrix as it is, and its names if there are any."""

    matrix: Any
    row_names: tuple[str, ...] | None = None
    column_names: tuple[str, ...] | None = None


def read_npz(path: Path) -> NpzMatrix:
    """Read a file that `numpy.savez` or `scipy.sparse.save_npz` wrote.

    The arrays `row_names` and `column_names`, if they are there, name the two sides.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "x.npz"
    ...     np.savez(path, X=np.eye(2), column_names=["tea", "jazz"])
    ...     read_npz(path).column_names
    ('tea', 'jazz')
    """
    import scipy.sparse

    try:
        with np.load(path, allow_pickle=False) as archive:
            for name in archive.files:
                shape, kind = npz_head(path, name)
                check_size(path, shape, kind.itemsize)
            names = {
                side: tuple(str(name) for name in np.atleast_1d(archive[side]))
                for side in (_ROW_NAMES, _COLUMN_NAMES)
                if side in archive.files
            }
            is_sparse = "format" in archive.files
            matrix = None
            if not is_sparse:
                matrix = archive[_array_of(archive)]
        if is_sparse:
            matrix = checked_sparse(path, scipy.sparse.load_npz(path))
    except _DAMAGE as error:
        raise ValueError(f"{path}: not a readable npz file ({error})") from error
    assert matrix is not None
    for axis, side in enumerate((_ROW_NAMES, _COLUMN_NAMES)):
        if side in names and len(matrix.shape) == 2 and len(names[side]) != matrix.shape[axis]:
            raise ValueError(
                f"{path}: {side} holds {len(names[side])} names, and the matrix has "
                f"{matrix.shape[axis]} {('rows', 'columns')[axis]}; expected a name for each"
            )
    return NpzMatrix(matrix, names.get(_ROW_NAMES), names.get(_COLUMN_NAMES))


def npz_shape(path: Path) -> tuple[int, ...]:
    """Of the sparse matrix, or by the head of the one array, which is not read."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            if "shape" in archive.files:
                return tuple(int(side) for side in archive["shape"])
            name = _array_of(archive)
        return npz_head(path, name)[0]
    except _DAMAGE as error:
        raise ValueError(f"{path}: not a readable npz file ({error})") from error


def _array_of(archive: Any) -> str:
    """The array that is the matrix: the only one beside names, or the one called X."""
    found = [name for name in archive.files if name not in (_ROW_NAMES, _COLUMN_NAMES)]
    if "X" in found:
        return "X"
    if len(found) != 1:
        raise ValueError(
            f"holds the arrays {archive.files}; expected one array, or one called X, or a scipy "
            f"sparse matrix, and beside it at most {_ROW_NAMES} and {_COLUMN_NAMES}"
        )
    return str(found[0])
