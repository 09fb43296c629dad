import json

import numpy as np
import pytest

from boolfact.certificate import make_certificate, verify_certificate
from boolfact.control.ending import Ending
from boolfact.control.executor import ThreadExecutor
from boolfact.control.stop import Stop
from boolfact.exact.error import ErrorProblem
from boolfact.exact.proof import tree_bound
from boolfact.exact.search import Limits, Search
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix

import naive
from exact_instances import reduced_instance


def begin(matrix, k):
    return Search(ErrorProblem(matrix, k), Factors.empty(matrix.shape, k))


def check(seed, largest, most):
    """The optimum is that of brute force, and the certificate proves it."""
    made = reduced_instance(seed, largest, most)
    if made is None:
        return
    reduction, k, _ = made
    search = begin(reduction.matrix, k)
    assert search.run(Stop()) is Ending.PROVED
    original = reduction.original
    values = np.where(original.weights > 0, original.values, -1)
    best = naive.best_by_sets(values, original.weights, k)
    assert search.value == search.bound == best
    assert reduction.lift(search.best).error(original) == best
    bound = tree_bound(search, k, "assigned cover", None)
    if bound is not None:
        certificate = json.loads(json.dumps(make_certificate(reduction, k, [bound])))
        report = verify_certificate(certificate, original)
        assert report.complete, report.checks
        assert [proved.rounded for proved in report.bounds] == [best]


@pytest.mark.parametrize("seed", range(80))
def test_the_optimum_is_that_of_brute_force(seed):
    check(seed, largest=4, most=2)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 2000))
def test_the_optimum_is_that_of_brute_force_on_many(seed):
    check(seed, largest=5, most=3)


@pytest.mark.parametrize("seed", range(20))
def test_without_assigned_cover_it_ends_too(seed, monkeypatch):
    """As for more columns than it takes: MLP(1/k) and named rectangles alone."""
    monkeypatch.setattr("boolfact.exact.error._MOST_COLUMNS", 0)
    check(seed, largest=3, most=2)


def test_the_tree_does_not_depend_on_the_workers():
    rng = np.random.default_rng(3)
    matrix = BinaryMatrix(rng.integers(0, 2, size=(6, 6)))
    found = []
    for workers in (1, 2):
        search = begin(matrix, 2)
        with ThreadExecutor(workers) as executor:
            search.run(Stop(), executor, limits=Limits(nodes=12))
        found.append(
            [(r.parent, r.outcome, r.bound, r.proof, r.split) for r in search.tree.records]
        )
    assert found[0] == found[1]
