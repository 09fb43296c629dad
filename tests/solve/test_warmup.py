"""Kernels are compiled before the clock starts, once per method and size of k."""

import os
import subprocess
import sys

import numpy as np
import pytest

from boolfact.control.ending import Ending
from boolfact.local_search.problem import make_problem
from boolfact.local_search.weights import zeros_are_dear
from boolfact.model.costs import with_costs
from boolfact.model.matrix import BinaryMatrix
from boolfact.solve import warmup
from boolfact.solve.factorize import factorize
from boolfact.solve.method import METHODS, Method


@pytest.fixture
def runs(monkeypatch):
    """A method that only tells what it was given."""
    given = []

    def run(task, state, reporter):
        given.append(task)
        return Ending.DONE

    monkeypatch.setattr(warmup, "_ready", set())
    monkeypatch.setitem(METHODS, "told", Method("told", "for tests", run))
    return given


def test_once_for_few_patterns_and_once_for_many(runs):
    events = []
    assert warmup.warm_up("told", 3, events.append) > 0
    assert warmup.warm_up("told", 6, events.append) == 0
    assert warmup.warm_up("told", 7, events.append) > 0
    assert warmup.warm_up("told", 40, events.append) == 0
    assert [task.k for task in runs] == [3, 7]
    assert all(max(task.matrix.shape) <= 30 for task in runs)
    assert all(task.stop.iteration_limit == 3 for task in runs)
    # The kernels of every proof that a run may try are there, too.
    assert all(task.bound == "auto" for task in runs)


@pytest.mark.parametrize("cached", [True, False])
def test_whoever_has_to_wait_is_told(runs, monkeypatch, cached):
    events = []
    monkeypatch.setattr(warmup, "_is_cached", lambda: cached)
    warmup.warm_up("told", 3, events.append)
    assert [event.phase for event in events] == ["loading" if cached else "compiling"]


def test_what_a_method_cannot_merge_is_not_merged(runs, monkeypatch):
    monkeypatch.setitem(METHODS, "told", Method("told", "", METHODS["told"].run, merges=False))
    warmup.warm_up("told", 3, lambda event: None)
    assert runs[0].matrix.shape == (30, 20)


def test_the_clock_of_a_run_starts_afterwards(runs, monkeypatch):
    def slow(name, k, progress, matrix):
        warmup.time.sleep(0.3)
        return 0.3

    monkeypatch.setattr("boolfact.solve.factorize.warm_up", slow)
    result = factorize([[1, 0], [0, 1], [1, 1]], 1, method="told", time_limit=0.2)
    assert result.seconds < 0.2
    assert runs[0].stop.reason is None
    assert result.trace.counters["seconds_compiling"] == 0.3


def test_dear_zeros_and_long_numbers_have_examples_of_their_own(runs, monkeypatch):
    able = Method("told", "", METHODS["told"].run, options=("start",))
    monkeypatch.setitem(METHODS, "told", able)
    plain = BinaryMatrix(np.array([[1, 0], [0, 1]]))
    warmup.warm_up("told", 3, lambda event: None, plain)
    assert len(runs) == 1
    warmup.warm_up("told", 3, lambda event: None, with_costs(plain, from_below=True))
    assert [zeros_are_dear(task.matrix) for task in runs] == [False, True]
    large = BinaryMatrix(plain.values, np.array([[2**31, 2**40], [2**40, 1]]))
    warmup.warm_up("told", 3, lambda event: None, large)
    kinds = [
        (zeros_are_dear(task.matrix), make_problem(task.matrix.ones, task.matrix.weights))
        for task in runs[2:]
    ]
    assert [(dear, problem.rows.dtype.name) for dear, problem in kinds] == [
        (False, "int64"),
        (True, "int64"),
    ]


@pytest.mark.parametrize(("columns", "dear"), [(24, [False]), (25, [False, True])])
def test_what_parts_of_a_matrix_call_for_is_there_before_the_clock_starts(
    runs, monkeypatch, columns, dear
):
    """A bound by parts searches each of them, with rows merged and so with weights."""
    monkeypatch.setitem(
        METHODS, "auto", Method("auto", "", METHODS["told"].run, options=("start",))
    )
    X = BinaryMatrix(np.eye(40, columns, dtype=np.int8))
    warmup.warm_up("auto", 3, lambda event: None, X)
    assert [zeros_are_dear(task.matrix) for task in runs] == dear


_WITHOUT_COMPILATION = {
    "a run": """
import boolfact
X = boolfact.as_matrix([[1, 1, 0], [1, 1, 1], [0, 1, 1]])
r = boolfact.factorize(X, 1, time_limit=None, iteration_limit=3, workers=1)
print(r.error, r.error_lower_bound, r.B.astype(int).tolist())
""",
    "data in bits": """
import boolfact, numpy as np
from boolfact.io.rows import as_rows
X = as_rows(np.random.default_rng(0).random((20, 70)) < 0.3)
r = boolfact.factorize(X, 2, time_limit=None, iteration_limit=3, workers=1)
print(r.error, r.error_lower_bound, r.B.astype(int).tolist())
""",
    "kernels with instructions of their own": """
import numpy as np
from boolfact.colgen.cover.minima import LANES, lower_to_listed, take_off
from boolfact.large.lists import lists_of
from boolfact.local_search.xorshift import draw_word, fresh_state
from boolfact.model.packed import PackedMatrix
X = np.zeros((2, 130), dtype=np.int8)
X[0, [0, 5, 63, 64, 129]] = 1
print(lists_of(PackedMatrix.from_dense(X), slice(0, 2)).ones.tolist())
rng = np.random.default_rng(0)
y = rng.integers(-9, 9, (6, LANES)).astype(np.int32)
s = rng.integers(-9, 9, 6).astype(np.int32)
line = rng.integers(0, 6, 6).astype(np.int32)
out = np.zeros((3, LANES), dtype=np.int32)
take_off(y, s, 1, 5, out, 2)
lower_to_listed(y, line, s, 0, 4, out)
lower_to_listed(y, line, s, 3, 3, out)
print(out.tolist())
state = fresh_state(np.random.SeedSequence(0))
print([int(draw_word(state)) for _ in range(5)])
""",
}


@pytest.mark.parametrize("what", _WITHOUT_COMPILATION)
def test_without_compilation_the_answer_is_the_same(what):
    """As with NUMBA_DISABLE_JIT=1, for debugging: kernels are plain functions then."""
    answers = [
        subprocess.run(
            [sys.executable, "-W", "error::RuntimeWarning", "-c", _WITHOUT_COMPILATION[what]],
            env={**os.environ, "NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for disabled in "01"
    ]
    assert answers[0] == answers[1] != ""


def test_on_large_data_the_search_by_samples_is_ready_too(monkeypatch):
    seen = []
    monkeypatch.setattr(warmup, "_ready", set())
    monkeypatch.setattr(warmup, "warm_up_large", lambda rows, k: seen.append((rows.shape, k)))
    rng = np.random.default_rng(0)
    for shape in ((30, 20), (700, 600)):
        matrix = BinaryMatrix((rng.random(shape) < 0.2).astype(np.int8))
        warmup.warm_up("auto", 5, lambda event: None, matrix)
    assert seen == [((64, 600), 5)]
