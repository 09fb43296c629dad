"""Heuristic pricing: the greedy algorithm for bipartite binary quadratic problems.

The problem is to maximise a'Hb over binary a and b. The greedy algorithm takes the rows of H
in some order and puts a row in whenever that raises the value of the best columns; the
alternating heuristic then refits a to b and b to a until nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.control.stop import Stop

__all__ = [
    "ORDERINGS",
    "Ordering",
    "Priced",
    "alternate",
    "greedy",
    "greedy_and_alternate",
    "paper_orderings",
    "price_heuristic",
]

_RELATIVE_PERTURBATION = 0.1


class Ordering(NamedTuple):
    """How the greedy algorithm walks through H: by which key, and on which side."""

    key: str
    transposed: bool = False


ORDERINGS: tuple[Ordering, ...] = (
    Ordering("original"),
    Ordering("revised"),
    Ordering("original", transposed=True),
    Ordering("revised", transposed=True),
    Ordering("original perturbed"),
    Ordering("revised perturbed"),
    Ordering("original perturbed", transposed=True),
    Ordering("revised perturbed", transposed=True),
)
"""Two keys, plain and perturbed, on both sides."""


class Priced(NamedTuple):
    """Rectangles found by a heuristic, best first, and their worths."""

    values: NDArray[np.float64]
    A: NDArray[np.bool_]
    B: NDArray[np.bool_]


@njit(cache=True, nogil=True)
def greedy(
    H: NDArray[np.float64], order: NDArray[np.int64], a: NDArray[np.bool_], b: NDArray[np.bool_]
) -> float:
    """Fill a and b with the greedy rectangle for this order of the rows; return its worth."""
    n, m = H.shape
    sums = np.zeros(m)
    value = 0.0
    for u in range(n):
        i = order[u]
        with_row = 0.0
        for j in range(m):
            s = sums[j] + H[i, j]
            if s > 0:
                with_row += s
        a[i] = with_row > value
        if a[i]:
            value = with_row
            for j in range(m):
                sums[j] += H[i, j]
    for j in range(m):
        b[j] = sums[j] > 0
    return value


@njit(cache=True, nogil=True)
def alternate(H: NDArray[np.float64], a: NDArray[np.bool_], b: NDArray[np.bool_]) -> float:
    """Improve a rectangle in place: best a for b, best b for a, until its worth stands still."""
    n, m = H.shape
    sums = np.empty(m)
    value = -1.0
    while True:
        for j in range(m):
            sums[j] = 0.0
        for i in range(n):
            s = 0.0
            for j in range(m):
                if b[j]:
                    s += H[i, j]
            a[i] = s > 0
            if a[i]:
                for j in range(m):
                    sums[j] += H[i, j]
        improved = 0.0
        added, removed = False, False
        for j in range(m):
            is_good = sums[j] > 0
            added |= is_good and not b[j]
            removed |= b[j] and not is_good
            b[j] = is_good
            if is_good:
                improved += sums[j]
        # Exact equality would be enough with integers; with floats a sum may differ by rounding.
        # Columns that only left, at no loss, may let rows in: b cannot shrink for ever.
        if improved <= value * (1 + 1e-12) and (added or not removed):
            return value
        value = improved


@njit(cache=True, nogil=True)
def greedy_and_alternate(
    H: NDArray[np.float64],
    orders: NDArray[np.int64],
    A: NDArray[np.bool_],
    B: NDArray[np.bool_],
    values: NDArray[np.float64],
) -> None:
    """Run greedy and alternation for each row of `orders`."""
    for r in range(len(orders)):
        greedy(H, orders[r], A[r], B[r])
        values[r] = alternate(H, A[r], B[r])


def order_rows(H: NDArray[np.float64], key: str, rng: np.random.Generator) -> NDArray[np.int64]:
    """The order of the rows of H by a key.

    `original` sorts by the sum of positive entries; `revised` breaks its ties by the sum of
    negative entries, the one nearer to zero first; `perturbed` blurs the sums by up to ten
    percent; `random` is a random order.
    """
    if key == "random":
        return rng.permutation(len(H))
    positive = np.where(H > 0, H, 0.0).sum(axis=1)
    if key.endswith("perturbed"):
        blur = rng.uniform(-1, 1, len(H)) * _RELATIVE_PERTURBATION
        positive = positive * (1 + blur)
    if key.startswith("revised"):
        negative = np.where(H < 0, H, 0.0).sum(axis=1)
        return np.lexsort((-negative, -positive)).astype(np.int64)
    if key.startswith("original"):
        return np.argsort(-positive, kind="stable").astype(np.int64)
    known = sorted({"random", *(ordering.key for ordering in ORDERINGS)})
    raise ValueError(f"unknown ordering {key!r}; expected one of {', '.join(known)}")


def paper_orderings(count: int = 30) -> Iterator[Ordering]:
    """The eight deterministic and perturbed orderings, then random ones on alternating sides."""
    for u in range(count):
        yield ORDERINGS[u] if u < len(ORDERINGS) else Ordering("random", transposed=u % 2 == 1)


def price_heuristic(
    H: NDArray[np.float64],
    rng: np.random.Generator,
    orderings: Iterable[Ordering] | None = None,
    stop: Stop | None = None,
) -> Priced:
    """Rectangles of large worth, by default from the thirty greedy variants of the paper.

    When `stop` says so, the variants that are left, but never the first, are empty and worth 0.

    Examples
    --------
    >>> H = np.array([[1.0, 1.0, -1.0], [1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]])
    >>> price_heuristic(H, np.random.default_rng(0)).values[0]
    np.float64(4.0)
    """
    H = np.ascontiguousarray(H, dtype=np.float64)
    n, m = H.shape
    chosen = list(paper_orderings() if orderings is None else orderings)
    values = np.zeros(len(chosen))
    A = np.zeros((len(chosen), n), dtype=np.bool_)
    B = np.zeros((len(chosen), m), dtype=np.bool_)
    for side in (False, True):
        where = [u for u, ordering in enumerate(chosen) if ordering.transposed == side]
        if not where:
            continue
        matrix = np.ascontiguousarray(H.T) if side else H
        orders = np.array([order_rows(matrix, chosen[u].key, rng) for u in where])
        rows = np.zeros((len(where), matrix.shape[0]), dtype=np.bool_)
        columns = np.zeros((len(where), matrix.shape[1]), dtype=np.bool_)
        worths = np.zeros(len(where))
        for r in range(len(where)):
            if stop is not None and (side or r) and stop.now():
                break
            one = slice(r, r + 1)
            greedy_and_alternate(matrix, orders[one], rows[one], columns[one], worths[one])
        values[where] = worths
        A[where], B[where] = (columns, rows) if side else (rows, columns)
    best_first = np.argsort(-values, kind="stable")
    return Priced(values[best_first], A[best_first], B[best_first])
