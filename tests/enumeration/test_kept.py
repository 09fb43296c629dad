"""An enumeration as plain data, and what goes on from it."""

import json

import pytest

from boolfact.colgen.cover.grow import bound_by_cover
from boolfact.control.ending import Ending
from boolfact.control.stop import Stop
from boolfact.datasets import planted
from boolfact.enumeration import search
from boolfact.enumeration.kept import kept_state, restored_state
from boolfact.enumeration.search import EnumerationSettings, enumerate_sets
from boolfact.model.factors import Factors
from boolfact.model.reduction import reduce_matrix

FEW = EnumerationSettings(few_sets=0, points=3, block_rows=4)
"""Further prices in any case."""


def begun(tall):
    matrix = reduce_matrix(planted(14, 8, 4, noise=0.15, seed=0).matrix).matrix
    matrix = matrix if tall else matrix.T
    bound = bound_by_cover(matrix, 2, stop=Stop(iteration_limit=3)).bound
    (part,) = bound.proof.parts
    return matrix, part, bound.proof.transposed


def enumerated(matrix, part, transposed, **options):
    return enumerate_sets(
        matrix, 2, part, transposed=transposed, factors=Factors.empty(matrix.shape, 2),
        settings=FEW, **options,
    )  # fmt: skip


@pytest.mark.parametrize("tall", [True, False])
def test_prices_and_what_they_prove_come_back_as_they_were(tall):
    matrix, part, transposed = begun(tall)
    assert transposed is not tall
    kept = []
    whole = enumerated(matrix, part, transposed, keep=kept.append)
    assert whole.ending is Ending.PROVED
    assert len(kept) >= 2
    for known in kept:
        state = json.loads(json.dumps(known))
        points, side, bound = restored_state(state, matrix, 2)
        assert side is transposed
        assert [point.value for point in points] == sorted((p.value for p in points), reverse=True)
        assert kept_state(points, side, bound) == known
    assert bound is None or bound.value <= whole.bound.value


def test_it_goes_on_with_the_prices_it_had_and_makes_none_again(monkeypatch):
    matrix, part, transposed = begun(True)
    kept = []
    whole = enumerated(matrix, part, transposed, keep=kept.append)
    made = []
    further = search.further_point
    monkeypatch.setattr(search, "further_point", lambda *a, **o: made.append(0) or further(*a, **o))
    counts = []
    for known in kept:
        made.clear()
        again = enumerated(matrix, part, transposed, resume=json.loads(json.dumps(known)))
        assert again.ending is Ending.PROVED
        assert again.bound.value == whole.bound.value
        counts.append(len(made))
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > counts[-1]


def test_other_prices_and_sides_are_refused():
    matrix, part, transposed = begun(True)
    known = kept_state([part], transposed, None)
    with pytest.raises(ValueError, match="same side"):
        enumerated(matrix, part, not transposed, resume=known)
    known["points"][0]["omega_bound"] += 1
    with pytest.raises(ValueError, match="do not prove"):
        enumerated(matrix, part, transposed, resume=known)
