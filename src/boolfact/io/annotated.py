"""Annotated data of single cells: which of their matrices to read, and as what."""

from __future__ import annotations

import itertools
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.io.cells import NeedsThresholdError, NotUnderstoodError, Where, parse_array
from boolfact.io.h5ad import (
    check_inside,
    index_of,
    is_by_columns,
    matrices_of,
    open_h5ad,
    stored_shape,
)
from boolfact.io.limits import check_size, checked_sparse
from boolfact.model.matrix import MISSING, BinaryMatrix
from boolfact.model.packed import PackedMatrix
from boolfact.model.rows import blocks_of
from boolfact.model.sparse import SparseMatrix

__all__ = ["AnnotatedMatrix", "is_anndata", "select_matrix"]

_STORED_AT_A_TIME = 1 << 22
_SAMPLE = (2000, 200)
"""Rows and columns by which it is judged whether values are z-scores."""


def is_anndata(X: Any) -> bool:
    """Whether this is an AnnData object, told by what it has: anndata is not needed."""
    return all(hasattr(X, name) for name in ("obs_names", "var_names", "X", "obs", "var"))


def select_matrix(X: Any, layer: str | None = None, raw: bool = False) -> Any:
    """The matrix that is meant, for AnnData and h5ad files; other data as they are.

    Parameters
    ----------
    X : AnnData, path, or anything else
    layer : str, optional
        The layer to read; X by default.
    raw : bool
        Read `raw`, which has variables of its own.

    Examples
    --------
    >>> select_matrix([[1, 0]])
    [[1, 0]]
    >>> select_matrix([[1, 0]], layer="counts")
    Traceback (most recent call last):
    ...
    ValueError: layer and raw choose a matrix of AnnData or of an h5ad file; this is a list
    """
    if isinstance(X, AnnotatedMatrix):
        if layer is not None or raw:
            raise ValueError("layer and raw were chosen before")
        return X
    is_path = isinstance(X, str | os.PathLike)
    is_file = is_path and Path(X).suffix.lower() == ".h5ad" and Path(X).is_file()
    if is_file or is_anndata(X):
        if layer is not None and raw:
            raise ValueError(f"give layer or raw, not both: layer is {layer!r}")
        return AnnotatedMatrix(Path(X) if is_file else X, layer, bool(raw))
    if layer is not None or raw:
        what = f"the file {os.fspath(X)!r}" if is_path else f"a {type(X).__name__}"
        raise ValueError(
            f"layer and raw choose a matrix of AnnData or of an h5ad file; this is {what}"
        )
    return X


_DAMAGE = (OSError, KeyError, TypeError, IndexError, AttributeError, RuntimeError)
"""What h5py raises where a file is not what its head says, at once or when values are read."""


@dataclass(frozen=True, eq=False)
class AnnotatedMatrix:
    """One matrix of annotated data, not yet read: observations are rows, variables columns.

    What is sparse is never made dense before it is 0 and 1, and a file is read in blocks.

    Parameters
    ----------
    data : AnnData or Path
        An object, or a file; an AnnData object may be backed by a file.
    layer : str, optional
    raw : bool
    """

    data: Any
    layer: str | None = None
    raw: bool = False

    @property
    def title(self) -> str:
        """Which matrix: "X", "raw" or "layer NAME"."""
        if self.raw:
            return "raw"
        return "X" if self.layer is None else f"layer {self.layer}"

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        with self._opened() as opened:
            return opened.shape

    def names(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Of the observations and of the variables."""
        with self._opened() as opened:
            return opened.rows, opened.columns

    def dense(self, binarize: float | None = None) -> BinaryMatrix:
        """As a matrix of one byte per cell."""
        with self._opened() as opened:
            check_size(opened.what, opened.shape, 1)
            if opened.is_sparse:
                values = opened.codes(binarize).toarray()
            else:
                blocks = [opened.block(part, binarize) for part in blocks_of(opened.shape)]
                values = np.vstack(blocks)
            self._warn(opened, binarize)
            return BinaryMatrix(values, row_names=opened.rows, column_names=opened.columns)

    def in_rows(self, binarize: float | None = None) -> PackedMatrix | SparseMatrix:
        """By its ones where it is stored sparse, and in bits elsewhere."""
        with self._opened() as opened:
            made: PackedMatrix | SparseMatrix
            if opened.is_sparse:
                codes = opened.codes(binarize)
                made = SparseMatrix.from_scipy(codes, codes.data)
            else:
                blocks = (opened.block(part, binarize) for part in blocks_of(opened.shape))
                made = PackedMatrix.from_blocks(opened.shape, blocks)
            self._warn(opened, binarize)
            return replace(made, row_names=opened.rows, column_names=opened.columns)

    def frame(self, binarize: float | None = None) -> Any:
        """The values as they are in a pandas DataFrame, for those who threshold on their own.

        Sparse values stay sparse.
        """
        import pandas

        with self._opened() as opened:
            values = opened.in_memory()
            if binarize is not None and values.dtype.kind in "if":
                opened.least = float(
                    np.nanmin(values.data if opened.is_sparse else values, initial=0)
                )
                self._warn(opened, binarize)
            if opened.is_sparse:
                return pandas.DataFrame.sparse.from_spmatrix(
                    values, index=opened.rows, columns=opened.columns
                )
            return pandas.DataFrame(values, index=opened.rows, columns=opened.columns)

    @contextmanager
    def _opened(self) -> Iterator[_Opened]:
        if not isinstance(self.data, Path):
            yield self._checked("AnnData", _matrices_of_object(self.data))
            return
        with open_h5ad(self.data) as file:
            try:
                rows = index_of(file["obs"])
                found = {
                    name: _Stored(values, rows, index_of(variables))
                    for name, (values, variables) in matrices_of(file).items()
                }
                opened = self._checked(str(self.data), found)
                check_inside(found[self.title].values)
                yield opened
            except _DAMAGE as error:
                raise ValueError(f"{self.data}: not a readable h5ad file ({error})") from error

    def _checked(self, where: str, found: dict[str, _Stored]) -> _Opened:
        if self.title not in found:
            known = ", ".join(found) or "no matrix"
            raise ValueError(f"{where}: there is no {self.title}; there is {known}")
        stored = found[self.title]
        opened = _Opened(f"{where}: {self.title}", stored, tuple(found))
        if 0 in opened.shape:
            raise ValueError(f"{opened.what}: the matrix is empty: shape {opened.shape}")
        if opened.shape != (len(stored.rows), len(stored.columns)):
            raise ValueError(
                f"{opened.what} has shape {opened.shape}, but there are {len(stored.rows)} names "
                f"of observations and {len(stored.columns)} of variables"
            )
        return opened

    def _warn(self, opened: _Opened, binarize: float | None) -> None:
        if binarize is None or opened.least >= 0:
            return
        others = [name for name in opened.found if name != self.title]
        instead = f"; there is also {', '.join(others)}" if others else ""
        kind = (
            "z-scores: each variable has mean 0 and deviation 1, so a one says 'above its own "
            "mean' and not 'expressed'"
            if opened.has_z_scores()
            else "no counts, and what a threshold means for them is not plain"
        )
        warnings.warn(
            f"{opened.what} has negative values (down to {opened.least:.4g}): these are {kind}. "
            f"Take counts or their logarithms{instead}",
            UserWarning,
            stacklevel=4,
        )


@dataclass(frozen=True, eq=False)
class _Stored:
    values: Any
    rows: tuple[str, ...]
    columns: tuple[str, ...]


def _matrices_of_object(data: Any) -> dict[str, _Stored]:
    rows = tuple(str(name) for name in data.obs_names)
    columns = tuple(str(name) for name in data.var_names)
    found = {}
    if data.X is not None:
        found["X"] = _Stored(data.X, rows, columns)
    raw = getattr(data, "raw", None)
    if raw is not None:
        found["raw"] = _Stored(raw.X, rows, tuple(str(name) for name in raw.var_names))
    for name, values in (getattr(data, "layers", None) or {}).items():
        found[f"layer {name}"] = _Stored(values, rows, columns)
    return found


class _Opened:
    """A matrix while its file is open, and the least value seen in it so far."""

    def __init__(self, what: str, stored: _Stored, found: tuple[str, ...]) -> None:
        self.what, self.found = what, found
        self.rows, self.columns = stored.rows, stored.columns
        # Matrices of a backed object know the group that they are stored in.
        self._values = getattr(stored.values, "group", stored.values)
        self.least = 0.0

    @property
    def is_sparse(self) -> bool:
        return self._in_group or hasattr(self._values, "tocsr")

    @property
    def shape(self) -> tuple[int, int]:
        if self._in_group:
            return stored_shape(self._values)
        n, m = self._values.shape
        return int(n), int(m)

    @property
    def _in_group(self) -> bool:
        return hasattr(self._values, "attrs") and not hasattr(self._values, "dtype")

    def in_memory(self) -> Any:
        """All values, sparse or dense as they are stored."""
        if self._in_group:
            return _loaded(self._values)
        return self._values if self.is_sparse else np.asarray(self._values[:])

    def block(self, part: slice, binarize: float | None) -> NDArray[np.int8]:
        """Some rows of a dense matrix as 0, 1 and -1."""
        values = np.asarray(self._values[part])

        def where(i: int, j: int) -> str:
            return self._cell(part.start + i, j)

        return self._parsed(values, where, binarize)

    def codes(self, binarize: float | None) -> Any:
        """The ones and missing entries of a sparse matrix, in rows; what is not stored is 0."""
        if binarize is not None and binarize < 0:
            raise ValueError(
                f"{self.what}: a threshold of {binarize} makes every entry that is not stored a "
                "one; give one of 0 or more for sparse data"
            )
        if self._in_group:
            codes = self._thresholded(self._values, is_by_columns(self._values), binarize)
            if codes is not None:
                return codes
        parts = _loaded(self._values) if self._in_group else self._values
        rows = parts.tocsr()
        if not rows.has_canonical_format:
            rows = rows.copy()
            rows.sum_duplicates()
        return self._thresholded(rows, False, binarize)

    def _thresholded(self, parts: Any, by_columns: bool, binarize: float | None) -> Any:
        """Block by block; None if an entry is stored twice, since its parts are to be added."""
        import scipy.sparse

        stored = {name: _member(parts, name) for name in ("data", "indices", "indptr")}
        starts = np.asarray(stored["indptr"][:], dtype=np.int64)
        self._check_starts(starts, by_columns, len(stored["indices"]), len(stored["data"]))
        minor = self.shape[0 if by_columns else 1]
        # Whole rows or columns, about so many entries at a time.
        steps = np.arange(_STORED_AT_A_TIME, max(1, int(starts[-1])), _STORED_AT_A_TIME)
        cuts = np.unique([0, *np.searchsorted(starts, steps), len(starts) - 1])
        kept_codes, kept_indices, counts = [], [], np.zeros(len(starts), dtype=np.int64)
        for first, last in itertools.pairwise(cuts):
            part = slice(int(starts[first]), int(starts[last]))
            indices = np.asarray(stored["indices"][part])
            if len(indices) and not 0 <= indices.min() <= indices.max() < minor:
                raise ValueError(
                    f"{self.what}: not a sparse matrix: an index is outside the shape {self.shape}"
                )
            if _has_duplicates(indices, starts[first : last + 1] - part.start):
                return None

            def where(_: int, p: int, begin: int = part.start, at: NDArray[Any] = indices) -> str:
                major = int(np.searchsorted(starts, begin + p, side="right")) - 1
                cell = (int(at[p]), major) if by_columns else (major, int(at[p]))
                return self._cell(*cell)

            codes = self._parsed(np.asarray(stored["data"][part])[None], where, binarize)[0]
            kept = codes != 0
            kept_codes.append(codes[kept])
            kept_indices.append(indices[kept])
            before = np.concatenate([[0], np.cumsum(kept)])
            counts[first + 1 : last + 1] = np.diff(before[starts[first : last + 1] - part.start])
        ends = np.cumsum(counts)
        make = scipy.sparse.csc_array if by_columns else scipy.sparse.csr_array
        made = make(
            (np.concatenate(kept_codes), np.concatenate(kept_indices), ends), shape=self.shape
        ).tocsr()
        made.sort_indices()
        return made

    def _check_starts(
        self, starts: NDArray[np.int64], by_columns: bool, indices: int, data: int
    ) -> None:
        """Nothing that these say may lie outside what is stored."""
        sides = self.shape[1 if by_columns else 0]
        good = (
            len(starts) == sides + 1 and starts[0] == 0 and bool((starts[1:] >= starts[:-1]).all())
        )
        if not good or not starts[-1] <= min(indices, data):
            raise ValueError(
                f"{self.what}: not a sparse matrix: its list of starts does not fit the shape "
                f"{self.shape} and {data:,} stored values"
            )

    def _parsed(
        self, values: NDArray[Any], where: Where, binarize: float | None
    ) -> NDArray[np.int8]:
        try:
            codes = parse_array(values, where, binarize)
        except NotUnderstoodError as error:
            others = [name for name in self.found if not self.what.endswith(f": {name}")]
            instead = f"; beside it there is {', '.join(others)}" if others else ""
            raise NeedsThresholdError(f"{error.plain}{instead}") from error
        if binarize is not None and values.size and values.dtype.kind in "if":
            seen = values[codes != MISSING] if (codes == MISSING).any() else values
            self.least = min(self.least, float(seen.min(initial=0)))
        return codes

    def _cell(self, i: int, j: int) -> str:
        return f"{self.what}, observation {self.rows[i]!r}, variable {self.columns[j]!r}"

    def has_z_scores(self) -> bool:
        """Whether the first variables have means near 0 and deviations near 1, by some rows."""
        if self.is_sparse:
            return False
        n, m = _SAMPLE
        values = np.asarray(self._values[:n, :m], dtype=np.float64)
        means, deviations = np.nanmean(values, axis=0), np.nanstd(values, axis=0)
        # Values are often cut off at some deviations, which takes from both.
        return bool(np.median(abs(means)) < 0.2 and 0.5 < np.median(deviations) < 1.5)


def _has_duplicates(indices: NDArray[Any], starts: NDArray[np.int64]) -> bool:
    """Whether a list names an index twice; lists in order are seen to be without at once."""
    falls = np.flatnonzero(np.diff(indices) <= 0) + 1
    if np.isin(falls, starts).all():
        return False
    lists = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    return len(np.unique(np.stack([lists, indices]), axis=1).T) < len(indices)


def _member(parts: Any, name: str) -> Any:
    return getattr(parts, name) if hasattr(parts, name) else parts[name]


def _loaded(group: Any) -> Any:
    import scipy.sparse

    make = scipy.sparse.csc_array if is_by_columns(group) else scipy.sparse.csr_array
    parts = (group["data"][()], group["indices"][()], group["indptr"][()])
    return checked_sparse("the matrix", make(parts, shape=stored_shape(group)))
