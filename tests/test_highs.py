"""HiGHS behind its one door: statuses, starts, limits and interruption."""

import threading
import time

import numpy as np
import pytest
from scipy import sparse

from boolfact import highs
from boolfact.control.ending import Ending
from boolfact.control.stop import Stop
from boolfact.highs import IntegerProgram, SolveStatus, new_solver, solve_integer


def knapsack(size=6, room=10.0):
    weights = np.arange(1.0, size + 1)
    return IntegerProgram(
        cost=-(weights**1.5),
        rows=sparse.csr_matrix(weights[None, :]),
        row_lower=np.array([-np.inf]),
        row_upper=np.array([room]),
        upper=np.ones(size),
        integer=np.ones(size, dtype=bool),
    )


def hard_program(size=60, rows=30):
    """Market split: small, and far beyond what branch and bound finishes in seconds."""
    rng = np.random.default_rng(0)
    weights = rng.integers(0, 100, (rows, size)).astype(float)
    wide = sparse.hstack(
        [sparse.csr_matrix(weights), sparse.identity(rows), -sparse.identity(rows)]
    )
    target = np.floor(weights.sum(axis=1) / 2)
    return IntegerProgram(
        cost=np.r_[np.zeros(size), np.ones(2 * rows)],
        rows=sparse.csr_matrix(wide),
        row_lower=target,
        row_upper=target,
        upper=np.r_[np.ones(size), np.full(2 * rows, np.inf)],
        integer=np.arange(size + 2 * rows) < size,
    )


def test_a_small_program_is_solved():
    solution = solve_integer(knapsack())
    assert solution.status is SolveStatus.OPTIMAL
    x = np.round(solution.x)
    assert np.arange(1, 7) @ x <= 10
    assert -(np.arange(1.0, 7) ** 1.5) @ x == pytest.approx(solution.bound)


def test_a_program_without_solution_says_so():
    program = knapsack()
    impossible = IntegerProgram(
        program.cost,
        program.rows,
        np.array([100.0]),
        np.array([np.inf]),
        program.upper,
        program.integer,
    )
    solution = solve_integer(impossible)
    assert solution.status is SolveStatus.INFEASIBLE
    assert solution.x is None


def test_a_start_is_never_lost():
    program = hard_program()
    start = np.r_[np.zeros(60), program.row_lower, np.zeros(30)]
    solution = solve_integer(program, start=start, stop=Stop(time_limit=0.2))
    assert solution.status is SolveStatus.TIME_LIMIT
    assert program.cost @ solution.x <= program.cost @ start + 1e-6
    assert solution.bound <= program.cost @ solution.x + 1e-6


def test_an_interruption_ends_a_solve():
    stop = Stop()
    threading.Timer(0.3, stop.interrupt).start()
    solution = solve_integer(hard_program(), stop=stop)
    assert solution.status is SolveStatus.INTERRUPTED


def test_an_unknown_option_is_refused():
    with pytest.raises(ValueError, match="HiGHS does not know option nonsense = 1"):
        new_solver(nonsense=1)


def test_a_solve_that_ends_unknown_is_tried_again(monkeypatch):
    answers = [SolveStatus.FAILED, SolveStatus.OPTIMAL]
    monkeypatch.setattr(highs, "_run_once", lambda *given: answers.pop(0))
    assert highs.run(new_solver()) is SolveStatus.OPTIMAL
    assert answers == []


def test_a_failed_solve_claims_no_bound(monkeypatch):
    monkeypatch.setattr(highs, "_run_once", lambda *given: SolveStatus.FAILED)
    assert solve_integer(knapsack()).bound == -np.inf


def test_the_time_limit_counts_from_each_solve():
    """HiGHS' own clock runs on; a second solve must still get its time."""
    solver = new_solver()
    solver.passModel(highs._model(knapsack()))
    for _ in range(2):
        time.sleep(0.05)
        assert highs.run(solver, Stop(time_limit=5)) is SolveStatus.OPTIMAL


def linear_program(size=300, rows=200):
    rng = np.random.default_rng(0)
    return IntegerProgram(
        cost=-rng.random(size),
        rows=sparse.csr_matrix(rng.random((rows, size))),
        row_lower=np.full(rows, -np.inf),
        row_upper=np.ones(rows),
        upper=np.ones(size),
        integer=np.zeros(size, dtype=bool),
    )


def solver_of(program):
    solver = new_solver(solver="simplex", presolve="off")
    solver.passModel(highs._model(program))
    return solver


@pytest.mark.parametrize("short", [50, 10_000])
def test_a_simplex_solve_may_begin_in_the_thread_of_the_caller(monkeypatch, short):
    monkeypatch.setattr(highs, "_SHORT_SOLVE", short)
    threads = []
    in_thread = highs._run_in_thread
    monkeypatch.setattr(
        highs, "_run_in_thread", lambda *given: threads.append(1) or in_thread(*given)
    )
    program = linear_program()
    solver, twin = solver_of(program), solver_of(program)
    assert highs.run(twin) is SolveStatus.OPTIMAL
    for stop in (Stop(), Stop(time_limit=60)):
        solver.clearSolver()
        assert highs.run(solver, stop, resumes=True) is SolveStatus.OPTIMAL
        assert solver.getObjectiveValue() == pytest.approx(twin.getObjectiveValue())
    assert len(threads) == (2 if short == 50 else 0)


def test_an_interrupted_stop_is_respected_by_a_solve_that_resumes():
    stop = Stop()
    stop.interrupt()
    solver = solver_of(linear_program(1000, 700))
    assert highs.run(solver, stop, resumes=True) is SolveStatus.INTERRUPTED


def test_every_status_has_an_ending():
    endings = {status: status.ending for status in SolveStatus}
    assert endings[SolveStatus.OPTIMAL] is Ending.DONE
    assert endings[SolveStatus.FAILED] is Ending.STALLED
    assert [status for status in SolveStatus if status.ending.is_limit] == [
        SolveStatus.TIME_LIMIT,
        SolveStatus.WORK_LIMIT,
        SolveStatus.INTERRUPTED,
    ]


def fails(solver):
    return RuntimeError("a fault")


def runs_out_of_memory(solver):
    raise MemoryError


@pytest.mark.parametrize("stop", [None, Stop()])
def test_a_solver_that_fails_has_no_solution_and_no_bound(monkeypatch, stop):
    monkeypatch.setattr(highs, "_solve", fails)
    solution = solve_integer(knapsack(), stop=stop)
    assert (solution.status, solution.x, solution.bound) == (SolveStatus.FAILED, None, -np.inf)


@pytest.mark.parametrize("stop", [None, Stop()])
def test_memory_that_runs_out_in_the_solver_is_told_to_the_caller(monkeypatch, stop):
    monkeypatch.setattr(highs, "_solve", runs_out_of_memory)
    with pytest.raises(MemoryError):
        solve_integer(knapsack(), stop=stop)


def test_a_solver_that_does_not_end_is_left_alone(monkeypatch):
    release = threading.Event()
    monkeypatch.setattr(highs, "_solve", lambda solver: release.wait(60) and None)
    monkeypatch.setattr(highs, "_SECONDS_TO_END", 0.05)
    try:
        solution = solve_integer(knapsack(), stop=Stop(time_limit=0.1))
        assert (solution.status, solution.x) == (SolveStatus.FAILED, None)
        program = highs.RowProgram(np.ones(2), np.ones(2), "ipm")
        program.add_rows(sparse.csr_matrix(np.eye(2)), np.ones(2))
        for _ in range(2):
            x, duals = program.solve(Stop(time_limit=0.1))
            assert not program.optimal
            assert (x.tolist(), duals.tolist()) == ([0, 0], [0, 0])
        program.add_rows(sparse.csr_matrix(np.eye(2)), np.ones(2))
        program.delete_rows(np.array([True, False, False, False]))
        assert len(program.solve()[1]) == 3
    finally:
        release.set()
