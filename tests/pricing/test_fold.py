import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from boolfact.pricing.climb import climb_with_kicks
from boolfact.pricing.fold import fold

import naive
from strategies import shapes

worths = shapes(7).flatmap(lambda shape: hnp.arrays(np.int64, shape, elements=st.integers(-2, 2)))


@given(worths)
def test_a_folded_matrix_has_the_same_optimum(H):
    assert naive.largest_worth(fold(H).columns.T) == naive.largest_worth(H)


@given(worths, st.data())
def test_a_folded_set_is_worth_the_same_unfolded(H, data):
    folded = fold(H)
    b = data.draw(hnp.arrays(np.bool_, len(folded.columns)))
    side = H.T if folded.transposed else H
    full = folded.unfold(b)
    assert full.shape == (side.shape[1],)
    assert naive.worth(folded.columns, b) == naive.worth(side.T, full)
    assert (folded.restrict(full) == b).all()


@given(worths)
def test_nothing_more_can_be_folded(H):
    columns = fold(H).columns
    for M in (columns, columns.T):
        assert (M > 0).any(axis=1).all()
        assert len(np.unique(M, axis=0)) == len(M)


def test_the_search_is_over_the_shorter_side():
    H = np.random.default_rng(0).integers(1, 9, (3, 8))
    assert fold(H).transposed
    assert fold(H).columns.shape == (3, 8)
    assert not fold(H.T).transposed


@given(shapes(5).flatmap(lambda s: hnp.arrays(np.int64, s, elements=st.integers(-9, 9))), st.data())
def test_ascents_end_where_no_flip_helps(columns, data):
    m = len(columns)
    starts = data.draw(hnp.arrays(np.bool_, (3, m)))
    B = starts.copy()
    values = climb_with_kicks(columns, B, np.zeros((3, 0, 2), dtype=np.int64))
    for u in range(3):
        value, b = naive.climb_by_flips(columns, starts[u])
        assert value == values[u]
        assert (B[u] == b).all()


@given(shapes(5).flatmap(lambda s: hnp.arrays(np.int64, s, elements=st.integers(-9, 9))), st.data())
def test_kicks_never_make_a_set_worse(columns, data):
    m = len(columns)
    B = data.draw(hnp.arrays(np.bool_, (2, m)))
    plain = climb_with_kicks(columns, B.copy(), np.zeros((2, 0, 2), dtype=np.int64))
    kicks = data.draw(hnp.arrays(np.int64, (2, 3, 2), elements=st.integers(0, m - 1)))
    kicked = climb_with_kicks(columns, B, kicks)
    assert (kicked >= plain).all()
    assert kicked.tolist() == [naive.worth(columns, b) for b in B]
