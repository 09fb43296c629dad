"""Which matrix is meant by a source that could be several, or is not a matrix as it stands."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from boolfact.io.annotated import select_matrix
from boolfact.io.pairs import PairMatrix, looks_like_pairs

__all__ = ["meant_matrix"]


def meant_matrix(
    X: Any, layer: str | None = None, raw: bool = False, binarize: float | None = None
) -> Any:
    """A matrix of AnnData or of an h5ad file; the pairs in a text file; other data as they are.

    Parameters
    ----------
    X : path, AnnData, or anything else
    layer, raw, binarize
        See `boolfact.as_matrix`.

    Examples
    --------
    >>> meant_matrix([[1, 0]])
    [[1, 0]]
    """
    X = select_matrix(X, layer, raw)
    if isinstance(X, str | os.PathLike) and looks_like_pairs(Path(X), binarize):
        return PairMatrix(Path(X))
    return X
