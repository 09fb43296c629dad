"""Factors: a factorisation, the union of k rectangles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boolfact.model.matrix import BinaryMatrix
from boolfact.model.rectangles import Rectangle
from boolfact.model.rows import blocks_of

__all__ = ["Factors"]


@dataclass(frozen=True, eq=False)
class Factors:
    """Binary factors A (n, k) and B (k, m) of a Boolean product; both are read-only.

    Examples
    --------
    >>> import numpy as np
    >>> F = Factors(np.array([[1, 0], [1, 1], [0, 1]]), np.array([[1, 1, 0], [0, 1, 1]]))
    >>> F.product().astype(int)
    array([[1, 1, 0],
           [1, 1, 1],
           [0, 1, 1]])
    """

    A: NDArray[np.bool_]
    B: NDArray[np.bool_]

    def __post_init__(self) -> None:
        A, B = _frozen(self.A), _frozen(self.B)
        if A.ndim != 2 or B.ndim != 2 or A.shape[1] != B.shape[0]:
            raise ValueError(f"A (n, k) and B (k, m) do not fit: {A.shape} and {B.shape}")
        object.__setattr__(self, "A", A)
        object.__setattr__(self, "B", B)

    @classmethod
    def empty(cls, shape: tuple[int, int], k: int = 0) -> Factors:
        """Factors that cover nothing."""
        return cls(np.zeros((shape[0], k), dtype=bool), np.zeros((k, shape[1]), dtype=bool))

    @classmethod
    def from_rectangles(cls, shape: tuple[int, int], rectangles: Iterable[Rectangle]) -> Factors:
        """The union of some rectangles."""
        rectangles = list(rectangles)
        if not rectangles:
            return cls.empty(shape)
        rows, columns = zip(*rectangles, strict=True)
        return cls(np.column_stack(rows), np.vstack(columns))

    @classmethod
    def reproducing(cls, matrix: BinaryMatrix) -> Factors:
        """Factors without error: each row or column, whichever are fewer, is its own pattern."""
        n, m = matrix.shape
        if m <= n:
            return cls(matrix.ones, np.eye(m, dtype=np.bool_))
        return cls(np.eye(n, dtype=np.bool_), matrix.ones)

    @property
    def rank(self) -> int:
        """The number of rectangles, empty ones included."""
        return int(self.A.shape[1])

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the product."""
        return int(self.A.shape[0]), int(self.B.shape[1])

    @property
    def rectangles(self) -> list[Rectangle]:
        """The rectangles in order."""
        return [Rectangle(self.A[:, u], self.B[u]) for u in range(self.rank)]

    def cover_counts(self) -> NDArray[np.int64]:
        """How many rectangles cover each entry."""
        # float32 is exact up to 2**24 rectangles and lets BLAS do the work.
        counts = self.A.astype(np.float32) @ self.B.astype(np.float32)
        return counts.astype(np.int64)

    def product(self) -> NDArray[np.bool_]:
        """The Boolean product: an entry is true if some rectangle covers it."""
        return (self.A.astype(np.float32) @ self.B.astype(np.float32)) > 0.5

    def error(self, matrix: BinaryMatrix) -> int:
        """Weight of the observed entries in which the product differs from the matrix."""
        self._check_shape(matrix)
        total = 0
        for part in blocks_of(self.shape):
            differs = Factors(self.A[part], self.B).product() != (matrix.values[part] == 1)
            total += int(matrix.weights[part][differs].sum())
        return total

    def objective(self, matrix: BinaryMatrix, rho: Fraction | int = 1) -> Fraction:
        """The MIP(rho) objective: uncovered ones, plus rho for each cover of each zero."""
        self._check_shape(matrix)
        uncovered = covered = 0
        for part in blocks_of(self.shape):
            counts = Factors(self.A[part], self.B).cover_counts()
            ones, weights = matrix.values[part] == 1, matrix.weights[part]
            uncovered += int(weights[ones & (counts == 0)].sum())
            covered += int((weights[~ones] * counts[~ones]).sum())
        return uncovered + Fraction(rho) * covered

    def complete(self, matrix: BinaryMatrix) -> BinaryMatrix:
        """The matrix with its missing entries filled by the product; observed ones stay.

        Examples
        --------
        >>> X = BinaryMatrix(np.array([[1, 1], [1, -1]]))
        >>> Factors(np.ones((2, 1)), np.ones((1, 2))).complete(X).values
        array([[1, 1],
               [1, 1]], dtype=int8)
        """
        self._check_shape(matrix)
        values = np.where(matrix.missing, self.product(), matrix.values).astype(np.int8)
        return BinaryMatrix(values, row_names=matrix.row_names, column_names=matrix.column_names)

    def padded(self, k: int) -> Factors:
        """The same product with empty rectangles added up to rank k."""
        if k < self.rank:
            raise ValueError(f"cannot pad rank {self.rank} to {k}")
        extra = Factors.empty(self.shape, k - self.rank)
        return Factors(np.hstack([self.A, extra.A]), np.vstack([self.B, extra.B]))

    def _check_shape(self, matrix: BinaryMatrix) -> None:
        if self.shape != matrix.shape:
            raise ValueError(
                f"the factors are for a matrix of shape {self.shape}, "
                f"got one of shape {matrix.shape}"
            )


def _frozen(values: ArrayLike) -> NDArray[np.bool_]:
    """A copy that nobody can write to: whoever holds the factors may rely on them."""
    copy = np.array(values, dtype=np.bool_, order="C")
    copy.flags.writeable = False
    return copy
