"""MLP(rho) by column generation: against the full linear program, and with failing pricers."""

import itertools
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boolfact.colgen.loop import generate_columns
from boolfact.colgen.mlp.duals import restate
from boolfact.colgen.mlp.interior import newton_step
from boolfact.colgen.mlp.relaxation import MLP
from boolfact.colgen.settings import LoopSettings
from boolfact.colgen.strategies import STRATEGIES, Strategy
from boolfact.control.ending import Ending
from boolfact.control.stop import Stop
from boolfact.control.trace import Trace
from boolfact.datasets import load_dataset
from boolfact.model.bound import Quantity, float_below
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
        assert result.bound.rounded <= naive.best_objective(matrix.values, matrix.weights, k, rho)
        if rho * k <= 1:
            on_error = restate(result.bound, on=Quantity.ERROR)
            assert on_error.rounded <= naive.best_error(matrix.values, matrix.weights, k)
    if optimal:
        assert result.is_optimal
        assert result.master_value == pytest.approx(z, abs=slack)
    assert len(result.q) == len(result.pool)


@given(matrices(4), st.integers(1, 2), st.sampled_from(RHOS))
@settings(max_examples=150, deadline=None)
def test_it_solves_the_full_linear_program_and_proves_it(matrix, k, rho):
    check(generate_columns(MLP(matrix, k, rho)), matrix, k, rho)


@pytest.mark.parametrize("master", ["simplex", "ipm", "interior"])
@pytest.mark.parametrize("strategy", list(STRATEGIES))
@given(matrix=matrices(4), k=st.integers(1, 2))
@settings(max_examples=8, deadline=None)
def test_every_strategy_with_every_exact_master_gets_there(master, strategy, matrix, k):
    rho = Fraction(1)
    relaxation = MLP(matrix, k, rho, master=master)
    check(generate_columns(relaxation, strategy=strategy), matrix, k, rho)


@given(matrices(4), st.integers(1, 2))
@settings(max_examples=25, deadline=None)
def test_the_smoothed_master_bounds_what_it_cannot_finish(matrix, k):
    result = generate_columns(MLP(matrix, k, master="smoothed"))
    check(result, matrix, k, Fraction(1), optimal=False)
    assert result.bound is not None
    assert result.ending in (Ending.PROVED, Ending.STALLED)


@given(matrices(4), st.integers(1, 3))
@settings(max_examples=30, deadline=None)
def test_the_exact_formulation_has_the_value_of_one_kth(matrix, k):
    """Lemma lemma_coincide."""
    rho = Fraction(1, k)
    result = generate_columns(MLP(matrix, k, rho, formulation="exact"))
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
    result = generate_columns(MLP(matrix, k), pool=pool)
    assert result.pool is pool
    check(result, matrix, k, Fraction(1))


@given(matrices(4), st.integers(1, 2), st.integers(0, 3))
@settings(max_examples=50, deadline=None)
def test_an_incumbent_ends_it_only_when_it_is_proved(matrix, k, worse):
    best = naive.best_objective(matrix.values, matrix.weights, k, 1)
    result = generate_columns(MLP(matrix, k), incumbent=best + worse)
    check(result, matrix, k, Fraction(1), optimal=False)
    assert result.ending in (Ending.INCUMBENT, Ending.PROVED)
    if result.ending is Ending.INCUMBENT:
        assert result.bound.rounded == best
        assert worse == 0


# --- pricers and heuristics made to fail -------------------------------------------------


class PricedBy(MLP):
    """MLP with another exact pricing, and perhaps a heuristic that finds nothing."""

    def __init__(self, pricer, *args, blind=False, **options):
        super().__init__(*args, **options)
        self.pricer, self.blind = pricer, blind

    def price_exactly(self, point, **options):
        return self.pricer(point.H, **options)

    def find_columns(self, prices, *rest):
        if not self.blind:
            return super().find_columns(prices, *rest)
        n, m = self.shape
        return Priced(np.zeros(0), np.zeros((0, n), bool), np.zeros((0, m), bool))


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
    relaxation = PricedBy(pricer, matrix, k, master=master)
    result = generate_columns(relaxation, strategy=strategy, stop=Stop(iteration_limit=60))
    assert result.ending in (Ending.PROVED, Ending.STALLED, Ending.ITERATION_LIMIT)
    if pricer is not denies_what_the_pool_holds:
        check(result, matrix, k, Fraction(1), optimal=False)


@given(matrix=matrices(3), k=st.integers(1, 2))
@settings(max_examples=40, deadline=None)
def test_exact_pricing_alone_gets_there_when_the_heuristic_finds_nothing(matrix, k):
    check(generate_columns(PricedBy(price_exact, matrix, k, blind=True)), matrix, k, Fraction(1))


def test_a_guess_of_the_heuristic_is_never_taken_for_a_bound():
    """Heuristic pricing that overlooks everything makes the guess far too high."""
    X = FULL_RANK_OF_TRIANGLES
    result = generate_columns(PricedBy(finds_nothing, X, 1, blind=True))
    assert result.ending is Ending.STALLED
    assert not result.is_optimal
    assert result.bound.value <= full_value(X, 1, Fraction(1))


# --- stopping, tracing -------------------------------------------------------------------


def zoo():
    return reduce_matrix(load_dataset("zoo")).matrix


def test_an_iteration_limit_ends_it_with_what_it_has():
    result = generate_columns(MLP(zoo(), 5), stop=Stop(iteration_limit=6))
    assert result.ending is Ending.ITERATION_LIMIT
    assert result.iterations == 6
    assert not result.is_optimal
    assert len(result.pool) == len(result.q) > 0


def test_an_interruption_ends_it_at_once():
    stop = Stop()
    stop.interrupt()
    result = generate_columns(MLP(zoo(), 5), stop=stop)
    assert result.ending is Ending.INTERRUPTED
    assert result.iterations == 1


def test_a_time_limit_is_kept_and_bounds_stay_valid():
    result = generate_columns(MLP(zoo(), 10), stop=Stop(0.3))
    assert result.ending in (Ending.TIME_LIMIT, Ending.PROVED)
    assert result.bound is None or result.bound.value <= 38.75


def test_the_same_seed_gives_the_same_run():
    runs = [
        generate_columns(MLP(zoo(), 5), seed=3, workers=workers, stop=Stop(iteration_limit=12))
        for workers in (1, 1, 2)
    ]
    for other in runs[1:]:
        assert other.master_value == pytest.approx(runs[0].master_value, rel=1e-12)
        assert len(other.pool) == len(runs[0].pool)


def test_the_trace_tells_values_and_proved_bounds_over_time():
    trace, events = Trace(), []
    result = generate_columns(
        MLP(zoo(), 5, master="ipm"), trace=trace, strategy="heur_multi", progress=events.append
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
    assert bounds[-1] == float_below(result.bound.value)
    assert {"seconds_master", "seconds_heuristic_pricing", "seconds_exact_pricing"} <= set(
        trace.counters
    )
    assert trace.counters["exact_pricings"] >= 1


@pytest.mark.parametrize(("k", "z"), [(2, 272), (5, 127), (10, 38.75)])
def test_zoo_is_solved_and_proved(k, z):
    result = generate_columns(MLP(zoo(), k))
    assert result.ending is Ending.PROVED
    assert result.master_value == pytest.approx(z, abs=1e-3)
    assert z - 1e-3 <= result.bound.value <= z
    assert result.bound.rounded == int(np.ceil(z))


@pytest.mark.parametrize(("k", "z"), [(2, 206.5), (5, 42.838), (10, 4.793)])
def test_zoo_has_the_published_bounds_on_the_error(k, z):
    result = generate_columns(MLP(zoo(), k, Fraction(1, k), on=Quantity.ERROR))
    assert result.is_optimal
    assert result.master_value == pytest.approx(z, abs=0.05)
    assert result.bound.on is Quantity.ERROR
    assert result.bound.rounded == int(np.ceil(z))


def test_a_small_pool_limit_still_reaches_the_optimum():
    """Purging forgets rectangles that are needed again; the limit grows until it stops."""
    tight = Strategy(
        "multistart", "diverse", "last", centre=0.5, limit=20, nearly=0.02, random=20, pool_limit=30
    )
    result = generate_columns(MLP(zoo(), 5), strategy=tight)
    assert result.is_optimal
    assert result.master_value == pytest.approx(127, abs=1e-3)


def test_an_unknown_strategy_is_refused_by_name():
    with pytest.raises(ValueError, match="unknown strategy 'best'; expected one of exact, heur"):
        generate_columns(MLP(zoo(), 2), strategy="best")


def test_the_integral_solution_of_zoo_is_a_factorisation():
    result = generate_columns(MLP(zoo(), 2))
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
    result = generate_columns(MLP(reduce_matrix(load_dataset(name)).matrix, 2), workers=2)
    assert result.ending is Ending.PROVED
    assert result.master_value == pytest.approx(z, abs=2e-3 + 1e-6 * z)


def test_bounds_on_the_error_are_traced_and_told_as_such():
    trace, events = Trace(), []
    settings = LoopSettings(seconds_between_events=0.0)
    relaxation = MLP(zoo(), 2, Fraction(1, 2), on=Quantity.ERROR)
    result = generate_columns(relaxation, trace=trace, progress=events.append, settings=settings)
    for told in (*trace.points, *events):
        assert told.objective_lower_bound is None
    assert trace.points[-1].error_lower_bound == float_below(result.bound.value)
    assert len(events) >= result.iterations
    assert all(event.phase == "column generation" for event in events)


def test_what_does_not_fit_is_refused_by_name():
    X = FULL_RANK_OF_TRIANGLES
    with pytest.raises(ValueError, match="a bound on the error needs rho of at most 1/2, got 1"):
        MLP(X, 2, on=Quantity.ERROR)
    with pytest.raises(ValueError, match="formulation 'exact' needs rho = 1/2, got 1"):
        MLP(X, 2, formulation="exact")
    with pytest.raises(ValueError, match="unknown master 'cplex'"):
        MLP(X, 2, master="cplex")
    with pytest.raises(ValueError, match="needs master simplex or ipm, got 'interior'"):
        MLP(X, 2, Fraction(1, 2), formulation="exact", master="interior")
    with pytest.raises(ValueError, match="rho must be positive, got 0"):
        MLP(X, 2, 0)
    with pytest.raises(ValueError, match="heuristic must be one of paper, multistart, got 'luck'"):
        Strategy("luck", "best", "last")


def test_an_interior_master_takes_few_steps_from_where_another_one_was(monkeypatch):
    steps = []

    def counted(*args):
        steps.append(1)
        return newton_step(*args)

    monkeypatch.setattr("boolfact.colgen.mlp.interior.newton_step", counted)
    relaxation = MLP(zoo(), 5)
    first = generate_columns(relaxation, stop=Stop(iteration_limit=12))
    state = pickle.loads(pickle.dumps(first.state))
    taken = []
    for start in (None, state):
        steps.clear()
        solution = relaxation.master(start=start).solve(first.pool, 1e-6, Stop())
        assert solution.gap <= 1e-6
        taken.append(len(steps))
    assert taken[1] <= 0.6 * taken[0]


@pytest.mark.parametrize("master", ["interior", "smoothed", "simplex"])
def test_a_run_goes_on_from_the_state_of_another_one(master):
    relaxation = MLP(zoo(), 2, master=master)
    first = generate_columns(relaxation, stop=Stop(iteration_limit=8))
    again = generate_columns(relaxation, pool=first.pool, start=first.state)
    assert again.master_value == pytest.approx(272, abs=0.1)
    assert len(again.state.q) <= len(again.pool)
    other = MLP(zoo(), 2, master="smoothed" if master == "interior" else "interior")
    with pytest.raises(ValueError, match=r"start is for a pool of at least \d+ rectangles"):
        other.master(start=again.state).solve(RectanglePool(*other.shape), 0.1, Stop())
