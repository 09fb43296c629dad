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
def test_the_reaches_of_a_row_are_its_largest_weights_and_its_ones(matrix):
    problem = make_problem(matrix.ones, matrix.weights)
    reach = reaches(problem.rows)
    paid = matrix.ones & (matrix.weights > 0)
    for i, (own, weights) in enumerate(zip(matrix.ones, matrix.weights, strict=True)):
        assert reach.ones[i] == max([0, *weights[own]])
        assert reach.zeros[i] == max([0, *weights[~own]])
        listed = reach.columns[reach.starts[i] : reach.starts[i + 1]]
        assert list(listed) == list(np.flatnonzero(paid[i]))


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


@given(matrix_and_factors(), st.data())
@settings(max_examples=80)
def test_each_step_takes_the_flip_that_pays_most_and_the_first_of_equal_ones(case, data):
    matrix, factors = case
    if data.draw(st.booleans()):
        matrix = with_costs(matrix, from_below=True)
    problem = make_problem(matrix.ones, matrix.weights)
    U, V = codes_of(factors.A), codes_of(factors.B.T)
    grow_rectangle(problem, U, V, np.int64(1), reaches(problem.rows), GO_ON)
    others = factors.A[:, 1:], factors.B[1:]
    signed = np.where(matrix.ones, -matrix.weights, matrix.weights)
    signed = np.where(naive.product(*others), 0, signed)
    b = factors.B[0].copy()

    def cost(b):
        return sum(min(0, row[b].sum()) for row in signed)

    while True:
        flips = [b ^ (np.arange(len(b)) == j) for j in range(len(b))]
        changes = [cost(flipped) - cost(b) for flipped in flips]
        best = int(np.argmin(changes))
        if changes[best] >= 0:
            break
        b = flips[best]
    assert (masks_of(V, factors.rank)[:, 0] == b).all()
