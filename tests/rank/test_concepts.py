import tracemalloc

import numpy as np
from hypothesis import given, settings

import boolfact.rank.concepts as concepts
from boolfact.control.stop import Stop
from boolfact.rank.concepts import list_concepts
from boolfact.rank.isolation import allowed_entries

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
    pairs = [(a.tobytes(), b.tobytes()) for a, b in found.rectangles()]
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
    sums = [int(table[np.ix_(a, b)].sum()) for a, b in found.rectangles()]
    assert found.heaviest(units) == max(sums, default=0)
    heavier = found.heavier(units.astype(float), 2.0**40)
    assert set(heavier) == {u for u, total in enumerate(sums) if total > 2**40}


def test_gives_up_where_there_are_too_many_or_no_time(monkeypatch):
    allowed = ~np.eye(8, dtype=bool)
    assert len(list_concepts(allowed, np.argwhere(allowed), Stop())) == 2**8 - 2
    stop = Stop()
    stop.interrupt()
    assert list_concepts(allowed, np.argwhere(allowed), stop) is None
    monkeypatch.setattr(concepts, "_MOST", 100)
    assert list_concepts(allowed, np.argwhere(allowed), Stop()) is None


def test_gives_up_above_as_many_as_are_wanted():
    allowed = ~np.eye(8, dtype=bool)
    entries = np.argwhere(allowed)
    assert len(list_concepts(allowed, entries, Stop(), most=2**8 - 2)) == 2**8 - 2
    assert list_concepts(allowed, entries, Stop(), most=2**8 - 3) is None


def test_takes_no_memory_for_rectangles_that_are_too_many(monkeypatch):
    allowed = np.tile(~np.eye(12, dtype=bool), (300, 1))
    entries = np.argwhere(allowed)
    monkeypatch.setattr(concepts, "_SLICE", 100)
    monkeypatch.setattr(concepts, "_MOST_ENTRIES", 10_000)
    tracemalloc.start()
    try:
        assert list_concepts(allowed, entries, Stop()) is None
        # All 2^12 - 2 rectangles at once would take 59 million bytes for their rows alone.
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


def test_a_stop_ends_the_filling_in(monkeypatch):
    allowed = ~np.eye(8, dtype=bool)
    stop, calls, fill = Stop(), [], concepts.fill

    def interrupting(*arguments):
        calls.append(arguments)
        stop.interrupt()
        fill(*arguments)

    monkeypatch.setattr(concepts, "_SLICE", 10)
    monkeypatch.setattr(concepts, "fill", interrupting)
    assert list_concepts(allowed, np.argwhere(allowed), stop) is None
    assert len(calls) == 1


def test_slices_of_any_size_give_the_same(monkeypatch):
    allowed = np.random.default_rng(1).random((12, 9)) < 0.6
    entries = np.argwhere(allowed)
    units = np.arange(len(entries)) + 1
    whole = list_concepts(allowed, entries, Stop())
    monkeypatch.setattr(concepts, "_SLICE", 7)
    parts = list_concepts(allowed, entries, Stop())
    assert len(whole) == len(parts) > 14
    for one, two in zip(whole.rectangles(), parts.rectangles(), strict=True):
        assert (one[0] == two[0]).all()
        assert (one[1] == two[1]).all()
    assert whole.heaviest(units) == parts.heaviest(units)
    assert (whole.heavier(units * 1.0, 0.0) == parts.heavier(units * 1.0, 0.0)).all()
