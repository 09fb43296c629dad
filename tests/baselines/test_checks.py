import numpy as np
import pytest

from boolfact.baselines import checks
from boolfact.model.matrix import BinaryMatrix


@pytest.mark.parametrize("bad", [0, -0.5, 1.5, float("nan")])
def test_thresholds_lie_above_0_and_at_most_at_1(bad):
    assert checks.checked_thresholds(iter([0.5, 1])) == [0.5, 1]
    with pytest.raises(ValueError, match="thresholds must lie in"):
        checks.checked_thresholds([0.5, bad])
    with pytest.raises(ValueError, match="at least one value"):
        checks.checked_thresholds([])


def test_methods_refuse_by_name_what_they_cannot_take():
    with pytest.raises(ValueError, match="method nmf cannot take weights"):
        checks.refuse_weights(BinaryMatrix(np.array([[1, 0]]), np.array([[2, 1]])), "nmf")
    with pytest.raises(ValueError, match="method nmf cannot take missing entries"):
        checks.refuse_missing(BinaryMatrix(np.array([[1, -1]])), "nmf")
    with pytest.raises(ValueError, match="k must be at least 1, got 0"):
        checks.checked_rank(0)
