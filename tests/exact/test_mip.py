import json
from fractions import Fraction

import numpy as np
import pytest

from boolfact.certificate import make_certificate, verify_certificate
from boolfact.control.ending import Ending
from boolfact.control.executor import ThreadExecutor
from boolfact.control.stop import Stop
from boolfact.exact.checkpoint import read_checkpoint, resume, write_checkpoint
from boolfact.exact.mip import MipProblem
from boolfact.exact.proof import tree_bound
from boolfact.exact.search import Limits, Search
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix

import naive
from exact_instances import reduced_instance


def begin(matrix, k, rho):
    return Search(MipProblem(matrix, k, rho), Factors.empty(matrix.shape, k))


def check(seed, largest, most):
    """The optimum is that of brute force, and the certificate proves it."""
    made = reduced_instance(seed, largest, most)
    if made is None:
        return
    reduction, k, rho = made
    search = begin(reduction.matrix, k, rho)
    assert search.run(Stop()) is Ending.PROVED
    original = reduction.original
    values = np.where(original.weights > 0, original.values, -1)
    best = naive.best_by_sets(values, original.weights, k, rho)
    assert search.value == search.bound == best
    assert reduction.lift(search.best).objective(original, rho) == best
    bound = tree_bound(search, k, f"MLP({rho})", rho)
    if bound is not None:
        certificate = json.loads(json.dumps(make_certificate(reduction, k, [bound])))
        report = verify_certificate(certificate, original)
        assert report.complete, report.checks
        assert [proved.rounded for proved in report.bounds] == [best]


@pytest.mark.parametrize("seed", range(100))
def test_the_optimum_is_that_of_brute_force(seed):
    check(seed, largest=4, most=2)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 2000))
def test_the_optimum_is_that_of_brute_force_on_many(seed):
    check(seed, largest=5, most=3)


def with_a_gap():
    """All but a diagonal: a tree with splits of every type."""
    values = np.ones((5, 5), dtype=np.int8)
    np.fill_diagonal(values, 0)
    return BinaryMatrix(values, np.where(values == 1, 1, 2))


def test_named_rectangles_are_needed_and_lead_to_the_end():
    matrix = with_a_gap()
    search = begin(matrix, 2, 1)
    assert search.run(Stop()) is Ending.PROVED
    assert search.value == naive.best_by_sets(matrix.values, matrix.weights, 2, 1)
    kinds = {record.split[0] for record in search.tree.records if record.split}
    assert kinds == {"entry", "owner", "row", "column"}


def test_the_tree_does_not_depend_on_the_workers():
    found = []
    for workers in (1, 2):
        search = begin(with_a_gap(), 2, 1)
        with ThreadExecutor(workers) as executor:
            search.run(Stop(), executor, limits=Limits(nodes=12))
        found.append(
            [(r.parent, r.outcome, r.bound, r.proof, r.split) for r in search.tree.records]
        )
    assert found[0] == found[1]


def test_a_search_that_goes_on_from_files_ends_with_the_same_answer(tmp_path):
    matrix = with_a_gap()
    about = {"digest": matrix.digest(), "k": 2, "objective": "mip", "rho": "1"}
    for nodes in range(5, 1000, 5):
        search = begin(matrix, 2, 1)
        if nodes > 5:
            resume(search, read_checkpoint(tmp_path / "x", about))
        ending = search.run(Stop(), limits=Limits(nodes=nodes))
        write_checkpoint(tmp_path / "x", search, about)
        assert search.bound <= naive.best_by_sets(matrix.values, matrix.weights, 2, 1)
        if ending is Ending.PROVED:
            break
    assert search.value == search.bound == naive.best_by_sets(matrix.values, matrix.weights, 2, 1)


def test_an_evaluation_cut_short_keeps_the_node():
    search = begin(with_a_gap(), 2, Fraction(1))
    stop = Stop()
    stop.interrupt()
    evaluated = search.problem.evaluate(search.tree.node(0), search.value, stop, None)
    assert not evaluated.complete
