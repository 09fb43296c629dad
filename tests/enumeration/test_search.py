"""Enumerations against brute force: what is proved is the optimum, whatever they begin with."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from boolfact.certificate import make_certificate, verify_certificate
from boolfact.certificate.document import seal
from boolfact.colgen.cover.cube import price_by_walking
from boolfact.colgen.cover.grow import bound_by_cover
from boolfact.control.ending import Ending
from boolfact.control.executor import SERIAL, make_executor
from boolfact.control.stop import Stop
from boolfact.datasets import planted
from boolfact.enumeration import search
from boolfact.enumeration.search import MOST_RANK, EnumerationSettings, enumerate_sets
from boolfact.model.factors import Factors
from boolfact.model.reduction import reduce_matrix

import naive
from exact_instances import reduced_instance

ALONE = EnumerationSettings(points=1)
"""No further prices: whatever is proved is proved by choices of sets."""


def begin(matrix, k, loss=0.2, seed=0):
    """Prices that leave a gap, and on which side: charges are lowered, and priced anew."""
    bound = bound_by_cover(matrix, k, stop=Stop(iteration_limit=40)).bound
    if bound is None or len(bound.proof.parts) != 1:
        return None
    part, rng = bound.proof.parts[0], np.random.default_rng(seed)
    point = part.point
    along, across, p = (
        (charges * (1 - loss * rng.random(charges.shape))).astype(np.int32)
        for charges in (point.along, point.across, point.p)
    )
    weaker = replace(point, along=along, across=across, p=p)
    omega = price_by_walking(weaker, 0, SERIAL).upper_bound
    return replace(part, point=weaker, omega_bound=omega), bound.proof.transposed


def enumerate_from_nothing(matrix, k, part, transposed, **options):
    return enumerate_sets(
        matrix,
        k,
        part,
        transposed=transposed,
        factors=Factors.empty(matrix.shape, k),
        **options,
    )


def check_against_brute_force(seed, loss=0.5, settings=ALONE):
    """Whether the enumeration proved anything; what it says is right in any case."""
    made = reduced_instance(seed)
    if made is None or not made[0].matrix.ones_weight:
        return False
    (reduction, k, _), matrix = made, made[0].matrix
    started = begin(matrix, k, loss, seed)
    if started is None:
        return False
    found = enumerate_from_nothing(matrix, k, *started, settings=settings)
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
    further = EnumerationSettings(few_sets=2, points=3, block_rows=2)
    alone = sum(check_against_brute_force(seed, 0.6) for seed in range(100, 1100))
    with_further = sum(check_against_brute_force(seed, 0.3, further) for seed in range(1100, 1500))
    assert alone >= 200
    assert with_further >= 50


@pytest.fixture(scope="module")
def example():
    """A matrix, prices that leave a gap of three, on which side, and the least error."""
    matrix = reduce_matrix(planted(16, 9, 4, noise=0.15, seed=0).matrix).matrix
    part, transposed = begin(matrix, 2)
    assert part.rounded == 20
    return matrix, part, transposed, 23


def test_the_answer_does_not_depend_on_the_workers(example):
    matrix, part, transposed, least = example
    answers = []
    for workers in (1, 2):
        with make_executor(workers) as executor:
            found = enumerate_from_nothing(
                matrix, 2, part, transposed, executor=executor, settings=ALONE
            )
        assert found.ending is Ending.PROVED
        assert found.bound.value == least == found.factors.error(matrix)
        answers.append((found.bound.proof.entry(), found.choices, found.factors.A.tolist()))
    assert answers[0] == answers[1]


@pytest.mark.slow
def test_further_prices_may_prove_it_alone(example):
    matrix, part, transposed, least = example
    few = EnumerationSettings(few_sets=0, points=2, block_rows=8)
    found = enumerate_from_nothing(matrix, 2, part, transposed, settings=few)
    assert found.ending is Ending.PROVED
    assert found.bound.value == least
    # Nothing of what was proved gets lost, whichever kind of proof it is.
    assert found.bound.proof.entry()["kind"] in ("assigned_cover", "enumeration")


def test_no_time_proves_nothing(example):
    matrix, part, transposed, _ = example
    found = enumerate_from_nothing(matrix, 2, part, transposed, stop=Stop(time_limit=1e-9))
    assert found.bound is None
    assert found.factors is None
    assert found.ending is Ending.TIME_LIMIT


@pytest.mark.parametrize("k", [0, MOST_RANK + 1])
def test_other_ranks_are_refused(example, k):
    matrix, part, transposed, _ = example
    with pytest.raises(ValueError, match=f"from 1 to {MOST_RANK} for an enumeration, got {k}"):
        enumerate_from_nothing(matrix, k, part, transposed)


def test_a_little_calls_every_kernel(monkeypatch):
    """What is compiled before the clock starts is all that an enumeration calls."""
    called = []
    for name in ("joint_data", "pair_deficits", "make_tuples", "walk_tuples"):
        whole = getattr(search, name)
        monkeypatch.setattr(
            search, name, lambda *a, _n=name, _w=whole, **o: called.append(_n) or _w(*a, **o)
        )
    search.enumerate_a_little()
    assert set(called) == {"joint_data", "pair_deficits", "make_tuples", "walk_tuples"}
