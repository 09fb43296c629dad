import math

import pytest
from hypothesis import given

from boolfact.rank.description import description_length

from strategies import matrix_and_factors


def set_bits(among, size):
    return math.log2(among + 1) + math.log2(math.comb(among, size))


@given(matrix_and_factors())
def test_description_length_is_the_sum_of_its_parts(case):
    matrix, factors = case
    n, m = matrix.shape
    product, seen = factors.product(), ~matrix.missing
    bits = math.log2(min(n, m) + 1)
    for a, b in factors.rectangles:
        if a.any() and b.any():
            bits += set_bits(n, a.sum()) + set_bits(m, b.sum())
    bits += set_bits((product & seen).sum(), (product & seen & ~matrix.ones).sum())
    bits += set_bits((~product & seen).sum(), (~product & matrix.ones).sum())
    assert description_length(factors, matrix) == pytest.approx(bits)
