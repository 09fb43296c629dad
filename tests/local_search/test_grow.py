"""Growth of one rectangle flips columns while that pays, and rows answer best."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from boolfact.local_search.grow import grow_rectangle, reaches
from boolfact.local_search.problem import codes_of, make_problem, masks_of
from boolfact.model.costs import with_costs

import naive
from strategies import matrices, matrix_and_factors

GO_ON = np.zeros(1, dtype=np.uint8)


@given(matrices())
def test_the_reach_of_a_row_is_its_largest_weight(matrix):
    problem = make_problem(matrix.ones, matrix.weights)
    assert list(reaches(problem.rows)) == [max(row) for row in matrix.weights]


@given(matrix_and_factors(), st.data())
@settings(max_examples=80)
def test_it_ends_where_no_flip_of_a_column_pays_and_saves_what_it_says(case, data):
    matrix, factors = case
    if data.draw(st.booleans()):
        matrix = with_costs(matrix, from_below=True)
    k = factors.rank
    u = data.draw(st.integers(0, k - 1))
    problem = make_problem(matrix.ones, matrix.weights)
    U, V = codes_of(factors.A), codes_of(factors.B.T)
    gain = grow_rectangle(problem, U, V, np.int64(1 << u), reaches(problem.rows), GO_ON)
    A, B = masks_of(U, k), masks_of(V, k).T
    rest = np.delete(A, u, axis=1), np.delete(B, u, axis=0)
    assert (rest[0] == np.delete(factors.A, u, axis=1)).all()
    assert (rest[1] == np.delete(factors.B, u, axis=0)).all()
    without = naive.weighted_error(matrix.ones, matrix.weights, *rest)
    after = naive.weighted_error(matrix.ones, matrix.weights, A, B)
    assert without - after == gain
    # Twin: the worth of a set of columns in what the others leave.
    left = np.where(matrix.ones, matrix.weights, -matrix.weights)
    left = np.where(naive.product(*rest), 0, left)

    def worth(b):
        return sum(max(0, row[b].sum()) for row in left)

    assert worth(B[u]) == gain >= worth(factors.B[u])
    for j in range(B.shape[1]):
        flipped = B[u].copy()
        flipped[j] ^= True
        assert worth(flipped) <= gain
