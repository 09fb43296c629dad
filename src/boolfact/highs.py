"""HiGHS: the one file that imports highspy. Options, statuses, retries, interruption."""

from __future__ import annotations

import enum
import math
import threading
from dataclasses import dataclass
from typing import Any

import highspy
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from boolfact.control.ending import Ending
from boolfact.control.stop import Stop

__all__ = [
    "IntegerProgram",
    "IntegerSolution",
    "RowProgram",
    "SolveStatus",
    "SolverLostError",
    "new_solver",
    "run",
    "solve_integer",
]

_SECONDS_BETWEEN_LOOKS = 0.05
_SECONDS_TO_END = 15.0
"""What HiGHS may take to notice that it is to end; then it is left alone."""
_SHORT_SOLVE = 500
"""Simplex iterations that a Ctrl-C may wait for: such a solve needs no thread of its own.

Not seconds, so what is found does not depend on the clock.
"""


class SolverLostError(RuntimeError):
    """A solve does not end though it was told to: nothing of its solver may be touched again."""


class SolveStatus(enum.Enum):
    """How a solve ended, in our words."""

    OPTIMAL = "optimal"
    INFEASIBLE = "infeasible"
    UNBOUNDED = "unbounded"
    TIME_LIMIT = "time limit"
    WORK_LIMIT = "work limit"
    """Of iterations, nodes or solutions, or a value that is good enough."""
    INTERRUPTED = "interrupted"
    FAILED = "failed"

    @property
    def is_limit(self) -> bool:
        """Whether a limit ended it, with work left to do."""
        return self in (SolveStatus.TIME_LIMIT, SolveStatus.WORK_LIMIT)

    @property
    def ending(self) -> Ending:
        """The same in the words of the package; what HiGHS calls optimal proves nothing."""
        return _ENDING[self]


_ENDING = {
    SolveStatus.OPTIMAL: Ending.DONE,
    SolveStatus.INFEASIBLE: Ending.DONE,
    SolveStatus.UNBOUNDED: Ending.DONE,
    SolveStatus.TIME_LIMIT: Ending.TIME_LIMIT,
    SolveStatus.WORK_LIMIT: Ending.ITERATION_LIMIT,
    SolveStatus.INTERRUPTED: Ending.INTERRUPTED,
    SolveStatus.FAILED: Ending.STALLED,
}


_STATUS = {
    highspy.HighsModelStatus.kOptimal: SolveStatus.OPTIMAL,
    highspy.HighsModelStatus.kModelEmpty: SolveStatus.OPTIMAL,
    highspy.HighsModelStatus.kInfeasible: SolveStatus.INFEASIBLE,
    highspy.HighsModelStatus.kUnbounded: SolveStatus.UNBOUNDED,
    highspy.HighsModelStatus.kUnboundedOrInfeasible: SolveStatus.UNBOUNDED,
    highspy.HighsModelStatus.kObjectiveBound: SolveStatus.WORK_LIMIT,
    highspy.HighsModelStatus.kObjectiveTarget: SolveStatus.WORK_LIMIT,
    highspy.HighsModelStatus.kTimeLimit: SolveStatus.TIME_LIMIT,
    highspy.HighsModelStatus.kIterationLimit: SolveStatus.WORK_LIMIT,
    highspy.HighsModelStatus.kSolutionLimit: SolveStatus.WORK_LIMIT,
    highspy.HighsModelStatus.kInterrupt: SolveStatus.INTERRUPTED,
}
"""Everything else (unknown, not set, errors) is FAILED."""


_LOST: list[highspy.Highs] = []
"""Solvers that go on: their threads would crash if they were taken away."""


def new_solver(**options: Any) -> highspy.Highs:
    """A silent solver with one thread: HiGHS cannot change that later, we run several."""
    solver = highspy.Highs()
    for name, value in {"output_flag": False, "threads": 1, **options}.items():
        if solver.setOptionValue(name, value) != highspy.HighsStatus.kOk:
            raise ValueError(f"HiGHS does not know option {name} = {value!r}")
    return solver


def run(solver: highspy.Highs, stop: Stop | None = None, *, resumes: bool = False) -> SolveStatus:
    """Solve; once more from scratch if HiGHS ends without knowing how it went.

    With `stop` the time left becomes HiGHS' time limit. The solve runs in a thread of its own
    then, so Ctrl-C reaches Python at once; the solver ends at its next look.

    `resumes` says that a solve goes on where a limit ended it, as the simplex method does for a
    linear program. Then a short solve is done in the thread of the caller: the looks of a
    thread take longer than many a re-solve.

    Raises
    ------
    SolverLostError
        If the solver goes on long after it was told to end.
    MemoryError
        If it had not enough.
    """
    status = _run_once(solver, stop, resumes)
    if status is SolveStatus.FAILED and not (stop is not None and stop.now()):
        solver.clearSolver()
        status = _run_once(solver, stop, resumes)
    return status


def _run_once(solver: highspy.Highs, stop: Stop | None, resumes: bool) -> SolveStatus:
    if stop is None:
        return _status(solver) if _solve(solver) is None else SolveStatus.FAILED
    if resumes and not stop.now():
        _set_time_limit(solver, stop.remaining())
        solver.setOptionValue("simplex_iteration_limit", _SHORT_SOLVE)
        failure = _solve(solver)
        solver.setOptionValue("simplex_iteration_limit", highspy.kHighsIInf)
        status = _status(solver) if failure is None else SolveStatus.FAILED
        if not status.is_limit:
            return status
    _set_time_limit(solver, stop.remaining())
    failure = _run_in_thread(solver, stop)
    status = _status(solver) if failure is None else SolveStatus.FAILED
    if status is SolveStatus.INTERRUPTED and not stop.interrupted:
        # We noticed the end of the time before HiGHS did.
        return SolveStatus.TIME_LIMIT
    return status


def _status(solver: highspy.Highs) -> SolveStatus:
    return _STATUS.get(solver.getModelStatus(), SolveStatus.FAILED)


def _set_time_limit(solver: highspy.Highs, seconds: float) -> None:
    """From now on: HiGHS' clock runs on from one solve to the next."""
    limit = solver.getRunTime() + max(seconds, 1e-3) if math.isfinite(seconds) else math.inf
    solver.setOptionValue("time_limit", limit)


def _solve(solver: highspy.Highs) -> Exception | None:
    """Solve here and now; what went wrong inside HiGHS, if anything did."""
    try:
        solver.run()
    except MemoryError:
        raise
    except Exception as error:
        return error
    return None


def _run_in_thread(solver: highspy.Highs, stop: Stop) -> Exception | None:
    """The same in a thread of its own, which is told to end when it is time to."""
    cancelled = threading.Event()
    failures: list[Exception | None] = []

    def work() -> None:
        try:
            failures.append(_solve(solver))
        except MemoryError as error:
            failures.append(error)

    def look(event: Any) -> None:
        if cancelled.is_set():
            event.interrupt()

    looks = (solver.cbMipInterrupt, solver.cbSimplexInterrupt, solver.cbIpmInterrupt)
    for place in looks:
        place.subscribe(look)
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        while thread.is_alive() and not stop.now():
            thread.join(_SECONDS_BETWEEN_LOOKS)
    finally:
        cancelled.set()
        thread.join(_SECONDS_TO_END)
        if thread.is_alive():
            raise SolverLostError("HiGHS goes on though it was told to end")
        for place in looks:
            place.unsubscribe(look)
    if isinstance(failures[0], MemoryError):
        raise failures[0]
    return failures[0]


def _point(solver: highspy.Highs) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Values of the columns and duals of the rows, whatever they are worth."""
    solution = solver.getSolution()
    return np.asarray(solution.col_value), np.asarray(solution.row_dual)


@dataclass(frozen=True, eq=False)
class IntegerProgram:
    """Minimise cost'x over lower <= x <= upper, row_lower <= rows x <= row_upper."""

    cost: NDArray[np.float64]
    rows: sparse.csr_matrix
    row_lower: NDArray[np.float64]
    row_upper: NDArray[np.float64]
    upper: NDArray[np.float64]
    integer: NDArray[np.bool_]
    lower: NDArray[np.float64] | None = None


@dataclass(frozen=True, eq=False)
class IntegerSolution:
    """The best point found (None if there is none) and the bound that HiGHS claims."""

    status: SolveStatus
    x: NDArray[np.float64] | None
    bound: float
    nodes: int


def solve_integer(
    program: IntegerProgram,
    *,
    start: NDArray[np.float64] | None = None,
    stop: Stop | None = None,
    absolute_gap: float = 1e-6,
    **options: Any,
) -> IntegerSolution:
    """Solve a mixed integer program, from a feasible point if one is given.

    The caller should recompute objectives from x: HiGHS works to tolerances.
    """
    solver = new_solver(mip_rel_gap=0.0, mip_abs_gap=absolute_gap, **options)
    solver.passModel(_model(program))
    if start is not None:
        solution = highspy.HighsSolution()
        solution.col_value = list(map(float, start))
        solver.setSolution(solution)
    try:
        status = run(solver, stop)
    except SolverLostError:
        _LOST.append(solver)
        return IntegerSolution(SolveStatus.FAILED, None, -math.inf, 0)
    info = solver.getInfo()
    found = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    x = _point(solver)[0] if found else None
    if x is not None and not (len(x) == len(program.cost) and np.isfinite(x).all()):
        x = None
    bound = -math.inf if status is SolveStatus.FAILED else float(info.mip_dual_bound)
    return IntegerSolution(status, x, bound, max(0, int(info.mip_node_count)))


def _model(program: IntegerProgram) -> highspy.HighsLp:
    rows = sparse.csr_matrix(program.rows)
    lp = highspy.HighsLp()
    lp.num_row_, lp.num_col_ = rows.shape
    lp.col_cost_ = np.asarray(program.cost, dtype=np.float64)
    lower = np.zeros(rows.shape[1]) if program.lower is None else program.lower
    lp.col_lower_, lp.col_upper_ = np.asarray(lower, float), np.asarray(program.upper, float)
    lp.row_lower_ = np.asarray(program.row_lower, dtype=np.float64)
    lp.row_upper_ = np.asarray(program.row_upper, dtype=np.float64)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_, lp.a_matrix_.index_ = rows.indptr, rows.indices
    lp.a_matrix_.value_ = rows.data.astype(np.float64)
    kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
    lp.integrality_ = [kinds[int(flag)] for flag in program.integer]
    return lp


class RowProgram:
    """Minimise cost'x over 0 <= x <= upper and rows x <= limits; rows come and go.

    Each solve goes on from the last basis (`simplex`), or starts anew without crossover
    (`ipm`). `optimal` says whether the last one ended at an optimal point.
    """

    def __init__(
        self, cost: NDArray[np.float64], upper: NDArray[np.float64], method: str = "simplex"
    ) -> None:
        self._method = method
        self.optimal = False
        self._solver = new_solver(solver=method, run_crossover="off")
        self._columns, self._rows, self._lost = len(cost), 0, False
        size = len(cost)
        upper = np.where(np.isinf(upper), highspy.kHighsInf, upper)
        self._solver.addVars(size, np.zeros(size), upper)
        self._solver.changeColsCost(size, np.arange(size, dtype=np.int32), cost)

    def add_rows(self, rows: sparse.csr_matrix, limits: NDArray[np.float64]) -> None:
        """Add rows x <= limits below the others."""
        self._rows += len(limits)
        if self._lost:
            return
        lower = np.full(len(limits), -highspy.kHighsInf)
        self._solver.addRows(
            len(limits),
            lower,
            np.asarray(limits, dtype=np.float64),
            rows.nnz,
            rows.indptr[:-1].astype(np.int32),
            rows.indices.astype(np.int32),
            rows.data.astype(np.float64),
        )

    def delete_rows(self, which: NDArray[np.bool_]) -> None:
        """Delete the rows where `which` is true; the others keep their order."""
        gone = np.flatnonzero(which).astype(np.int32)
        self._rows -= len(gone)
        if len(gone) and not self._lost:
            self._solver.deleteRows(len(gone), gone)

    def solve(self, stop: Stop | None = None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """x and the duals of the rows, as far as the solver got.

        Without crossover the interior point method at times ends not knowing whether it is
        there; then the simplex method decides.
        """
        if not self._lost:
            try:
                return self._solved(stop)
            except SolverLostError:
                self._lost = True
                _LOST.append(self._solver)
        self.optimal = False
        return np.zeros(self._columns), np.zeros(self._rows)

    def _solved(self, stop: Stop | None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        status = run(self._solver, stop, resumes=self._method == "simplex")
        if status is SolveStatus.FAILED and self._method != "simplex":
            self._solver.clearSolver()
            self._solver.setOptionValue("solver", "simplex")
            status = run(self._solver, stop)
            self._solver.setOptionValue("solver", self._method)
        self.optimal = status is SolveStatus.OPTIMAL
        x, duals = _point(self._solver)
        if len(duals) != self._rows:
            duals = np.zeros(self._rows)
        if len(x) != self._columns:
            x = np.zeros(self._columns)
        return np.nan_to_num(x), np.nan_to_num(duals)
