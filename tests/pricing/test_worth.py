"""The worth of rectangles: three ways, one number."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from boolfact.pricing.worth import rectangle_worths, whole_worths, worths

import naive


@given(st.data(), st.integers(1, 5), st.integers(1, 5), st.integers(0, 6))
def test_every_way_adds_up_the_entries(data, n, m, size):
    H = data.draw(hnp.arrays(np.int64, (n, m), elements=st.integers(-9, 9)))
    A, B = data.draw(hnp.arrays(np.bool_, (size, n))), data.draw(hnp.arrays(np.bool_, (size, m)))
    expected = [naive.rectangle_worth(H, a, b) for a, b in zip(A, B, strict=True)]
    assert worths(H.astype(float), A, B).tolist() == expected
    assert worths(H.astype(np.float32), A, B).dtype == np.float32
    assert whole_worths(H, A, B).tolist() == expected
    assert rectangle_worths(H, A, B).tolist() == expected


def test_whole_worths_are_exact_up_to_their_limit():
    H = np.array([[2**52 - 1, 1]])
    both = np.ones((1, 2), dtype=bool)
    assert whole_worths(H, both[:, :1], both).tolist() == [2**52]
