"""The tables of the search around a circle: they add up, and nothing that is added overflows."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boolfact.certificate.cover import lift as module
from boolfact.certificate.cover.circle import read_circle
from boolfact.certificate.cover.lift import lift
from boolfact.model.matrix import BinaryMatrix
from certificate.cover.test_search import random_matrix
from certificate.covers import Cover, random_cover, random_ring

SEEDS = st.integers(0, 2**32 - 1)


def scaled(cover, factor):
    return Cover(
        cover.shape,
        cover.scale * factor,
        cover.blocks,
        {e: x * factor for e, x in cover.prices.items()},
        {pair: x * factor for pair, x in cover.charges.items()},
    )


def random_lift(seed, factor=1):
    """A cover with a price, its circle, and what is lifted from them."""
    rng = np.random.default_rng(seed)
    while True:
        cover = scaled(random_cover(rng, random_matrix(rng)), factor)
        circle = read_circle(random_ring(rng, cover.shape[1]), cover.shape[1])
        if cover.prices:
            return cover, circle, lift(cover.duals(), circle)


@given(SEEDS, st.integers(0, 40))
@settings(max_examples=100, deadline=None)
def test_shifts_add_up_to_zero_and_whole_sums_are_what_columns_bring(seed, doublings):
    cover, circle, lifted = random_lift(seed, 2**doublings)
    priced = {j for _, j in cover.prices}
    m = len(priced)
    skipped, taken = lifted.steps.astype(object)
    assert lifted.weights == [
        w for j, w in zip(circle.order, circle.weights, strict=True) if j in priced
    ]
    assert len(skipped) == 2 * m
    assert (skipped[:m] == skipped[m:]).all()
    assert (taken[:m] == taken[m:]).all()
    assert not skipped[:m].sum(axis=0).any()
    brought = (taken - skipped)[:m]
    assert (brought % lifted.unit == 0).all()
    prices = sum(cover.prices.values()) * lifted.unit
    along = {(z, e): x for (z, e), x in cover.charges.items() if z[0] == e[0] and e in cover.prices}
    charges = sum(x for (z, _), x in along.items() if z[1] in priced) * lifted.unit
    assert brought[brought > 0].sum() == prices
    assert -brought[brought < 0].sum() == charges


@given(SEEDS, st.integers(0, 50))
@settings(max_examples=100, deadline=None)
def test_no_arc_exceeds_the_type_that_was_chosen(seed, doublings):
    """Every arc with every choice, in Python's integers; and what a chunk and a block add up."""
    _, _, lifted = random_lift(seed, 2**doublings)
    if lifted is None:
        assert doublings > 40
        return
    limit, crossed = np.iinfo(lifted.steps.dtype).max, lifted.crossed
    both = lifted.steps.astype(object)
    m, E = len(lifted.weights), both.shape[2]
    for start, length in itertools.product(range(m), range(1, m + 1)):
        skipped, taken = both[:, start : start + length]
        for extreme in (np.maximum, np.minimum):
            sums = extreme(skipped, taken).sum(axis=0)
            assert max(abs(x) for x in sums) <= limit
            positive = np.array([max(x, 0) for x in sums], dtype=object)
            for first in range(0, E, lifted.chunk):
                assert positive[first : first + lifted.chunk].sum() <= limit
            for low, high in itertools.pairwise(crossed.first_row.tolist()):
                block = slice(crossed.first_one[low, 0], crossed.first_one[high - 1, 1])
                assert positive[block].sum() <= limit
    assert int(crossed.amounts.max(initial=0)) <= limit


def wide_cover(price):
    """One row, a price at each of its 300 columns."""
    matrix = BinaryMatrix(np.ones((1, 300), dtype=np.int8))
    prices = {(0, j): price for j in range(300)}
    return matrix, Cover((1, 300), price, [[0]], prices, {})


@pytest.mark.parametrize(
    ("price", "kind", "chunk"),
    [(2**22, np.int32, 320), (2**23, np.int64, 320), (2**40, np.int64, 320)],
)
def test_32_bits_only_where_a_block_fits(price, kind, chunk):
    _, cover = wide_cover(price)
    circle = {"order": list(range(300)), "weights": [1] * 300, "usual": [0] * 300}
    lifted = lift(cover.duals(), read_circle(circle, 300))
    assert lifted.steps.dtype == kind
    assert lifted.chunk == chunk


def test_rows_of_many_ones_are_added_up_in_chunks():
    """Each row fits into 32 bits, both together do not."""
    prices = {(i, j): 2**22 for i in range(2) for j in range(300)}
    cover = Cover((2, 300), 2**22, [[0], [1]], prices, {})
    circle = {"order": list(range(300)), "weights": [1] * 300, "usual": [0] * 300}
    lifted = lift(cover.duals(), read_circle(circle, 300))
    assert lifted.steps.dtype == np.int32
    assert 32 <= lifted.chunk < 600
    assert lifted.chunk * 2**22 < 2**31
    assert lifted.unit == 1


def test_small_numbers_are_multiplied_so_that_shifts_are_fine():
    _, cover = wide_cover(3)
    circle = {"order": list(range(300)), "weights": [1] * 300, "usual": [500] * 300}
    lifted = lift(cover.duals(), read_circle(circle, 300))
    assert lifted.unit == 2048
    assert lifted.steps.dtype == np.int32


def test_too_large_is_not_lifted(monkeypatch):
    circle = {"order": [0, 1], "weights": [1, 1], "usual": [0, 0]}
    cover = Cover((1, 2), 2**59, [[0]], {(0, 0): 2**59, (0, 1): 1}, {})
    assert lift(cover.duals(), read_circle(circle, 2)) is None
    cover = Cover((1, 2), 2**50, [[0]], {(0, 0): 2**50, (0, 1): 1}, {})
    assert lift(cover.duals(), read_circle(circle, 2)).steps.dtype == np.int64
    monkeypatch.setattr(module, "_MOST_NUMBERS", 10)
    assert lift(cover.duals(), read_circle(circle, 2)) is None


@pytest.mark.parametrize("price", [1, 2**12])
def test_charges_across_rows_count_among_what_is_too_large(price):
    """They are no part of what columns bring, but the search adds them up, too."""
    circle = {"order": [0, 1], "weights": [1, 1], "usual": [0, 0]}
    unit = max(1, 2**12 // price)
    for amount, fits in ((2**56 // unit, True), (2**57 // unit, False), (2**60 // unit, False)):
        charges = {((1, 0), (0, 0)): amount}
        cover = Cover((2, 2), 2**59, [[0, 1]], {(0, 0): price, (0, 1): price}, charges)
        assert (lift(cover.duals(), read_circle(circle, 2)) is not None) == fits
