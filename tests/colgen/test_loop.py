"""Column generation: against the full linear program, and with pricers made to fail."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boolfact.colgen import generate
from boolfact.colgen.loop import generate_columns
from boolfact.colgen.strategies import STRATEGIES, Strategy
from boolfact.control.stop import Stop
from boolfact.control.trace import Trace
from boolfact.datasets import load_dataset
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.rectangles import RectanglePool
from boolfact.model.reduction import reduce_matrix
from boolfact.pricing.exact import PricingResult, price_exact
from boolfact.pricing.heuristic import Priced

import naive
from strategies import matrices

RHOS = [Fraction(1), Fraction(19, 20), Fraction(1, 2), Fraction(1, 3)]
FULL_RANK_OF_TRIANGLES = BinaryMatrix(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=np.int8))


def full_value(matrix, k, rho):
    return naive.mlp(matrix.values, matrix.weights, k, rho, naive.all_rectangles(*matrix.shape))


def check(result, matrix, k, rho, optimal=True):
    z = full_value(matrix, k, rho)
    slack = 1e-5 * max(1.0, z)
    assert result.master_value >= z - slack
    if result.bound is not None:
        assert result.bound.value <= z + 1e-7
        assert result.bound.objective_bound <= naive.best_objective(
            matrix.values, matrix.weights, k, rho
        )
        if rho * k <= 1:
            assert result.bound.error_bound <= naive.best_error(matrix.values, matrix.weights, k)
    if optimal:
        assert result.is_optimal
        assert result.master_value == pytest.approx(z, abs=slack)
    assert len(result.q) == len(result.pool)


@given(matrices(4), st.integers(1, 2), st.sampled_from(RHOS))
@settings(max_examples=150, deadline=None)
def test_it_solves_the_full_linear_program_and_proves_it(matrix, k, rho):
    check(generate_columns(matrix, k, rho=rho), matrix, k, rho)


@pytest.mark.parametrize("master", ["simplex", "ipm", "interior"])
@pytest.mark.parametrize("strategy", list(STRATEGIES))
@given(matrix=matrices(4), k=st.integers(1, 2))
@settings(max_examples=8, deadline=None)
def test_every_strategy_with_every_exact_master_gets_there(master, strategy, matrix, k):
    rho = Fraction(1)
    check(generate_columns(matrix, k, rho=rho, strategy=strategy, master=master), matrix, k, rho)


@given(matrices(4), st.integers(1, 2))
@settings(max_examples=25, deadline=None)
def test_the_smoothed_master_bounds_what_it_cannot_finish(matrix, k):
    result = generate_columns(matrix, k, master="smoothed")
    check(result, matrix, k, Fraction(1), optimal=False)
    assert result.bound is not None
    assert result.reason in ("optimal", "stalled")


@given(matrices(4), st.integers(1, 3))
@settings(max_examples=30, deadline=None)
def test_the_exact_formulation_has_the_value_of_one_kth(matrix, k):
    """Lemma lemma_coincide."""
    rho = Fraction(1, k)
    result = generate_columns(matrix, k, rho=rho, formulation="exact")
    check(result, matrix, k, rho)
    z = naive.mlp_exact(matrix.values, matrix.weights, k, naive.all_rectangles(*matrix.shape))
    assert result.master_value == pytest.approx(z, abs=1e-5 * max(1.0, z))


@given(matrices(4), st.integers(1, 2), st.data())
@settings(max_examples=30, deadline=None)
def test_it_goes_on_from_a_given_pool(matrix, k, data):
    rectangles = naive.all_rectangles(*matrix.shape)
    chosen = data.draw(st.lists(st.sampled_from(rectangles), max_size=5))
    pool = RectanglePool(*matrix.shape)
    pool.extend(chosen)
    result = generate_columns(matrix, k, pool=pool)
    assert result.pool is pool
    check(result, matrix, k, Fraction(1))


@given(matrices(4), st.integers(1, 2), st.integers(0, 3))
@settings(max_examples=50, deadline=None)
def test_an_incumbent_ends_it_only_when_it_is_proved(matrix, k, worse):
    best = naive.best_objective(matrix.values, matrix.weights, k, 1)
    result = generate_columns(matrix, k, incumbent=best + worse)
    check(result, matrix, k, Fraction(1), optimal=False)
    assert result.reason in ("incumbent", "optimal")
    if result.reason == "incumbent":
        assert result.bound.objective_bound == best
        assert worse == 0


# --- pricers and heuristics made to fail -------------------------------------------------


def empty(H, upper):
    n, m = np.asarray(H).shape
    return PricingResult(0, np.zeros(n, bool), np.zeros(m, bool), upper, False, 0, 0.0)


def finds_nothing(H, **options):
    return empty(H, int(np.maximum(H, 0).sum()))


def finds_the_first_entry_only(H, **options):
    n, m = H.shape
    a, b = np.arange(n) == 0, np.arange(m) == 0
    upper = int(np.maximum(H, 0).sum())
    return PricingResult(max(0, int(H[0, 0])), a, b, upper, False, 1, 0.0)


def is_stopped_at_once(H, *, node_limit=None, **options):
    return price_exact(H, node_limit=1)


def denies_what_the_pool_holds(H, **options):
    return empty(H, 0)


def repeats_itself(H, **options):
    result = price_exact(H)
    other = (result.value, result.a, result.b)
    return PricingResult(
        result.value,
        result.a,
        result.b,
        result.upper_bound,
        result.is_optimal,
        result.nodes,
        result.seconds,
        [other, other],
    )


FAKES = [
    finds_nothing,
    finds_the_first_entry_only,
    is_stopped_at_once,
    denies_what_the_pool_holds,
    repeats_itself,
]


@pytest.mark.parametrize("strategy", ["auto", "exact", "heur_multi"])
@pytest.mark.parametrize("pricer", FAKES)
@given(matrix=matrices(3), k=st.integers(1, 2))
@settings(max_examples=12, deadline=None)
def test_a_failing_pricer_ends_the_loop_without_a_wrong_bound(strategy, pricer, matrix, k):
    master = "interior" if strategy == "auto" else "simplex"
    result = generate_columns(
        matrix,
        k,
        exact_pricer=pricer,
        strategy=strategy,
        master=master,
        stop=Stop(iteration_limit=60),
    )
    assert result.reason in ("optimal", "stalled", "iteration limit")
    if pricer is not denies_what_the_pool_holds:
        check(result, matrix, k, Fraction(1), optimal=False)
    if pricer is finds_nothing and result.bound is not None and matrix.ones_weight:
        assert result.bound.omega_bound >= 0


@given(matrix=matrices(3), k=st.integers(1, 2))
@settings(max_examples=40, deadline=None)
def test_exact_pricing_alone_gets_there_when_the_heuristic_finds_nothing(matrix, k):
    n, m = matrix.shape
    nothing = Priced(np.zeros(0), np.zeros((0, n), bool), np.zeros((0, m), bool))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(generate, "find_columns", lambda *rest: nothing)
        check(generate_columns(matrix, k), matrix, k, Fraction(1))


def test_a_guess_of_the_heuristic_is_never_taken_for_a_bound():
    """Heuristic pricing that overlooks everything makes the guess far too high."""
    X = FULL_RANK_OF_TRIANGLES
    nothing = Priced(np.zeros(0), np.zeros((0, 3), bool), np.zeros((0, 3), bool))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(generate, "find_columns", lambda *rest: nothing)
        result = generate_columns(X, 1, exact_pricer=finds_nothing)
    assert result.reason == "stalled"
    assert not result.is_optimal
    assert result.bound.value <= full_value(X, 1, Fraction(1))


# --- stopping, tracing -------------------------------------------------------------------


def zoo():
    return reduce_matrix(load_dataset("zoo")).matrix


def test_an_iteration_limit_ends_it_with_what_it_has():
    result = generate_columns(zoo(), 5, stop=Stop(iteration_limit=6))
    assert result.reason == "iteration limit"
    assert result.iterations == 6
    assert not result.is_optimal
    assert len(result.pool) == len(result.q) > 0


def test_an_interruption_ends_it_at_once():
    stop = Stop()
    stop.interrupt()
    result = generate_columns(zoo(), 5, stop=stop)
    assert result.reason == "interrupted"
    assert result.iterations == 1


def test_a_time_limit_is_kept_and_bounds_stay_valid():
    result = generate_columns(zoo(), 10, stop=Stop(0.3))
    assert result.reason in ("time limit", "optimal")
    assert result.bound is None or result.bound.value <= 38.75


def test_the_same_seed_gives_the_same_run():
    runs = [
        generate_columns(zoo(), 5, seed=3, workers=workers, stop=Stop(iteration_limit=12))
        for workers in (1, 1, 2)
    ]
    for other in runs[1:]:
        assert other.master_value == pytest.approx(runs[0].master_value, rel=1e-12)
        assert len(other.pool) == len(runs[0].pool)


def test_the_trace_tells_values_and_proved_bounds_over_time():
    trace, events = Trace(), []
    result = generate_columns(
        zoo(), 5, trace=trace, strategy="heur_multi", master="ipm", progress=events.append
    )
    assert result.trace is trace
    seconds = [point.seconds for point in trace.points]
    assert seconds == sorted(seconds)
    values = [point.master for point in trace.points]
    assert values[0] == zoo().ones_weight
    assert values[-1] == pytest.approx(127)
    assert all(after <= before * (1 + 1e-6) for before, after in itertools.pairwise(values))
    bounds = [
        point.objective_lower_bound
        for point in trace.points
        if point.objective_lower_bound is not None
    ]
    assert bounds == sorted(bounds)
    assert bounds[-1] == float(result.bound.value)
    assert {"seconds master", "seconds heuristic pricing", "seconds exact pricing"} <= set(
        trace.counters
    )
    assert trace.counters["exact pricings"] >= 1
    assert all(event.phase == "column generation" for event in events)


@pytest.mark.parametrize(("k", "z"), [(2, 272), (5, 127), (10, 38.75)])
def test_zoo_is_solved_and_proved(k, z):
    result = generate_columns(zoo(), k)
    assert result.reason == "optimal"
    assert result.master_value == pytest.approx(z, abs=1e-3)
    assert z - 1e-3 <= result.bound.value <= z
    assert result.bound.objective_bound == int(np.ceil(z))


@pytest.mark.parametrize(("k", "z"), [(2, 206.5), (5, 42.838), (10, 4.793)])
def test_zoo_has_the_published_bounds_on_the_error(k, z):
    result = generate_columns(zoo(), k, rho=Fraction(1, k))
    assert result.is_optimal
    assert result.master_value == pytest.approx(z, abs=0.05)
    assert result.bound.error_bound == int(np.ceil(float(result.bound.value)))


def test_a_small_pool_limit_still_reaches_the_optimum():
    """Purging forgets rectangles that are needed again; the limit grows until it stops."""
    tight = Strategy("multistart", "diverse", "last", 0.5, 20, 0.02, 20, pool_limit=30)
    result = generate_columns(zoo(), 5, strategy=tight)
    assert result.is_optimal
    assert result.master_value == pytest.approx(127, abs=1e-3)


def test_an_unknown_strategy_is_refused_by_name():
    with pytest.raises(ValueError, match="unknown strategy 'best'; expected one of exact, heur"):
        generate_columns(zoo(), 2, strategy="best")


def test_the_integral_solution_of_zoo_is_a_factorisation():
    result = generate_columns(zoo(), 2)
    used = np.flatnonzero(result.q > 0.5)
    chosen = [(result.pool.A[u], result.pool.B[u]) for u in used]
    factors = Factors.from_rectangles(zoo().shape, chosen)
    assert factors.objective(zoo(), 1) == 272


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "z"),
    [
        ("tumor", 1408),
        ("heart", 1185),
        ("votes", 2926),
        ("apb", 776),
        ("audio", 1499),
        ("hepat", 1384),
        ("lymp", 1188.096),
    ],
)
def test_rank_two_is_proved_on_every_dataset(name, z):
    result = generate_columns(reduce_matrix(load_dataset(name)).matrix, 2, workers=2)
    assert result.reason == "optimal"
    assert result.master_value == pytest.approx(z, abs=2e-3 + 1e-6 * z)
