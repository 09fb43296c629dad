import numpy as np
from hypothesis import given, settings

import boolfact.rank.concepts as concepts
from boolfact.rank.concepts import list_concepts
from boolfact.rank.isolation import allowed_entries
from boolfact.stop import Stop

from strategies import matrices


def maximal_rectangles(allowed):
    """Every column set, kept if it is closed: the obvious way."""
    m = allowed.shape[1]
    found = set()
    for code in range(1, 2**m):
        b = np.array([code >> j & 1 for j in range(m)], dtype=bool)
        a = allowed[:, b].all(axis=1)
        if a.any() and (allowed[a].all(axis=0) == b).all():
            found.add((a.tobytes(), b.tobytes()))
    return found


@settings(max_examples=60)
@given(matrices(max_side=5))
def test_lists_every_maximal_rectangle_once(matrix):
    allowed = allowed_entries(matrix)
    found = list_concepts(allowed, np.argwhere(allowed), Stop())
    pairs = [(a.tobytes(), b.tobytes()) for a, b in zip(found.A, found.B, strict=True)]
    assert len(pairs) == len(set(pairs))
    assert set(pairs) == maximal_rectangles(allowed)


@settings(max_examples=40)
@given(matrices(max_side=5))
def test_weighs_rectangles_exactly(matrix):
    allowed = allowed_entries(matrix)
    entries = np.argwhere(allowed)
    found = list_concepts(allowed, entries, Stop())
    units = np.random.default_rng(0).integers(0, 2**40, len(entries))
    table = np.zeros(allowed.shape, dtype=object)
    table[tuple(entries.T)] = units
    sums = [int(table[np.ix_(a, b)].sum()) for a, b in zip(found.A, found.B, strict=True)]
    assert found.heaviest(units) == max(sums, default=0)
    heavier = found.heavier(units.astype(float), 2.0**40)
    assert set(heavier) == {u for u, total in enumerate(sums) if total > 2**40}


def test_gives_up_where_there_are_too_many_or_no_time(monkeypatch):
    allowed = ~np.eye(8, dtype=bool)
    assert len(list_concepts(allowed, np.argwhere(allowed), Stop()).A) == 2**8 - 2
    stop = Stop()
    stop.interrupt()
    assert list_concepts(allowed, np.argwhere(allowed), stop) is None
    monkeypatch.setattr(concepts, "_MOST", 100)
    assert list_concepts(allowed, np.argwhere(allowed), Stop()) is None
