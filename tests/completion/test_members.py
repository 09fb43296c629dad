import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from boolfact.completion.members import signed_matrix

from strategies import matrices


@given(matrices(), st.booleans())
def test_the_signed_matrix_has_every_entry_and_its_opposite(matrix, by_columns):
    signed = signed_matrix(matrix, by_columns)
    same, opposite = np.split(signed.values, 2, axis=1 if by_columns else 0)
    assert (same == matrix.values).all()
    assert ((opposite == -1) == matrix.missing).all()
    assert (opposite[~matrix.missing] == 1 - matrix.values[~matrix.missing]).all()
    assert signed.weights.sum() == 2 * matrix.weights.sum()
