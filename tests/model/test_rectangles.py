import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from boolfact.model.rectangles import RectanglePool

rectangle_lists = st.lists(
    st.tuples(hnp.arrays(np.bool_, 3), hnp.arrays(np.bool_, 4)), max_size=200
)


def as_set(pool):
    return {(a.tobytes(), b.tobytes()) for a, b in pool}


@given(rectangle_lists)
def test_pool_holds_each_nonempty_rectangle_once(rectangles):
    pool = RectanglePool(3, 4)
    added = pool.extend(rectangles)
    expected = {(a.tobytes(), b.tobytes()) for a, b in rectangles if a.any() and b.any()}
    assert as_set(pool) == expected
    assert added == len(pool) == len(expected)


@given(rectangle_lists, st.data())
def test_purged_rectangles_are_forgotten_and_can_come_back(rectangles, data):
    pool = RectanglePool(3, 4)
    pool.extend(rectangles)
    before = list(pool.A.copy()), list(pool.B.copy())
    keep = data.draw(hnp.arrays(np.bool_, len(pool)))
    pool.purge(keep)
    assert len(pool) == keep.sum()
    assert all(((a, b) in pool) == kept for a, b, kept in zip(*before, keep, strict=True))
    pool.extend(zip(*before, strict=True))
    assert len(pool) == len(keep)


def test_a_rectangle_of_another_shape_is_refused():
    with pytest.raises(ValueError, match="3 rows and 4 columns"):
        RectanglePool(3, 4).add(np.ones(4, bool), np.ones(3, bool))
