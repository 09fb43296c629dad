"""The bound on the error of large data: groups of columns, each proved by itself, add up.

On a few columns even a million rows are some hundred distinct ones, with weights, and the proofs
for small data carry them. Groups are proved first; then two of them become one, as long as there
is time, because the least error of both together is at least the sum of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.certificate.document import entry_of
from boolfact.cluster.rows import ClusterRows
from boolfact.colgen.cover.grow import bound_by_cover
from boolfact.column_search.search import search_columns
from boolfact.control.executor import Executor
from boolfact.control.progress import Event, Progress
from boolfact.control.stop import Stop
from boolfact.large.groups import Group, collect, column_groups
from boolfact.local_search.problem import codes_of
from boolfact.local_search.search import local_search
from boolfact.model.bound import Bound, Quantity, better_bound
from boolfact.model.factors import Factors
from boolfact.model.packed import PackedMatrix
from boolfact.model.sparse import SparseMatrix

__all__ = ["GroupsProof", "prove_large"]

_WIDTH = 12
"""Columns of the first groups: a walk through all their sets takes a moment."""
_MOST_ROWS = 500
"""Distinct rows of a group: a proof has a price for each of their ones."""
_FEW_PATTERNS = 3
"""Up to this rank a search over columns mostly ends, and carries wide groups."""
_WIDEST = 48
"""Columns of a group for few patterns."""
_WIDEST_COVER = 24
"""The same for more: assigned cover would divide more columns again."""
_FIRST_SHARE = 0.8
"""Of the time, for the first groups."""
_LEAST_SECONDS = 4.0
"""Of a group: with less, some groups are proved rather than none."""
_SEARCHES = 20
"""Iterations of the local search that says what there is to prove in a group."""
_SEARCH_SHARE, _COVER_SHARE = 0.2, 0.4
"""Of the time of a group, for that search, and for assigned cover where columns are searched."""
_MOST_WEIGHT = 2**50
"""Of a group: proofs multiply weights by a scale, in 64 bits."""


@dataclass(frozen=True, eq=False)
class _Proved:
    columns: NDArray[np.int64]
    group: Group
    bound: Bound | None

    @property
    def value(self) -> int:
        return 0 if self.bound is None else int(self.bound.rounded)


@dataclass(frozen=True, eq=False)
class GroupsProof:
    """Groups of columns that share none; each has a bound with a proof of its own.

    Attributes
    ----------
    parts : tuple of pairs of Group and Bound
    transposed : bool
        Whether the columns are the rows of the data.
    """

    parts: tuple[tuple[Group, Bound], ...]
    transposed: bool

    def entry(self) -> dict[str, Any]:
        """Ready for JSON."""
        parts = [
            {
                "columns": [int(j) for j in group.columns],
                "rows": ["".join(map(str, row)) for row in group.matrix.values.tolist()],
                "proof": entry_of(bound, bound.k),
            }
            for group, bound in self.parts
        ]
        return {"kind": "column_groups", "transposed": self.transposed, "parts": parts}


def prove_large(
    rows: PackedMatrix | SparseMatrix | ClusterRows,
    k: int,
    *,
    factors: Factors,
    stop: Stop,
    seed: int,
    executor: Executor,
    progress: Progress,
) -> Bound | None:
    """A proved lower bound on the error of every factorisation of rank k; None if there is none.

    Parameters
    ----------
    rows : PackedMatrix, SparseMatrix or ClusterRows
    k : int
        With 24 patterns and more nothing is proved: groups of so many columns have no error.
    factors : Factors
        The best known: its patterns say which columns are alike.
    stop : Stop
        An iteration limit holds for each proof of a group by itself.
    seed : int
    executor : Executor
    progress : callable
    """
    transposed = not isinstance(rows, ClusterRows) and rows.shape[1] > rows.shape[0]
    patterns = factors.A.T if transposed else factors.B
    worked = rows if isinstance(rows, ClusterRows) or not transposed else rows.T
    prover = _Prover(worked, k, stop, seed, executor, progress)
    found = sorted(prover.run(patterns), key=lambda part: int(part.columns[0]))
    parts = [(part.group, part.bound) for part in found if part.bound is not None and part.value]
    return _bound(parts, k, transposed) if parts else None


def _bound(parts: Sequence[tuple[Group, Bound]], k: int, transposed: bool) -> Bound:
    side = "rows" if transposed else "columns"
    ways = sorted({bound.relaxation.split(",")[0] for _, bound in parts})
    groups = "1 group" if len(parts) == 1 else f"{len(parts)} groups"
    name = f"{groups} of {side}, each by {' or '.join(ways)}"
    total = sum((bound.rounded for _, bound in parts), Fraction(0))
    return Bound(Quantity.ERROR, total, k, name, GroupsProof(tuple(parts), transposed))


def _turn(stop: Stop, sharers: int) -> Stop:
    """What is left of the time for one of those who share it."""
    seconds = stop.remaining() / sharers
    return stop.share(1.0, max(seconds, _LEAST_SECONDS))


@dataclass
class _Prover:
    rows: PackedMatrix | SparseMatrix | ClusterRows
    k: int
    stop: Stop
    seed: int
    executor: Executor
    progress: Progress

    def run(self, patterns: NDArray[np.bool_]) -> list[_Proved]:
        """Groups first, then pairs of them, then pairs of those."""
        widest = _WIDEST if self.k <= _FEW_PATTERNS else _WIDEST_COVER
        if self.k >= widest:
            return []
        width = _WIDTH if 2 * self.k <= _WIDTH else widest
        columns = column_groups(codes_of(patterns.T), width, self.seed)
        groups = collect(self.rows, columns, _MOST_ROWS, self.stop)
        first = self.stop.share(_FIRST_SHARE)
        growing: list[_Proved] = []
        for u, group in enumerate(groups):
            bound = self._prove(group, _turn(first, len(groups) - u))
            growing.append(_Proved(group.columns, group, bound))
            self._tell(growing)
        grown: list[_Proved] = []
        while len(growing) > 1 and 2 * width <= widest and not self.stop.now():
            growing = self._merged(growing, grown)
            width *= 2
        return grown + growing

    def _merged(self, parts: list[_Proved], grown: list[_Proved]) -> list[_Proved]:
        """Pairs as one group where that proves more; the others are added to `grown`."""
        pairs = list(zip(parts[::2], parts[1::2], strict=False))
        unions = [np.sort(np.concatenate([a.columns, b.columns])) for a, b in pairs]
        groups = collect(self.rows, unions, _MOST_ROWS, self.stop)
        found = {group.columns.tobytes(): group for group in groups}
        merged: list[_Proved] = []
        grown += parts[2 * len(pairs) :]
        for u, ((a, b), union) in enumerate(zip(pairs, unions, strict=True)):
            group, bound = found.get(union.tobytes()), None
            if group is not None and not self.stop.now():
                bound = self._prove(group, _turn(self.stop, len(pairs) - u))
            if group is not None and bound is not None and bound.rounded > a.value + b.value:
                merged.append(_Proved(union, group, bound))
            else:
                grown += [a, b]
            self._tell([*grown, *merged, *(part for pair in pairs[u + 1 :] for part in pair)])
        return merged

    def _prove(self, group: Group, stop: Stop) -> Bound | None:
        """The best bound on the error of a group; None where it has none, or none is found."""
        matrix = group.matrix
        if self.k >= min(matrix.shape) or stop.now():
            return None
        if sum(int(w) for w in matrix.weights.sum(axis=1)) >= _MOST_WEIGHT:
            return None
        known = local_search(
            matrix,
            self.k,
            stop=stop.share(_SEARCH_SHARE).child(iteration_limit=_SEARCHES),
            seed=self.seed,
            executor=self.executor,
        )
        bound = None
        is_narrow, is_few = matrix.shape[1] <= _WIDEST_COVER, self.k <= _FEW_PATTERNS
        common: dict[str, Any] = {"seed": self.seed, "executor": self.executor}
        if is_narrow and known.error > 0:
            bound = bound_by_cover(
                matrix,
                self.k,
                factors=known.factors,
                incumbent=known.error,
                stop=stop.share(_COVER_SHARE if is_few else 1.0),
                **common,
            ).bound
        proved = 0 if bound is None else bound.rounded
        if is_few and proved < known.error:
            searched = search_columns(matrix, self.k, factors=known.factors, stop=stop, **common)
            bound = better_bound(bound, searched.bound)
        return bound

    def _tell(self, parts: list[_Proved]) -> None:
        total = sum(part.value for part in parts)
        self.progress(Event("error bound", self.stop.elapsed(), error_lower_bound=float(total)))
