"""Reading a factorisation: what each pattern explains, by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix

if TYPE_CHECKING:
    import pandas

__all__ = [
    "Pattern",
    "describe_patterns",
    "order_patterns",
    "overlap_frame",
    "overlap_matrix",
    "pattern_order",
    "patterns_frame",
]


@dataclass(frozen=True)
class Pattern:
    """One rectangle of a factorisation, in the user's terms; counts are weights.

    Attributes
    ----------
    index : int
        Which column of A and row of B it is.
    rows, columns : tuple of int
    row_names, column_names : tuple of str
    ones, zeros : int
        What it covers.
    unique_ones, unique_zeros : int
        What it covers and no other pattern does: without it the error would rise by
        unique_ones - unique_zeros.
    precision : float
        Share of the observed entries it covers that are ones; NaN if it covers none.
    recall : float
        Share of all ones that it covers; NaN if there are none.
    """

    index: int
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    row_names: tuple[str, ...]
    column_names: tuple[str, ...]
    ones: int
    zeros: int
    unique_ones: int
    unique_zeros: int
    precision: float
    recall: float

    @property
    def gain(self) -> int:
        """How much the error would rise without this pattern."""
        return self.unique_ones - self.unique_zeros

    @property
    def shared_ones(self) -> int:
        """Ones that it covers together with other patterns."""
        return self.ones - self.unique_ones

    @property
    def shared_zeros(self) -> int:
        """Zeros that it covers together with other patterns."""
        return self.zeros - self.unique_zeros


def describe_patterns(factors: Factors, matrix: BinaryMatrix) -> list[Pattern]:
    """What each pattern covers, alone and together with others, in the order of the factors.

    Examples
    --------
    >>> X = BinaryMatrix(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]]))
    >>> F = Factors(np.array([[1, 0], [1, 1], [0, 1]]), np.array([[1, 1, 0], [0, 1, 1]]))
    >>> [(p.ones, p.unique_ones, p.columns) for p in describe_patterns(F, X)]
    [(4, 3, (0, 1)), (4, 3, (1, 2))]
    """
    once = factors.cover_counts() == 1
    described = []
    for u, (a, b) in enumerate(factors.rectangles):
        block = np.ix_(a, b)
        is_one, weights = matrix.ones[block], matrix.weights[block]
        alone = once[block]
        ones, zeros = int(weights[is_one].sum()), int(weights[~is_one].sum())
        rows = tuple(int(i) for i in np.flatnonzero(a))
        columns = tuple(int(j) for j in np.flatnonzero(b))
        described.append(
            Pattern(
                index=u,
                rows=rows,
                columns=columns,
                row_names=tuple(matrix.row_label(i) for i in rows),
                column_names=tuple(matrix.column_label(j) for j in columns),
                ones=ones,
                zeros=zeros,
                unique_ones=int(weights[is_one & alone].sum()),
                unique_zeros=int(weights[~is_one & alone].sum()),
                precision=ones / (ones + zeros) if ones + zeros else float("nan"),
                recall=ones / matrix.ones_weight if matrix.ones_weight else float("nan"),
            )
        )
    return described


def order_patterns(factors: Factors, matrix: BinaryMatrix) -> Factors:
    """The same factorisation, patterns that explain most first.

    The order is greedy: next comes the pattern that explains most of what those before it
    left unexplained (ones gained minus zeros spoilt); empty patterns come last.
    """
    order = pattern_order(factors, matrix)
    return Factors(factors.A[:, order], factors.B[order])


def pattern_order(factors: Factors, matrix: BinaryMatrix) -> list[int]:
    """The order of `order_patterns`.

    Examples
    --------
    >>> X = BinaryMatrix(np.array([[1, 0, 0], [0, 1, 1]]))
    >>> pattern_order(Factors(np.eye(2), X.ones), X)
    [1, 0]
    """
    gains = np.where(matrix.ones, matrix.weights, -matrix.weights)
    left = list(range(factors.rank))
    order: list[int] = []
    rectangles = factors.rectangles
    while left:
        worth = [
            (int(gains[np.ix_(*rectangles[u])].sum()), bool(rectangles[u].a.any())) for u in left
        ]
        best = max(range(len(left)), key=lambda v: (worth[v][1], worth[v][0], -left[v]))
        u = left.pop(best)
        order.append(u)
        gains[np.ix_(*rectangles[u])] = 0
    return order


def overlap_matrix(factors: Factors, matrix: BinaryMatrix) -> NDArray[np.int64]:
    """Weight of the observed entries that two patterns both cover; the diagonal has their sizes."""
    k = factors.rank
    overlap = np.zeros((k, k), dtype=np.int64)
    for u in range(k):
        for v in range(u, k):
            block = np.ix_(factors.A[:, u] & factors.A[:, v], factors.B[u] & factors.B[v])
            overlap[u, v] = overlap[v, u] = matrix.weights[block].sum()
    return overlap


def patterns_frame(factors: Factors, matrix: BinaryMatrix) -> pandas.DataFrame:
    """`describe_patterns` as a pandas DataFrame, one row per pattern."""
    pandas = _pandas("patterns_frame")
    records: list[dict[str, Any]] = [
        {
            "pattern": pattern.index + 1,
            "rows": len(pattern.rows),
            "columns": ", ".join(pattern.column_names),
            "ones": pattern.ones,
            "zeros": pattern.zeros,
            "unique_ones": pattern.unique_ones,
            "unique_zeros": pattern.unique_zeros,
            "shared_ones": pattern.shared_ones,
            "shared_zeros": pattern.shared_zeros,
            "gain": pattern.gain,
            "precision": pattern.precision,
            "recall": pattern.recall,
        }
        for pattern in describe_patterns(factors, matrix)
    ]
    return pandas.DataFrame.from_records(records).set_index("pattern")


def overlap_frame(factors: Factors, matrix: BinaryMatrix) -> pandas.DataFrame:
    """`overlap_matrix` as a pandas DataFrame, patterns numbered from 1."""
    pandas = _pandas("overlap_frame")
    numbers = pandas.RangeIndex(1, factors.rank + 1, name="pattern")
    return pandas.DataFrame(overlap_matrix(factors, matrix), index=numbers, columns=numbers)


def _pandas(user: str) -> Any:
    try:
        import pandas
    except ImportError as error:
        raise ImportError(
            f"{user} needs pandas; install it with `pip install 'boolfact[pandas]'`"
        ) from error
    return pandas
