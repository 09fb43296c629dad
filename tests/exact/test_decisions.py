import itertools

import numpy as np
import pytest

from boolfact.exact.decisions import Decisions, Slot, outcomes_of


def keeps(rectangles, path, k):
    """Whether k rectangles, in some order of names, keep to a path: written out."""
    return any(
        _keeps_in_order(list(order), path, k) for order in itertools.permutations(rectangles)
    )


def _keeps_in_order(order, path, k):
    named = 0
    for (kind, u, v), outcome in path:
        if kind == "entry":
            if any(u in a and v in b for a, b in order) != (outcome == 0):
                return False
        elif kind == "owner":
            last = named + (named < k)
            if outcome == last:
                if any(u in a and v in b for a, b in order):
                    return False
            else:
                a, b = order[outcome]
                if u not in a or v not in b:
                    return False
                named += outcome == named
        else:
            side = order[u][0 if kind == "row" else 1]
            if (v in side) != (outcome == 0):
                return False
    return True


def random_rectangles(rng, k, n, m):
    return [
        (
            frozenset(np.flatnonzero(rng.random(n) < 0.5).tolist()),
            frozenset(np.flatnonzero(rng.random(m) < 0.5).tolist()),
        )
        for _ in range(k)
    ]


def random_split(rng, named, n, m):
    kinds = ["entry", "owner"] + (["row", "column"] if named else [])
    kind = kinds[int(rng.integers(len(kinds)))]
    if kind in ("entry", "owner"):
        return (kind, int(rng.integers(n)), int(rng.integers(m)))
    return (kind, int(rng.integers(named)), int(rng.integers(n if kind == "row" else m)))


@pytest.mark.parametrize("seed", range(200))
def test_every_factorisation_keeps_to_an_outcome_of_every_split(seed):
    """And to what the decisions say: the entries, and a rectangle for each name."""
    rng = np.random.default_rng(seed)
    n, m, k = 3, 3, int(rng.integers(1, 4))
    rectangles = random_rectangles(rng, k, n, m)
    path, named = [], 0
    for _ in range(6):
        split = random_split(rng, named, n, m)
        outcomes = range(outcomes_of(split, named, k))
        kept = [u for u in outcomes if keeps(rectangles, [*path, (split, u)], k)]
        assert kept, (path, split)
        outcome = kept[int(rng.integers(len(kept)))]
        named += split[0] == "owner" and outcome == named and named < k
        path.append((split, outcome))
    decided = Decisions.of(path, k)
    assert not decided.contradiction
    assert len(decided.slots) == named
    covered = {(i, j) for a, b in rectangles for i in a for j in b}
    assert decided.node.covered <= covered
    assert not decided.node.uncovered & covered
    assert any(
        all(
            slot.rows <= a
            and slot.columns <= b
            and not slot.no_rows & a
            and not slot.no_columns & b
            for slot, (a, b) in zip(decided.slots, order, strict=False)
        )
        for order in itertools.permutations(rectangles)
    )


@pytest.mark.parametrize(
    "path",
    [
        [(("entry", 0, 0), 0), (("entry", 0, 0), 1)],
        [(("owner", 0, 0), 0), (("entry", 0, 0), 1)],
        [(("owner", 0, 0), 0), (("row", 0, 0), 1)],
        [(("owner", 0, 0), 0), (("column", 0, 0), 1)],
        [(("owner", 0, 0), 0), (("owner", 1, 1), 0), (("entry", 0, 1), 1)],
    ],
)
def test_contradictions_are_seen(path):
    assert Decisions.of(path, 2).contradiction


def test_outcomes_and_splits_that_do_not_exist_are_refused():
    with pytest.raises(ValueError, match="has no outcome 2"):
        Decisions.of([(("entry", 0, 0), 2)], 2)
    with pytest.raises(ValueError, match="there is no split"):
        Decisions.of([(("colour", 0, 0), 1)], 2)


def test_which_rectangles_fit():
    A = np.array([[1, 1, 0], [1, 0, 0], [1, 0, 1]], dtype=bool)
    B = np.array([[1, 1], [1, 0], [0, 1]], dtype=bool)
    slot = Slot(frozenset({0}), frozenset({0}), frozenset({2}))
    assert slot.contains(A, B).tolist() == [True, True, False]
    decided = Decisions.of([(("entry", 0, 1), 1)], 2)
    assert decided.keeps(A, B).tolist() == [False, True, False]
