"""One pattern: three ways to a good rectangle of a matrix of integer worths.

A rectangle (a, b) errs on a one outside it and on a zero inside it. With p the weights of the
ones and q those of the zeros,

    error(a, b) = sum over ones of p (1 - a_i b_j)  +  sum over zeros of q a_i b_j,

and 1 - a_i b_j = max(1 - a_i, 1 - b_j) on binary values, a_i b_j = max(0, a_i + b_j - 1).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, maximum_flow

from boolfact.control.stop import Stop
from boolfact.model.rectangles import Rectangle
from boolfact.pricing.heuristic import alternate, price_heuristic

__all__ = ["alternating", "linear_program", "relaxation", "rounded_relaxation"]

_CAPACITY_LIMIT = np.iinfo(np.int32).max // 4


def alternating(
    worth: NDArray[np.int64], rng: np.random.Generator, stop: Stop | None = None
) -> Rectangle:
    """Best a for b, best b for a, until nothing changes, from greedy and random starts.

    The starts end when `stop` says so, after the first at the earliest.
    """
    found = price_heuristic(worth.astype(np.float64), rng, stop=stop)
    return Rectangle(found.A[0], found.B[0])


def linear_program(worth: NDArray[np.int64], rng: np.random.Generator) -> Rectangle:
    """The linear program of Shen, Ji and Ye (2009), then alternation.

    On a one, max(1 - a_i, 1 - b_j) is replaced by (1 - a_i) + (1 - b_j), at most twice as
    much. What is left is linear but for a_i + b_j - 1 on zeros, which turns into a difference
    when b is complemented: a totally unimodular program, the dual of a maximum flow. So its
    optimum is binary, and a minimum cut finds it: row i on the source side has a_i = 1,
    column j on the sink side has b_j = 1.
    """
    n, m = worth.shape
    ones = np.where(worth > 0, worth, 0)
    i, j = np.nonzero(worth < 0)
    # Leaving row i out costs its ones, leaving column j out costs its ones, and a zero costs
    # its weight when its row is in (source side) and its column is in (sink side).
    edges = _Edges(n + m + 2)
    edges.add(np.full(n, n + m), np.arange(n), ones.sum(axis=1))
    edges.add(n + np.arange(m), np.full(m, n + m + 1), ones.sum(axis=0))
    edges.add(i, n + j, -worth[i, j])
    source_side = edges.cut(n + m, n + m + 1)
    return _improved(worth, source_side[:n], ~source_side[n : n + m], rng)


def rounded_relaxation(worth: NDArray[np.int64], rng: np.random.Generator) -> Rectangle:
    """The rounding of Shi, Wang and Shi (2014), then alternation.

    The vertices of the relaxation have entries 0, 1/2 and 1. Raising the halves of a to 1 and
    lowering those of b to 0, or the other way round, at most doubles every term of the error;
    the better of the two is taken.
    """
    a, b = relaxation(worth)
    up_down = _improved(worth, a >= 1, b == 2, rng)
    down_up = _improved(worth, a == 2, b >= 1, rng)
    return max(up_down, down_up, key=lambda r: int(worth[np.ix_(r.a, r.b)].sum()))


def relaxation(worth: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Twice an optimal vertex (a, b) of the linear relaxation of the error, entries 0, 1, 2.

    Every variable v gets two copies, v and 1 - v, in a graph where each term of the error
    appears once with either: a minimum cut of it, averaged over the copies, is optimal for
    the relaxation (roof duality).
    """
    n, m = worth.shape
    one_i, one_j = np.nonzero(worth > 0)
    zero_i, zero_j = np.nonzero(worth < 0)
    count = len(one_i)
    # Nodes: a and b, then their complements, then the cover z of each one and its complement,
    # then source and sink. A node is true on the source side.
    a, b = np.arange(n), n + np.arange(m)
    not_a, not_b = n + m + a, n + m + b
    z = 2 * (n + m) + np.arange(count)
    not_z = z + count
    source, sink = 2 * (n + m) + 2 * count, 2 * (n + m) + 2 * count + 1
    price = worth[one_i, one_j]
    never = np.full(count, int(np.abs(worth).sum()) + 1)
    edges = _Edges(sink + 1)
    # A false z costs the weight of its one, and so does a true complement of z.
    edges.add(np.full(count, source), z, price)
    edges.add(not_z, np.full(count, sink), price)
    # A true z needs a true row and column; a true complement of either makes that of z true.
    for head, not_head in ((a[one_i], not_a[one_i]), (b[one_j], not_b[one_j])):
        edges.add(z, head, never)
        edges.add(not_head, not_z, never)
    # A zero costs when its row is true and the complement of its column is not.
    zero_price = -worth[zero_i, zero_j]
    edges.add(a[zero_i], not_b[zero_j], zero_price)
    edges.add(b[zero_j], not_a[zero_i], zero_price)
    side = edges.cut(source, sink).astype(np.int64)
    return side[a] + 1 - side[not_a], side[b] + 1 - side[not_b]


def _improved(
    worth: NDArray[np.int64],
    a: NDArray[np.bool_],
    b: NDArray[np.bool_],
    rng: np.random.Generator,
) -> Rectangle:
    """Alternation from (a, b), which never loses.

    On sparse data the empty rectangle is itself within twice the least error, and the
    relaxations like to give it; then the greedy starts are used instead.
    """
    H = np.ascontiguousarray(worth, dtype=np.float64)
    a, b = a.copy(), b.copy()
    if H[np.ix_(a, b)].sum() <= 0:
        return alternating(worth, rng)
    alternate(H, a, b)
    return Rectangle(a, b)


class _Edges:
    """A flow network that grows by arrays of edges."""

    def __init__(self, nodes: int) -> None:
        self.nodes = nodes
        self.tails: list[NDArray[np.int64]] = []
        self.heads: list[NDArray[np.int64]] = []
        self.capacities: list[NDArray[np.int64]] = []

    def add(
        self, tails: NDArray[np.int64], heads: NDArray[np.int64], capacities: NDArray[np.int64]
    ) -> None:
        """Add edges with integer capacities; those without any are left out."""
        some = capacities > 0
        self.tails.append(tails[some])
        self.heads.append(heads[some])
        self.capacities.append(capacities[some])

    def cut(self, source: int, sink: int) -> NDArray[np.bool_]:
        """The source side of a minimum cut."""
        capacities = np.concatenate(self.capacities)
        if capacities.size and int(capacities.max()) > _CAPACITY_LIMIT:
            raise ValueError(
                f"the weights add up to {int(capacities.max())}, more than the rank-one steps "
                f"by minimum cuts can take ({_CAPACITY_LIMIT}); use rank_one='alternating'"
            )
        where = (np.concatenate(self.tails), np.concatenate(self.heads))
        shape = (self.nodes, self.nodes)
        graph = csr_array((capacities.astype(np.int32), where), shape=shape)
        flow = maximum_flow(graph, source, sink).flow
        residual = csr_array(graph - flow)
        residual.eliminate_zeros()
        reached = breadth_first_order(residual, source, return_predecessors=False)
        side = np.zeros(self.nodes, dtype=np.bool_)
        side[reached] = True
        return side
