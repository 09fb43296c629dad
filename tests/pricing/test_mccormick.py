import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from boolfact.control.stop import Stop
from boolfact.pricing.exact import price_exact
from boolfact.pricing.mccormick import mccormick_program, price_mccormick

import naive
from strategies import shapes

worths = shapes(5).flatmap(lambda shape: hnp.arrays(np.int64, shape, elements=st.integers(-9, 9)))


@settings(max_examples=40)
@given(worths)
def test_the_integer_program_has_the_optimum_of_enumeration(H):
    result = price_mccormick(H)
    assert result.value == result.upper_bound == naive.largest_worth(H)
    assert result.value == H[result.a][:, result.b].sum()


@given(worths, st.data())
def test_rectangles_are_feasible_points_worth_their_cost(H, data):
    a = data.draw(hnp.arrays(np.bool_, H.shape[0]))
    b = data.draw(hnp.arrays(np.bool_, H.shape[1]))
    program = mccormick_program(H, 1)
    y = np.outer(a, b)[np.nonzero(H)]
    point = np.concatenate([a, b, y]).astype(float)
    assert program.cost @ point == -H[a][:, b].sum()
    assert (program.rows @ point <= program.row_upper).all()


def test_a_bound_is_given_when_time_runs_out():
    rng = np.random.default_rng(0)
    H = np.where(rng.random((60, 24)) < 0.5, rng.integers(0, 4097, (60, 24)), -4096)
    result = price_mccormick(H, time_limit=0.5)
    assert not result.is_optimal
    assert result.upper_bound > price_exact(H).value >= result.value
    assert result.value == H[result.a][:, result.b].sum()


def test_an_interrupt_is_heard():
    rng = np.random.default_rng(0)
    H = np.where(rng.random((60, 24)) < 0.5, rng.integers(0, 4097, (60, 24)), -4096)
    stop = Stop()
    stop.interrupt()
    result = price_mccormick(H, stop=stop)
    assert result.upper_bound >= price_exact(H).value


def test_fractions_are_refused():
    with pytest.raises(TypeError, match="integers"):
        price_mccormick([[0.5]])
