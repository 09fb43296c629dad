"""The masters: each against the restricted problem written out in full."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from boolfact.colgen.mlp.incidence import Incidence
from boolfact.colgen.mlp.interior import InteriorMaster, centred_point, newton_step
from boolfact.colgen.mlp.masters import MASTERS, make_master
from boolfact.colgen.mlp.problem import MasterProblem, project
from boolfact.control.stop import Stop
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.rectangles import RectanglePool
from boolfact.pricing.worth import worths

import naive
from strategies import matrices

RHOS = [Fraction(1), Fraction(1, 2), Fraction(1, 3)]
ACCURACY = {"interior": 1e-6, "smoothed": 2e-2, "simplex": 1e-7, "ipm": 1e-6}


@st.composite
def cases(draw, max_size=8):
    matrix = draw(matrices(5))
    n, m = matrix.shape
    size = draw(st.integers(0, max_size))
    pool = RectanglePool(n, m)
    A, B = draw(hnp.arrays(np.bool_, (size, n))), draw(hnp.arrays(np.bool_, (size, m)))
    pool.extend(zip(A, B, strict=True))
    return matrix, pool, draw(st.integers(1, 3)), draw(st.sampled_from(RHOS))


def check(solution, problem, pool, accuracy, exact=False):
    """Feasible on both sides, its values are what it says, and near the optimum."""
    matrix, k, rho = problem.matrix, problem.k, problem.rho
    z = naive.mlp(matrix.values, matrix.weights, k, rho, list(pool))
    assert len(solution.q) == len(pool)
    assert (solution.q >= 0).all()
    assert solution.q.sum() <= k * (1 + 1e-9)
    H = solution.prices
    assert ((H >= 0) & (matrix.weights >= H))[matrix.ones].all()
    if not exact:
        np.testing.assert_allclose(H[~matrix.ones], -float(rho) * matrix.weights[~matrix.ones])
    slack = 1e-6 * max(1.0, z)
    assert solution.lower <= z + slack
    assert solution.value >= z - slack
    assert solution.value - z <= accuracy * max(1.0, z)
    assert z - solution.lower <= accuracy * max(1.0, z) * (1 + 9 * (accuracy > 1e-3))
    worth = max([a @ H @ b for a, b in pool], default=0.0)
    assert solution.mu == pytest.approx(max(0.0, worth), abs=1e-4)


@pytest.mark.parametrize("name", ["interior", "smoothed", "simplex", "ipm"])
@given(case=cases())
@settings(max_examples=40, deadline=None)
def test_every_master_solves_the_restricted_problem(name, case):
    matrix, pool, k, rho = case
    problem = MasterProblem(matrix, k, rho)
    solution = make_master(name, problem).solve(pool, 1e-8, Stop())
    check(solution, problem, pool, ACCURACY[name])


@pytest.mark.parametrize("name", ["interior", "smoothed", "simplex", "ipm"])
@given(case=cases(), data=st.data())
@settings(max_examples=25, deadline=None)
def test_rectangles_come_and_go(name, case, data):
    matrix, pool, k, rho = case
    problem = MasterProblem(matrix, k, rho)
    master = make_master(name, problem)
    growing = RectanglePool(*matrix.shape)
    for a, b in pool:
        growing.add(a, b)
        check(master.solve(growing, 1e-8, Stop()), problem, growing, ACCURACY[name])
    keep = data.draw(hnp.arrays(np.bool_, len(growing)))
    master.purge(keep)
    growing.purge(keep)
    check(master.solve(growing, 1e-8, Stop()), problem, growing, ACCURACY[name])


@given(case=cases(), method=st.sampled_from(["simplex", "ipm"]))
@settings(max_examples=30, deadline=None)
def test_priced_zeros_give_the_value_of_one_kth(case, method):
    matrix, pool, k, _ = case
    problem = MasterProblem(matrix, k, Fraction(1, k))
    solution = make_master(method, problem, "exact").solve(pool, 1e-8, Stop())
    z = naive.mlp_exact(matrix.values, matrix.weights, k, list(pool))
    assert solution.value == pytest.approx(z, abs=1e-5)
    assert solution.lower == pytest.approx(z, abs=1e-4)
    limits = np.where(matrix.ones, 0, matrix.weights) / k
    zero_prices = -solution.prices[~matrix.ones]
    assert ((zero_prices >= 0) & (zero_prices <= limits[~matrix.ones])).all()


@given(st.data(), st.integers(1, 8), st.integers(1, 4))
@settings(max_examples=100, deadline=None)
def test_the_projection_is_nearer_than_any_other_feasible_point(data, size, k):
    q = data.draw(hnp.arrays(np.float64, size, elements=st.floats(-3, 3)))
    other = data.draw(hnp.arrays(np.float64, size, elements=st.floats(0, 3)))
    other = other * min(1.0, k / max(other.sum(), 1e-9))
    nearest = project(q, k)
    assert (nearest >= 0).all()
    assert nearest.sum() <= k + 1e-9
    assert np.linalg.norm(q - nearest) <= np.linalg.norm(q - other) + 1e-9


@given(matrices(5), st.data())
@settings(max_examples=60, deadline=None)
def test_worths_costs_and_incidence_add_up(matrix, data):
    n, m = matrix.shape
    problem = MasterProblem(matrix, 2, Fraction(1, 2))
    a, b = data.draw(hnp.arrays(np.bool_, n)), data.draw(hnp.arrays(np.bool_, m))
    A, B = a[None], b[None]
    inside = np.outer(a, b)
    assert worths(matrix.weights.astype(float), A, B)[0] == matrix.weights[inside].sum()
    zeros = (matrix.values == 0) & inside
    assert problem.costs(A, B)[0] == 0.5 * matrix.weights[zeros].sum()
    live = (matrix.values == 1) & (matrix.weights > 0)
    assert problem.incidence(A, B)[0].tolist() == inside[live].tolist()


@pytest.mark.parametrize("precision", ["double", "single"])
def test_newton_steps_go_from_feasible_points_to_feasible_points(precision):
    rng = np.random.default_rng(0)
    values = (rng.random((6, 8)) < 0.5).astype(np.int8)
    problem = MasterProblem(
        BinaryMatrix(values, weights=rng.integers(1, 4, (6, 8))), 2, Fraction(1)
    )
    A, B = rng.random((6, 6)) < 0.6, rng.random((6, 8)) < 0.6
    M, w, c, k = problem.incidence(A, B), problem.w, problem.costs(A, B), problem.k
    incidence = Incidence(problem.live)
    incidence.append(A, B)
    point = centred_point(incidence, w, c, k, np.full(6, 0.2), 0.3)
    first = point.gap()
    for _ in range(8):
        for name in ("q", "x", "s", "p", "v", "r"):
            assert (getattr(point, name) > 0).all()
        assert point.t > 0
        assert point.mu > 0
        np.testing.assert_allclose(M.T @ point.q + point.x - point.s, 1, atol=1e-9)
        np.testing.assert_allclose(point.p + point.v, w, atol=1e-9)
        np.testing.assert_allclose(c + point.mu - M @ point.p, point.r, atol=1e-9)
        np.testing.assert_allclose(point.collected, M @ point.p, atol=1e-9)
        np.testing.assert_allclose(point.cover, M.T @ point.q, atol=1e-9)
        point = newton_step(point, incidence, c, k, precision == "single")
    assert point.gap() < 1e-3 * first


def test_the_interior_master_starts_again_where_rounding_breaks_it(monkeypatch):
    X = BinaryMatrix(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=np.int8))
    problem = MasterProblem(X, 1, Fraction(1))
    pool = RectanglePool(3, 3)
    pool.extend(naive.all_rectangles(3, 3))
    master = InteriorMaster(problem)
    from boolfact.colgen.mlp import interior

    real, calls = interior.newton_step, []

    def failing(point, M, c, k, single):
        calls.append(1)
        if len(calls) == 2:
            raise interior.LinAlgError("made to fail")
        following = real(point, M, c, k, single)
        if len(calls) == 4:
            following.q[0] = np.nan
        return following

    monkeypatch.setattr(interior, "newton_step", failing)
    check(master.solve(pool, 1e-8, Stop()), problem, pool, 1e-6)

    def hopeless(point, M, c, k, single):
        raise interior.LinAlgError("made to fail")

    monkeypatch.setattr(interior, "newton_step", hopeless)
    solution = InteriorMaster(problem).solve(pool, 1e-8, Stop())
    assert solution.value == 7
    assert solution.lower <= naive.mlp(X.values, X.weights, 1, 1, list(pool))


def test_a_stopped_master_still_returns_feasible_points():
    X = BinaryMatrix(np.ones((3, 3), dtype=np.int8))
    pool = RectanglePool(3, 3)
    pool.extend(naive.all_rectangles(3, 3))
    for name in ("interior", "smoothed", "simplex", "ipm"):
        stop = Stop()
        stop.interrupt()
        solution = make_master(name, MasterProblem(X, 1, Fraction(1)), "rho").solve(
            pool, 1e-8, stop
        )
        assert 0 <= solution.value <= 9
        assert solution.lower <= 1e-6


def test_wrong_names_are_refused_by_name():
    X = BinaryMatrix(np.ones((2, 2), dtype=np.int8))
    problem = MasterProblem(X, 2, Fraction(1))
    with pytest.raises(ValueError, match="unknown master 'cplex'; expected one of auto, interior"):
        make_master("cplex", problem)
    with pytest.raises(ValueError, match="formulation must be 'rho' or 'exact', got 'strong'"):
        make_master("auto", problem, "strong")
    with pytest.raises(ValueError, match="needs rho = 1/2, got 1"):
        make_master("auto", problem, "exact")
    with pytest.raises(ValueError, match="needs master simplex or ipm, got 'interior'"):
        make_master("interior", MasterProblem(X, 2, Fraction(1, 2)), "exact")
    with pytest.raises(ValueError, match="k must be at least 1, got 0"):
        MasterProblem(X, 0, Fraction(1))
    with pytest.raises(ValueError, match="rho must be positive, got 0"):
        MasterProblem(X, 1, Fraction(0))
    assert set(MASTERS) == {"auto", "interior", "smoothed", "simplex", "ipm"}


def test_auto_takes_the_first_order_method_for_very_many_ones(monkeypatch):
    from boolfact.colgen.mlp import masters
    from boolfact.colgen.mlp.smoothed import SmoothedMaster

    X = BinaryMatrix(np.ones((3, 3), dtype=np.int8))
    assert isinstance(make_master("auto", MasterProblem(X, 1, Fraction(1))), InteriorMaster)
    monkeypatch.setattr(masters, "_MOST_ONES_FOR_INTERIOR", 8)
    assert isinstance(make_master("auto", MasterProblem(X, 1, Fraction(1))), SmoothedMaster)


def test_the_simplex_method_decides_where_the_interior_point_method_does_not(monkeypatch):
    from boolfact import highs

    X = BinaryMatrix(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=np.int8))
    problem = MasterProblem(X, 1, Fraction(1))
    pool = RectanglePool(3, 3)
    pool.extend(naive.all_rectangles(3, 3))
    real, used = highs.run, []

    def undecided(solver, stop=None, **options):
        used.append(solver.getOptionValue("solver")[1])
        return highs.SolveStatus.FAILED if used[-1] == "ipm" else real(solver, stop, **options)

    monkeypatch.setattr(highs, "run", undecided)
    master = make_master("ipm", problem)
    for _ in range(2):
        check(master.solve(pool, 1e-8, Stop()), problem, pool, 1e-7)
    assert used == ["ipm", "simplex", "ipm", "simplex"]
