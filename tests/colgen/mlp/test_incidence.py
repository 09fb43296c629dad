"""Products with the incidence against the incidence written out."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from boolfact.colgen.mlp.incidence import Incidence
from boolfact.colgen.mlp.problem import MasterProblem
from boolfact.control.executor import make_executor

from strategies import matrices


@given(matrix=matrices(6), data=st.data(), workers=st.sampled_from([1, 2]))
@settings(max_examples=80, deadline=None)
def test_products_are_those_of_the_matrix_written_out(matrix, data, workers):
    n, m = matrix.shape
    problem = MasterProblem(matrix, 2, Fraction(1))
    size = data.draw(st.integers(0, 7))
    A, B = (data.draw(hnp.arrays(np.bool_, (size, side))) for side in (n, m))
    keep = data.draw(hnp.arrays(np.bool_, size))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    with make_executor(workers) as executor:
        M = Incidence(problem.live, executor)
        M.append(A[: size // 2], B[: size // 2])
        M.append(A[size // 2 :], B[size // 2 :])
        for kept in (keep, np.ones(int(keep.sum()), dtype=np.bool_)):
            check_products(M, problem.incidence(A, B), rng)
            M.purge(kept)
            A, B = A[kept], B[kept]


def check_products(M, dense, rng):
    p, q = rng.random(dense.shape[1]), rng.random(len(dense))
    assert len(M) == len(dense)
    np.testing.assert_allclose(M.collect(p), dense @ p, atol=1e-12)
    np.testing.assert_allclose(M.cover(q), dense.T @ q, atol=1e-12)
    expected = np.triu((dense * p) @ dense.T)
    np.testing.assert_allclose(np.triu(M.gram(p)), expected, atol=1e-12)
    np.testing.assert_allclose(np.triu(M.gram(p, single=True)), expected, atol=1e-5)


@pytest.mark.parametrize("single", [False, True])
def test_the_number_of_workers_changes_no_digit(single):
    rng = np.random.default_rng(1)
    live = rng.random((40, 13)) < 0.5
    A, B = rng.random((30, 40)) < 0.3, rng.random((30, 13)) < 0.3
    theta = rng.random(int(live.sum()))
    results = []
    for workers in (1, 2, 3):
        with make_executor(workers) as executor:
            M = Incidence(live, executor)
            M.append(A, B)
            results.append(M.gram(theta, single))
    assert results[0].dtype == (np.float32 if single else np.float64)
    assert (results[0] == results[1]).all()
    assert (results[0] == results[2]).all()
