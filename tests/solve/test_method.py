"""The table of methods, and what it says of them."""

import importlib
import inspect
import subprocess
import sys

import numpy as np
import pytest

import boolfact
from boolfact.control.stop import Stop
from boolfact.datasets import load_dataset
from boolfact.model.bound import Quantity
from boolfact.model.matrix import BinaryMatrix
from boolfact.solve.method import METHODS, Proves, find_method
from solve.tasks import started

SMALL = BinaryMatrix(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=np.int8))
BASELINES = [method.name for method in METHODS.values() if not method.takes_start]


def run(name, matrix, k=2):
    stop = Stop(iteration_limit=2)
    with started(stop, k=k, matrix=matrix) as (task, state, reporter):
        METHODS[name].run(task, state, reporter)
    return state


@pytest.mark.parametrize("name", METHODS)
def test_every_method_runs_by_name(name):
    state = run(name, SMALL)
    assert state.best.rank == 2
    assert state.error == state.best.error(SMALL) <= SMALL.ones_weight


@pytest.mark.parametrize("name", BASELINES)
def test_it_says_truly_what_it_takes(name):
    method = METHODS[name]
    weighted = BinaryMatrix(SMALL.values, 2 * SMALL.weights)
    for matrix, accepted in (
        (weighted, method.takes_weights),
        (load_dataset("votes_missing"), method.takes_missing),
    ):
        if accepted:
            assert run(name, matrix).best.rank == 2
        else:
            with pytest.raises(ValueError, match=f"{name} cannot take"):
                run(name, matrix)


def test_options_are_arguments_of_factorize():
    known = set(inspect.signature(boolfact.factorize).parameters)
    for method in METHODS.values():
        assert set(method.options) <= known


@pytest.mark.parametrize("name", BASELINES)
def test_a_heuristic_has_the_options_of_its_function(name):
    function = getattr(importlib.import_module(f"boolfact.baselines.{name}"), name)
    parameters = inspect.signature(function).parameters
    wanted = {"seed" if p == "seed" else "time_limit" for p in ("seed", "stop") if p in parameters}
    assert set(METHODS[name].options) == wanted


@pytest.mark.parametrize("name", METHODS)
def test_it_says_truly_what_it_proves(name):
    if name == "compact":
        matrix = SMALL
    else:
        matrix = BinaryMatrix(np.random.default_rng(0).integers(0, 2, (12, 9)).astype(np.int8))
    with started(Stop(iteration_limit=3), k=2, matrix=matrix, bound="error") as (task, state, told):
        METHODS[name].run(task, state, told)
    if name == "exact":
        # Whichever it is asked to minimise, and that one alone: the error by default.
        assert set(state.bounds) == {Quantity.ERROR}
        assert METHODS[name].proves == "error or objective"
        return
    on = " and ".join(sorted(quantity.value for quantity in state.bounds))
    assert (on or "nothing") == METHODS[name].proves


def test_only_methods_that_take_weights_get_a_merged_matrix():
    assert all(method.takes_weights for method in METHODS.values() if method.merges)


def test_each_has_a_description_of_one_line():
    for name, method in METHODS.items():
        assert method.name == name
        assert 10 < len(method.description) < 90
        assert "\n" not in method.description
    assert METHODS["auto"].proves is Proves.BOTH


def test_an_unknown_name_is_refused():
    with pytest.raises(ValueError, match=r"method must be one of auto, local.*, got 'magic'"):
        find_method("magic")


def test_the_table_itself_is_light():
    code = (
        "import sys, boolfact.solve.method;"
        "print([n for n in ('numba', 'highspy', 'sklearn', 'scipy') if n in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_the_names_can_be_listed_after_a_run():
    assert boolfact.factorize([[1, 0], [0, 1]], 1, method="asso").k == 1
    assert boolfact.methods() == list(METHODS)
