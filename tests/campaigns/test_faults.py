"""A short slice of the faults, which the campaign injects for as long as wanted."""

import dataclasses
import os
import random

import pytest

import boolfact
from boolfact.certificate import verify_result
from boolfact.control.ending import Ending
from campaigns import faults

pytestmark = pytest.mark.skipif(os.name != "posix", reason="limits files as POSIX systems do")


@pytest.mark.parametrize("kind", ["memory", "solver"])
@pytest.mark.parametrize("seed", range(6))
def test_a_fault_leaves_what_is_true(kind, seed):
    assert faults.one_round(kind, random.Random(f"test {seed}"))[1] == []


@pytest.mark.parametrize("kind", sorted(set(faults.KINDS) - {"memory", "solver"}))
def test_commands_leave_what_was_there_or_what_is_whole(kind):
    assert faults.one_round(kind, random.Random(2))[1] == []


def test_memory_that_runs_out_late_leaves_the_best_so_far():
    X = boolfact.planted(12, 9, 3, noise=0.1, seed=0).matrix

    def fit():
        return boolfact.factorize(
            X, 3, method="auto", iteration_limit=6, time_limit=None, workers=1
        )

    fit()  # loads what is loaded when it is first needed
    with faults.OutOfMemory(10**9) as counter:
        fit()
    calls = 10**9 - counter.left
    with (
        pytest.warns(UserWarning, match="memory ran out after .* best solution so far"),
        faults.OutOfMemory(calls // 2) as fault,
    ):
        result = fit()
    assert fault.raised == 1
    assert result.ending is Ending.OUT_OF_MEMORY
    assert result.error == result.factors.error(X) < X.n_ones
    assert verify_result(result, X).ok


def test_what_is_wrong_is_found():
    X = boolfact.as_matrix([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    result = boolfact.factorize(X, 1, method="k_greedy")
    assert faults.wrong_with(result, X, 1, result.error) == []
    false = dataclasses.replace(result, error=result.error - 1)
    assert f"truly {result.error}" in faults.wrong_with(false, X, 1, 0)[0]
