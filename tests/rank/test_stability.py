import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolfact.model.factors import Factors
from boolfact.rank.stability import stability

from strategies import matrix_and_factors


@given(matrix_and_factors(), st.randoms(use_true_random=False))
def test_stability_does_not_see_the_order_of_patterns(case, random):
    _, factors = case
    order = list(range(factors.rank))
    random.shuffle(order)
    shuffled = Factors(factors.A[:, order], factors.B[order])
    assert stability([factors, shuffled]) == pytest.approx(1.0)


def test_stability_of_patterns_without_a_common_entry_is_zero():
    left = Factors(np.array([[1], [0]]), np.array([[1, 0]]))
    right = Factors(np.array([[0], [1]]), np.array([[0, 1]]))
    assert stability([left, right]) == 0.0
    with pytest.raises(ValueError, match="at least two"):
        stability([left])
