"""Factorisations for k = 1, 2, ..., each started from those of its neighbours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from boolfact.control.executor import Executor, came_before, make_executor
from boolfact.control.progress import Event, Progress, silent
from boolfact.control.stop import Stop
from boolfact.local_search import local_search
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.rectangles import RectanglePool
from boolfact.model.reduction import Reduction, reduce_matrix
from boolfact.results.patterns import describe_patterns, order_patterns

__all__ = ["PathSolver", "Slices"]


class Slices:
    """Equal parts of what is left of a phase: a slow step leaves less to the others."""

    def __init__(self, stop: Stop, steps: int) -> None:
        self.stop, self.steps = stop, steps

    def next(self) -> Stop:
        """The stop of the next step."""
        part = 1 / max(1, self.steps)
        self.steps -= 1
        return self.stop.share(part)


class PathSolver:
    """Factorisations for all ranks of one matrix, each started from those of its neighbours.

    Parameters
    ----------
    matrix : BinaryMatrix
    iteration_limit : int, optional
    executor : Executor
        Of this process.
    progress, stop
    anywhere : Executor, optional
        Where searches are run; `executor` by default.
    """

    def __init__(
        self,
        matrix: BinaryMatrix,
        iteration_limit: int | None,
        executor: Executor,
        progress: Progress,
        stop: Stop,
        anywhere: Executor | None = None,
    ) -> None:
        self.matrix, self.iteration_limit = matrix, iteration_limit
        self.executor, self.progress, self.stop = executor, progress, stop
        self.anywhere = anywhere or executor
        self.total = stop.remaining()

    def solve(
        self,
        max_rank: int,
        seed: int,
        share: float,
        matrix: BinaryMatrix | None = None,
        what: str = "path",
    ) -> list[Factors]:
        """Up the ranks and down again; `share` is the part of the time limit to use.

        Ranks whose turn does not come before the stop are left out.
        """
        reduction = reduce_matrix(self.matrix if matrix is None else matrix)
        pool = RectanglePool(*reduction.matrix.shape)
        phase = Slices(self.stop.share(share, self.total), 2 * max_rank - 1)
        found: list[Factors] = []
        for k in range(1, max_rank + 1):
            if found and self.stop.now():
                break
            start = found[-1].padded(k) if found else None
            found.append(self._one(reduction, k, [start], pool, seed, phase.next()))
            self.say(what, k, found[-1].error(reduction.matrix))
        for k in range(len(found) - 1, 0, -1):
            above = order_patterns(found[k], reduction.matrix)
            gains = [p.gain for p in describe_patterns(above, reduction.matrix)]
            keep = np.delete(np.arange(k + 1), int(np.argmin(gains)))
            fewer = Factors(above.A[:, keep], above.B[keep])
            starts = [found[k - 1], fewer]
            found[k - 1] = self._one(reduction, k, starts, pool, seed + 1, phase.next())
            self.say(what, k, found[k - 1].error(reduction.matrix))
        for k in range(1, len(found)):
            if found[k - 1].error(reduction.matrix) < found[k].error(reduction.matrix):
                found[k] = found[k - 1].padded(k + 1)
        return [reduction.lift(factors) for factors in found]

    def solve_all(
        self, max_rank: int, share: float, problems: Sequence[tuple[int, BinaryMatrix | None, str]]
    ) -> Iterator[list[Factors]]:
        """The same for each of several seeds and matrices, which share the time.

        Those whose turn does not come before the stop are left out. Where memory is not shared
        all of them are begun at once, as tasks, and each has its part of the time.
        """
        each = share / max(1, len(problems))
        if self.anywhere.shares_memory:
            for seed, matrix, what in problems:
                if self.stop.now():
                    return
                yield self.solve(max_rank, seed, each, matrix, what)
            return
        rounds = -(-len(problems) // self.anywhere.workers)
        phase = self.stop.share(share / max(1, rounds), self.total)
        futures = [
            self.anywhere.submit(
                _solve_alone,
                self.matrix if matrix is None else matrix,
                self.iteration_limit,
                max_rank,
                seed,
                phase,
            )
            for seed, matrix, _ in problems
        ]
        for future, (_, _, what) in zip(futures, problems, strict=True):
            if not came_before(self.stop, future) and not future.done():
                return
            self.progress(Event(f"{what}, done", self.stop.elapsed()))
            yield future.result()

    def say(self, what: str, k: int, error: int) -> None:
        """Errors of different ranks are no progress of one run: they go into the words."""
        self.progress(Event(f"{what}, k = {k}, error {error}", self.stop.elapsed()))

    def _one(
        self,
        reduction: Reduction,
        k: int,
        starts: Sequence[Factors | None],
        pool: RectanglePool,
        seed: int,
        part: Stop,
    ) -> Factors:
        known = [start for start in starts if start is not None]
        if k >= min(reduction.matrix.shape):
            return Factors.reproducing(reduction.matrix).padded(k)
        best = min(known, key=lambda f: f.error(reduction.matrix), default=None)
        if best is not None and (best.error(reduction.matrix) == 0 or self.stop.now()):
            return best
        return local_search(
            reduction.matrix,
            k,
            stop=part.child(None, self.iteration_limit, target=0),
            seed=seed,
            executor=self.anywhere,
            start=known,
            pool=pool,
        ).factors


def _solve_alone(
    matrix: BinaryMatrix, iteration_limit: int | None, max_rank: int, seed: int, stop: Stop
) -> list[Factors]:
    """All ranks, on a worker that knows nothing else."""
    with make_executor(1) as executor:
        return PathSolver(matrix, iteration_limit, executor, silent, stop).solve(
            max_rank, seed, 1.0
        )
