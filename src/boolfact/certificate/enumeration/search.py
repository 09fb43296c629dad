"""The verifier's own proof that no factorisation of rank k has an error below E.

Let a *point* be prices and charges of an assigned cover of the whole matrix, V(b) what the best
rectangle with the columns b is worth there, and J(T) what a group T of sets can be worth. For a
factorisation with the sets b_1, ..., b_k, some of them perhaps empty or equal, divided into groups,

    scale * error >= sum(p) - sum of J over the groups.

For, give every covered one to one group that covers it: a covered zero pays for every one at most
once, as in the proof of assigned cover. With an error of at most E - 1 the groups are therefore
worth at least need = sum(p) - scale (E - 1).

1. With each set a group: V(b_1) + ... + V(b_k) >= need, so each V(b_l) >= need - (k - 1) omega,
   if no set is worth more than omega. A walk through all sets at the first point lists them.
2. If all sets of such a factorisation are among some, the same holds at every point with the
   largest V of these in place of omega. That leaves fewer, until nothing changes.
3. With some sets in groups of two: the V of all sets less the deficits V(u) + V(v) - J(u, v) of
   the pairs come to need. All choices of k sets, with repetition, for which they do are tried.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from boolfact.certificate.cover.listing import list_sets
from boolfact.certificate.cover.part import Part
from boolfact.certificate.cover.search import is_too_large
from boolfact.certificate.enumeration.choices import CHOICES, NODES, make_choices, try_choices
from boolfact.certificate.enumeration.weighing import (
    APART,
    Scales,
    make_scales,
    pair_deficits,
    worths_by_block,
)
from boolfact.certificate.reading import MOST_WHOLE
from boolfact.certificate.search import Answer

__all__ = ["MOST_LISTED", "MOST_RANK", "MOST_SETS", "Finding", "prove_error_at_least"]

Report = Callable[[int], None]

MOST_RANK = 12
"""The true error of a choice takes two to this power codes."""
MOST_LISTED = 2_000_000
"""Sets that are kept at the first point."""
MOST_SETS = 12_000
"""Sets of which all pairs are weighed: the table takes 300 MB."""
_MOST_NUMBERS = 2**25
"""Codes times rows, and sets times blocks, in numbers of 8 bytes."""
_SETS_PER_CALL, _PAIRS_PER_CALL, _WORK_BUDGET = 500, 200, 60_000_000


@dataclass
class Finding:
    """How far an attempt to prove error >= E came.

    Attributes
    ----------
    answer : Answer
        PROVED, REFUTED (see `worth` and `error`), or OPEN (see `reason`).
    reason : str
        What was open, and why.
    omega_holds : bool
        Whether no set is worth more at the first point than it says.
    worth : int or None
        REFUTED: what a set is worth, more than the first point says.
    error : int or None
        REFUTED: the error of a factorisation, below E.
    nodes, listed, sets, choices : int
        Of the walk; sets left by the first point and by all; choices of k of them that were tried.
    """

    answer: Answer = Answer.OPEN
    reason: str = ""
    omega_holds: bool = False
    worth: int | None = None
    error: int | None = None
    nodes: int = 0
    listed: int = 0
    sets: int = 0
    choices: int = 0


def prove_error_at_least(
    points: Sequence[Part],
    gains: NDArray[np.int64],
    k: int,
    error: int,
    *,
    deadline: float = math.inf,
    report: Report | None = None,
) -> Finding:
    """Prove that every factorisation of rank k has at least this error, or find one that has less.

    Parameters
    ----------
    points : sequence of Part
        Each of the whole matrix, the first with a price. The omega of the others is not used.
    gains : ndarray of int64, shape (n, m)
        The weight of a one, minus that of a zero, 0 where an entry is missing.
    k, error : int
    deadline : float
        On the clock of `time.monotonic`.
    report : callable, optional
        Called now and then with the number of sets, pairs and choices looked at.
    """
    search = _Search(list(points), gains, k, error, deadline, report or (lambda nodes: None))
    search.run()
    return search.finding


@dataclass
class _Search:
    points: list[Part]
    gains: NDArray[np.int64]
    k: int
    error: int
    deadline: float
    report: Report
    finding: Finding = field(default_factory=Finding)
    done: int = 0

    def run(self) -> None:
        reason = self._too_large()
        if reason:
            self.finding.reason = reason
            return
        sets = self._listed()
        if sets is None:
            return
        scales = [make_scales(point.duals) for point in self.points]
        sets = self._left(scales, sets)
        if sets is None:
            return
        self._try(scales[0], sets)

    def need(self, point: Part) -> int:
        """What the sets of a factorisation with a smaller error are worth; never below 0."""
        return max(0, point.duals.total - (self.error - 1) * point.scale)

    def over(self, what: str) -> bool:
        self.report(self.done)
        if time.monotonic() < self.deadline:
            return False
        self.finding.reason = f"{what} was not finished in the time given"
        return True

    def _too_large(self) -> str:
        n, m = self.gains.shape
        if self.k > MOST_RANK or n << self.k > _MOST_NUMBERS:
            return f"rank {self.k} is too large for a search through the codes of {n} rows"
        if is_too_large(self.points[0].duals, m):
            return f"{m} columns are too many for a walk through their sets"
        if any(8 * self.k * point.duals.total >= MOST_WHOLE for point in self.points):
            return "the prices are too large"
        return ""

    def _listed(self) -> NDArray[np.int64] | None:
        """Step 1; None if it was not finished, or found that omega is false."""
        first, finding = self.points[0], self.finding
        least = self.need(first) - (self.k - 1) * first.omega_bound
        # Any set that is worth more than omega must be met, too.
        limit = min(max(-1, least - 1), first.omega_bound)
        listing = list_sets(
            first.duals, limit, most=MOST_LISTED, deadline=self.deadline, report=self.report
        )
        finding.nodes = self.done = listing.nodes
        if len(listing.worths) and listing.worths.max() > first.omega_bound:
            finding.answer, finding.worth = Answer.REFUTED, int(listing.worths.max())
            return None
        if not listing.complete:
            if len(listing.sets) > MOST_LISTED:
                finding.reason = f"more than {MOST_LISTED:,} sets are left by the first point"
            else:
                self.finding.reason = "the walk through all sets was not finished in the time given"
            return None
        finding.omega_holds = True
        sets = listing.sets[listing.worths >= least]
        finding.listed = finding.sets = len(sets)
        return np.sort(sets)

    def _left(self, scales: list[Scales], sets: NDArray[np.int64]) -> NDArray[np.int64] | None:
        """Step 2; None if it was not finished."""
        waiting = list(range(1, len(scales)))
        known: dict[int, NDArray[np.int64]] = {}
        while waiting and len(sets):
            u = waiting.pop(0)
            if u not in known:
                worths = self._worths(scales[u], sets)
                if worths is None:
                    return None
                known[u] = worths.sum(axis=1)
            worths = known[u]
            kept = worths >= self.need(self.points[u]) - (self.k - 1) * int(worths.max())
            if not kept.all():
                sets = sets[kept]
                known = {v: there[kept] for v, there in known.items()}
                waiting = [v for v in range(len(scales)) if v != u] + [u]
            self.finding.sets = len(sets)
        return sets

    def _worths(self, scales: Scales, sets: NDArray[np.int64]) -> NDArray[np.int64] | None:
        """What each set is worth in each block; None if it takes too long or too much."""
        blocks = len(scales.block_start) - 1
        if len(sets) * blocks > 4 * _MOST_NUMBERS:
            self.finding.reason = f"{len(sets):,} sets are too many to weigh in {blocks} blocks"
            return None
        out = np.zeros((len(sets), blocks), dtype=np.int64)
        for u in range(0, len(sets), _SETS_PER_CALL):
            if self.over("weighing the sets"):
                return None
            some = slice(u, u + _SETS_PER_CALL)
            worths_by_block(scales, sets[some], out[some])
            self.done += len(out[some])
        return out

    def _try(self, scales: Scales, sets: NDArray[np.int64]) -> None:
        """Step 3."""
        if len(sets) > MOST_SETS:
            self.finding.reason = (
                f"{len(sets):,} sets of columns are left, more than the {MOST_SETS:,} of which all "
                "pairs are weighed"
            )
            return
        by_block = self._worths(scales, sets)
        if by_block is None:
            return
        worths = by_block.sum(axis=1)
        order = np.argsort(-worths, kind="stable")
        sets, by_block = sets[order], np.ascontiguousarray(by_block[order])
        best = int(worths.max(initial=0))
        short = best - worths[order]
        room = self.k * best - self.need(self.points[0])
        if len(sets) and room >= 0:
            unit = room // (APART - 2) + 1
            deficits = self._deficits(scales, sets, by_block, short, room, unit)
            if deficits is None or not self._choose(sets, short // unit, deficits, room // unit):
                return
        if self.finding.answer is Answer.OPEN:
            self.finding.answer = Answer.PROVED

    def _deficits(
        self,
        scales: Scales,
        sets: NDArray[np.int64],
        by_block: NDArray[np.int64],
        short: NDArray[np.int64],
        room: int,
        unit: int,
    ) -> NDArray[np.uint16] | None:
        """The table of all pairs, a set with itself among them; None if it was not finished."""
        N = len(sets)
        table = np.full((N, N), APART, dtype=np.uint16)
        for u in range(N):
            for first in range(u, N, _PAIRS_PER_CALL):
                if self.over("weighing pairs of sets"):
                    return None
                last = min(N, first + _PAIRS_PER_CALL)
                pair_deficits(scales, sets, by_block, short, u, first, last, room, unit, table[u])
                self.done += last - first
            table[u:, u] = table[u, u:]
        return table

    def _choose(
        self,
        sets: NDArray[np.int64],
        short: NDArray[np.int64],
        deficits: NDArray[np.uint16],
        room: int,
    ) -> bool:
        """Whether all choices were tried, or one has a smaller error."""
        gains = np.ascontiguousarray(self.gains.T)
        search = make_choices(sets, short, deficits, k=self.k, room=room, gains=gains)
        before, finished = self.done, False
        while not finished:
            if self.over("trying choices of sets"):
                return False
            finished = bool(try_choices(search, _WORK_BUDGET))
            self.done = before + int(search.state[NODES])
            self.finding.choices = int(search.state[CHOICES])
            if search.least < self.error:
                self.finding.answer, self.finding.error = Answer.REFUTED, search.least
                return True
        return True
