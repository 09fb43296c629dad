"""Enumerations against brute force: what is proved is the optimum, whatever they begin with."""

from __future__ import annotations

import json

import pytest

from boolfact.certificate import make_certificate, verify_certificate
from boolfact.certificate.document import seal
from boolfact.colgen.cover.grow import CoverSettings, bound_by_cover
from boolfact.control.ending import Ending
from boolfact.control.executor import make_executor
from boolfact.control.stop import Stop
from boolfact.datasets import planted
from boolfact.enumeration.search import MOST_RANK, EnumerationSettings, enumerate_sets
from boolfact.model.factors import Factors
from boolfact.model.reduction import reduce_matrix

import naive
from exact_instances import reduced_instance

WEAK = CoverSettings(sizes=(1,))
"""Single rows only: a gap is left."""


def begin(matrix, k, settings=WEAK, iterations=40):
    """Prices of assigned cover, and on which side; None where the bound is on several parts."""
    stop = Stop(iteration_limit=iterations)
    bound = bound_by_cover(matrix, k, stop=stop, settings=settings).bound
    if bound is None or len(bound.proof.parts) != 1:
        return None
    return bound.proof.parts[0], bound.proof.transposed


def enumerate_from_nothing(matrix, k, part, transposed, **options):
    return enumerate_sets(
        matrix,
        k,
        part,
        transposed=transposed,
        factors=Factors.empty(matrix.shape, k),
        **options,
    )


def check_against_brute_force(seed, **options):
    """Whether the enumeration proved anything; what it says is right in any case."""
    made = reduced_instance(seed)
    if made is None or not made[0].matrix.ones_weight:
        return False
    (reduction, k, _), matrix = made, made[0].matrix
    started = begin(matrix, k)
    if started is None:
        return False
    found = enumerate_from_nothing(matrix, k, *started, **options)
    shorter = matrix if matrix.shape[0] >= matrix.shape[1] else matrix.T
    least = naive.best_by_sets(shorter.values, shorter.weights, k)
    reached = matrix.ones_weight if found.factors is None else found.factors.error(matrix)
    assert reached >= least
    if found.bound is None:
        return False
    assert found.bound.value <= least
    if found.ending is Ending.PROVED:
        assert found.bound.value == reached == least
    certificate = json.loads(json.dumps(make_certificate(reduction, k, [found.bound])))
    report = verify_certificate(certificate, reduction.original)
    assert report.complete
    assert report.bounds[0].for_error() == found.bound.value
    raised = json.loads(json.dumps(certificate))
    entry = raised["bounds"][0]
    entry["bound"] = entry["rounded"] = str(int(least) + 1)
    assert not verify_certificate({**raised, "seal": seal(raised)}, reduction.original).complete
    return True


def test_what_is_proved_is_the_optimum():
    proved = sum(check_against_brute_force(seed) for seed in range(60))
    assert proved >= 10


@pytest.mark.slow
def test_what_is_proved_is_the_optimum_in_many_cases():
    settings = EnumerationSettings(few_sets=2, points=3, block_rows=2)
    proved = sum(check_against_brute_force(seed) for seed in range(100, 900))
    proved += sum(check_against_brute_force(seed, settings=settings) for seed in range(900, 1500))
    assert proved >= 200


def test_the_answer_does_not_depend_on_the_workers():
    matrix = reduce_matrix(planted(16, 9, 3, noise=0.1, seed=3).matrix).matrix
    part, transposed = begin(matrix, 2)
    answers = []
    for workers in (1, 2):
        with make_executor(workers) as executor:
            found = enumerate_from_nothing(matrix, 2, part, transposed, executor=executor)
        assert found.ending is Ending.PROVED
        answers.append((found.bound.proof.entry(), found.choices, found.factors.A.tolist()))
    assert answers[0] == answers[1]


def test_no_time_proves_nothing():
    matrix = reduce_matrix(planted(16, 9, 3, noise=0.1, seed=3).matrix).matrix
    part, transposed = begin(matrix, 2)
    found = enumerate_from_nothing(matrix, 2, part, transposed, stop=Stop(time_limit=1e-9))
    assert found.bound is None
    assert found.factors is None
    assert found.ending is Ending.TIME_LIMIT


@pytest.mark.parametrize("k", [0, MOST_RANK + 1])
def test_other_ranks_are_refused(k):
    matrix = reduce_matrix(planted(8, 5, 2, seed=0).matrix).matrix
    part, transposed = begin(matrix, 1)
    with pytest.raises(ValueError, match=f"from 1 to {MOST_RANK} for an enumeration, got {k}"):
        enumerate_from_nothing(matrix, k, part, transposed)
