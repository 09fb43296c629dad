"""The integer master: against every subset of a small pool."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from boolfact.colgen.integer import master as integer
from boolfact.colgen.integer.covering import cover
from boolfact.colgen.integer.master import solve_integer_master
from boolfact.colgen.integer.swap import swap_search
from boolfact.colgen.mlp.duals import MLPProof, round_dual
from boolfact.control.stop import Stop
from boolfact.datasets import load_dataset
from boolfact.model.bound import Bound, Quantity
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.rectangles import RectanglePool
from boolfact.model.reduction import reduce_matrix

import naive
from strategies import factors_of, matrices

RHOS = [Fraction(1), Fraction(19, 20), Fraction(1, 2), Fraction(2)]


@st.composite
def pools(draw, max_side=5, max_size=8):
    matrix = draw(matrices(max_side))
    n, m = matrix.shape
    size = draw(st.integers(0, max_size))
    A = draw(hnp.arrays(np.bool_, (size, n)))
    B = draw(hnp.arrays(np.bool_, (size, m)))
    pool = RectanglePool(n, m)
    pool.extend(zip(A, B, strict=True))
    return matrix, pool


def brute_force(matrix, pool, k, rho, formulation):
    def value(chosen):
        A = np.array([a for a, _ in chosen], dtype=bool).reshape(len(chosen), matrix.shape[0]).T
        B = np.array([b for _, b in chosen], dtype=bool).reshape(len(chosen), matrix.shape[1])
        if formulation == "exact":
            return naive.error(matrix.values, matrix.weights, A, B)
        return naive.objective(matrix.values, matrix.weights, A, B, rho)

    return naive.best_choice(list(pool), k, value)


@given(
    pools(),
    st.integers(1, 3),
    st.sampled_from(RHOS),
    st.sampled_from(["rho", "exact"]),
    st.booleans(),
    st.booleans(),
)
@settings(max_examples=100)
def test_it_finds_the_best_choice_of_the_pool(case, k, rho, formulation, strong, pairs):
    matrix, pool = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(integer, "_LARGEST_FOR_PAIRS", 4000 if pairs else 0)
        patch.setattr(integer, "_LARGEST_STRONG", 10**9 if strong else 0)
        # Without swaps there is only the integer program.
        patch.setattr(
            integer,
            "swap_search",
            lambda matrix, pool, k, start, **rest: start or Factors.empty(matrix.shape, k),
        )
        solution = solve_integer_master(matrix, pool, k, rho=rho, formulation=formulation)
    best = brute_force(matrix, pool, k, rho, formulation)
    assert solution.objective == solution.bound_over_pool == best
    assert solution.is_optimal_over_pool
    assert solution.factors.rank == k
    value = (
        solution.factors.error(matrix)
        if formulation == "exact"
        else solution.factors.objective(matrix, rho)
    )
    assert value == best


@given(pools(), st.integers(1, 3), st.sampled_from(RHOS), st.sampled_from(["rho", "exact"]))
@settings(max_examples=40)
def test_the_incumbent_joins_the_pool(case, k, rho, formulation):
    matrix, pool = case
    incumbent = Factors.from_rectangles(
        matrix.shape,
        [
            (np.ones(matrix.shape[0], bool), column)
            for column in np.eye(matrix.shape[1], dtype=bool)[:k]
        ],
    )
    solution = solve_integer_master(
        matrix, pool, k, rho=rho, formulation=formulation, incumbent=incumbent, swap_rounds=2
    )
    wider = RectanglePool(*matrix.shape)
    wider.extend(pool)
    wider.extend(incumbent.rectangles)
    assert solution.objective == brute_force(matrix, wider, k, rho, formulation)


def proved(dual, matrix, k):
    return MLPProof(dual, naive.largest_worth(dual.pricing_matrix(matrix)), k).bound()


@given(pools(), st.integers(1, 3), st.sampled_from(RHOS), st.data())
@settings(max_examples=60)
def test_reduced_cost_fixing_loses_nothing(case, k, rho, data):
    matrix, pool = case
    p = data.draw(hnp.arrays(np.float64, matrix.shape, elements=st.sampled_from([0, 0.3, 1, 2])))
    bound = proved(round_dual(p, matrix, rho), matrix, k)
    start = data.draw(factors_of(matrix.shape, max_rank=k))
    solution = solve_integer_master(
        matrix, pool, k, rho=rho, bound=bound, incumbent=start, swap_rounds=0
    )
    wider = RectanglePool(*matrix.shape)
    wider.extend(pool)
    wider.extend(start.rectangles)
    assert solution.objective == brute_force(matrix, wider, k, rho, "rho")


def test_reduced_cost_fixing_fixes():
    matrix = BinaryMatrix(np.eye(4, dtype=np.int8))
    pool = RectanglePool(4, 4)
    for row in np.eye(4, dtype=bool):
        pool.add(row, row)
    pool.add(np.ones(4, bool), np.ones(4, bool))
    dual = round_dual(np.eye(4), matrix)
    A, B = pool.A, pool.B
    goal = integer._Goal(matrix, Fraction(1), "rho")
    fixed = integer._too_costly(matrix, A, B, 2, dual, Fraction(3), goal)
    # Prices 1, largest worth 1: the bound is 4 - 2 = 2, so one unit is left; the big one needs 9.
    assert fixed.tolist() == [False, False, False, False, True]


@pytest.mark.parametrize(
    "wrong", [{"rho": Fraction(2)}, {"k": 2}, {"formulation": "exact"}], ids=str
)
def test_the_bound_must_be_on_what_is_minimised(wrong):
    matrix = BinaryMatrix(np.eye(2, dtype=np.int8))
    pool = RectanglePool(2, 2)
    pool.add(np.array([True, False]), np.array([True, False]))
    bound = proved(round_dual(np.ones((2, 2)), matrix, 1), matrix, 1)
    with pytest.raises(ValueError, match=r"bound must be on the .* got one on the objective"):
        solve_integer_master(matrix, pool, **{"k": 1, "bound": bound, **wrong})


@given(pools(), st.sampled_from(RHOS), st.sampled_from(["rho", "exact"]), st.data())
def test_the_covering_problem_is_the_original_one(case, rho, formulation, data):
    """Any choice of what is left has its true value; what was left out has a stand-in."""
    matrix, pool = case
    covering = cover(matrix, pool.A, pool.B, rho, formulation)
    chosen = data.draw(hnp.arrays(np.bool_, len(covering.columns)))
    picked = covering.columns[chosen]
    factors = Factors(pool.A[picked].T, pool.B[picked])
    value = factors.error(matrix) if formulation == "exact" else factors.objective(matrix, rho)
    assert Fraction(covering.value(chosen), covering.unit) == value
    # Any choice at all: its stand-ins are no more and no worse.
    taken = np.flatnonzero(data.draw(hnp.arrays(np.bool_, len(pool))))
    before = Factors(pool.A[taken].T, pool.B[taken])
    stand_ins = np.unique(covering.stand_in[taken])
    stand_ins = covering.columns[stand_ins[stand_ins >= 0]]
    after = Factors(pool.A[stand_ins].T, pool.B[stand_ins])
    assert len(stand_ins) <= len(taken)
    if formulation == "exact":
        assert after.error(matrix) <= before.error(matrix)
    else:
        assert after.objective(matrix, rho) <= before.objective(matrix, rho)


@given(pools())
def test_entries_with_equal_covers_are_one(case):
    matrix, pool = case
    covering = cover(matrix, pool.A, pool.B)
    assert len(np.unique(covering.ones, axis=0)) == len(covering.ones)
    assert covering.ones.any(axis=1).all()
    total = covering.constant + covering.one_weights.sum()
    assert total == matrix.weights[matrix.ones].sum()


@given(pools(), st.integers(1, 3), st.sampled_from([*RHOS, "error"]), st.data())
@settings(max_examples=60)
def test_swaps_never_make_it_worse_and_end_where_no_swap_helps(case, k, objective, data):
    matrix, pool = case
    start = data.draw(factors_of(matrix.shape, max_rank=k))
    climbing, size = data.draw(st.booleans()), len(pool)
    found = swap_search(matrix, pool, k, start, objective=objective, rounds=3, climbing=climbing)
    assert len(pool) == size

    def value(factors):
        if objective == "error":
            return factors.error(matrix)
        return factors.objective(matrix, objective)

    assert found.rank == k
    assert value(found) <= value(start)
    for place in range(k):
        others = [r for u, r in enumerate(found.rectangles) if u != place]
        for rectangle in pool:
            swapped = Factors.from_rectangles(matrix.shape, [*others, rectangle])
            assert value(found) <= value(swapped)


@given(pools(max_size=6), st.integers(1, 2), st.sampled_from([*RHOS, "error"]))
@settings(max_examples=40)
def test_many_rounds_of_swaps_find_the_best_of_a_tiny_pool(case, k, objective):
    matrix, pool = case
    found = swap_search(matrix, pool, k, objective=objective, rounds=60)
    if objective == "error":
        assert found.error(matrix) == brute_force(matrix, pool, k, None, "exact")
    else:
        assert found.objective(matrix, objective) == brute_force(matrix, pool, k, objective, "rho")


def zoo_pool(size=120):
    matrix = reduce_matrix(load_dataset("zoo")).matrix
    rng = np.random.default_rng(0)
    pool = RectanglePool(*matrix.shape)
    while len(pool) < size:
        b = matrix.ones[rng.integers(matrix.shape[0])] & matrix.ones[rng.integers(matrix.shape[0])]
        pool.add((matrix.ones | ~b).all(axis=1), b)
    return matrix, pool


def test_swap_search_depends_on_the_seed_alone():
    matrix, pool = zoo_pool()
    first, second = (swap_search(matrix, pool, 5, rounds=10, seed=3) for _ in range(2))
    assert (first.A == second.A).all()
    assert (first.B == second.B).all()


def test_climbing_goes_beyond_the_pool():
    matrix, pool = zoo_pool(20)
    from_pool = solve_integer_master(matrix, pool, 5)
    beyond = solve_integer_master(matrix, pool, 5, climbing=True)
    assert from_pool.is_optimal_over_pool
    assert 127 <= beyond.objective < from_pool.objective
    assert beyond.objective == beyond.factors.objective(matrix, 1)
    assert beyond.bound_over_pool <= beyond.objective


def test_on_data_both_formulations_agree_with_themselves():
    matrix, pool = zoo_pool()
    # These rectangles cover no zero, so the formulations have one optimum.
    plain = solve_integer_master(matrix, pool, 4)
    exact = solve_integer_master(matrix, pool, 4, formulation="exact")
    assert plain.is_optimal_over_pool
    assert exact.is_optimal_over_pool
    assert plain.objective == exact.objective == plain.factors.error(matrix)
    assert 0 < plain.columns <= len(pool) + 4


def test_a_met_lower_bound_ends_the_search():
    matrix, pool = zoo_pool()
    best = solve_integer_master(matrix, pool, 3)
    bound = Bound(Quantity.OBJECTIVE, best.objective, 3, "a claim", proof=None, rho=Fraction(1))
    again = solve_integer_master(matrix, pool, 3, incumbent=best.factors, bound=bound)
    assert again.objective == best.objective
    assert again.is_optimal_over_pool
    assert again.nodes == again.columns == 0


def test_out_of_time_the_incumbent_comes_back():
    matrix, pool = zoo_pool()
    incumbent = swap_search(matrix, pool, 5, rounds=0)
    stop = Stop(time_limit=1e-9)
    solution = solve_integer_master(matrix, pool, 5, incumbent=incumbent, stop=stop)
    assert solution.objective == incumbent.objective(matrix)
    assert not solution.is_optimal_over_pool
    assert solution.bound_over_pool < solution.objective


def test_an_interruption_ends_the_integer_program():
    matrix, pool = zoo_pool()
    stop = Stop()
    stop.interrupt()
    solution = solve_integer_master(matrix, pool, 5, stop=stop)
    assert solution.factors.rank == 5
    assert not solution.is_optimal_over_pool


def test_a_pool_too_large_for_the_integer_program_gets_swaps(monkeypatch):
    monkeypatch.setattr(integer, "_LARGEST_PROGRAM", 10)
    matrix, pool = zoo_pool()
    solution = solve_integer_master(matrix, pool, 5)
    assert solution.objective < matrix.ones_weight
    assert not solution.is_optimal_over_pool


def test_an_empty_pool_covers_nothing():
    matrix = BinaryMatrix(np.eye(3, dtype=np.int8))
    solution = solve_integer_master(matrix, RectanglePool(3, 3), 2)
    assert solution.objective == 3
    assert solution.is_optimal_over_pool


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"formulation": "strong"}, "formulation must be 'rho' or 'exact', got 'strong'"),
        ({"rho": 0}, "rho must be positive, got 0"),
        ({"k": 0}, "k must be at least 1, got 0"),
    ],
)
def test_wrong_arguments_are_named(arguments, message):
    matrix = BinaryMatrix(np.eye(3, dtype=np.int8))
    with pytest.raises(ValueError, match=message):
        solve_integer_master(matrix, RectanglePool(3, 3), **{"k": 2, **arguments})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"objective": "rank"}, "objective must be 'error' or a number, got 'rank'"),
        ({"objective": 0}, "objective must be 'error' or a positive number, got 0"),
        ({"rounds": -1}, "rounds must not be negative, got -1"),
        (
            {"start": Factors.from_rectangles((3, 3), [(np.ones(3, bool), np.ones(3, bool))] * 3)},
            "start has 3 rectangles, expected at most k = 2",
        ),
    ],
)
def test_wrong_arguments_of_the_swap_search_are_named(arguments, message):
    matrix = BinaryMatrix(np.eye(3, dtype=np.int8))
    with pytest.raises(ValueError, match=message):
        swap_search(matrix, RectanglePool(3, 3), 2, **arguments)
