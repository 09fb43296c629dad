import os

import numpy as np
import pytest

from boolfact.control.checks import checked_seed, checked_workers, whole_number


def test_what_fits_is_a_plain_int():
    for value in (whole_number("members", np.int32(4), 4), checked_seed(np.int64(0))):
        assert type(value) is int
    assert checked_workers(3) == 3
    assert checked_workers(None) == (os.cpu_count() or 1)


@pytest.mark.parametrize("value", [4.0, "4", None, True, np.float64(4)])
def test_what_is_no_whole_number_is_named(value):
    with pytest.raises(TypeError, match=r"members must be a whole number, got .*"):
        whole_number("members", value, 1)
    with pytest.raises(TypeError, match="seed must be a whole number"):
        checked_seed(value)


def test_what_is_too_small_is_named():
    with pytest.raises(ValueError, match="members must be at least 4, got 3"):
        whole_number("members", 3, 4)
    with pytest.raises(ValueError, match="seed must not be negative, got -1"):
        checked_seed(-1)
    with pytest.raises(ValueError, match="workers must be at least 1, got 0"):
        checked_workers(0)
