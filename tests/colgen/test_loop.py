"""The loop of column generation, with a relaxation that is made to fail in every way."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from boolfact.colgen.loop import generate_columns
from boolfact.colgen.settings import LoopSettings
from boolfact.colgen.strategies import STRATEGIES, Strategy
from boolfact.control.ending import Ending
from boolfact.control.executor import SERIAL
from boolfact.control.stop import Stop
from boolfact.control.trace import Trace
from boolfact.model.bound import float_below
from boolfact.model.rectangles import RectanglePool
from boolfact.pricing.heuristic import Priced
from colgen.fake import ITEMS, Fake, FakeMaster, finds_nothing

NOTHING = Priced(np.zeros(0), np.zeros((0, 1), bool), np.zeros((0, ITEMS), bool))


def check(result, fake):
    """Whatever happened: the bound is one that was proved, the best of them, and true."""
    if result.bound is None:
        assert not fake.proved
    else:
        assert result.bound in fake.proved
        assert result.bound.value == max(bound.value for bound in fake.proved)
        assert result.bound.value <= fake.best
    assert len(result.q) == len(result.pool)
    told = [point.error_lower_bound for point in result.trace.points]
    told = [bound for bound in told if bound is not None]
    assert told == sorted(told)
    proved = [float_below(bound.value) for bound in fake.proved]
    assert set(told) <= set(proved)
    assert all(point.objective_lower_bound is None for point in result.trace.points)


@pytest.mark.parametrize("strategy", list(STRATEGIES))
@pytest.mark.parametrize("k", [1, 2, 6, 9])
def test_any_relaxation_is_solved_and_proved(strategy, k):
    fake = Fake(k)
    result = generate_columns(fake, strategy=strategy)
    check(result, fake)
    assert result.ending is Ending.PROVED
    assert result.is_optimal
    assert result.master_value == fake.best == result.bound.rounded


@pytest.mark.parametrize("strategy", list(STRATEGIES))
def test_a_heuristic_that_finds_nothing_leaves_it_to_exact_pricing(strategy):
    class Blind(Fake):
        def find_columns(self, *args):
            return NOTHING

    fake = Blind()
    result = generate_columns(fake, strategy=strategy)
    check(result, fake)
    assert result.ending is Ending.PROVED
    assert len(fake.asked) >= 2


def test_a_heuristic_that_finds_only_what_is_known_leaves_it_to_exact_pricing():
    class Forgetful(Fake):
        def find_columns(self, prices, *args):
            return Priced(prices[:1], np.ones((1, 1), bool), np.eye(1, ITEMS, dtype=bool))

    fake = Forgetful()
    result = generate_columns(fake)
    check(result, fake)
    assert result.ending is Ending.PROVED


# --- masters -----------------------------------------------------------------------------


BROKEN = [{"value": math.nan}, {"lower": math.nan}, {"mu": math.inf}, {"prices": math.nan}]


def broken(solution, change):
    if "prices" in change:
        change = {"prices": np.full(ITEMS, math.nan)}
    return replace(solution, **change)


class Breaking(Fake):
    """Masters that fail in some of their solutions, counted over all of them."""

    def __init__(self, change, fails):
        super().__init__()
        self.change, self.fails, self.solved = change, fails, 0

    def master(self, executor=SERIAL, start=None):
        fake = self

        class Master(FakeMaster):
            def solve(self, *args):
                fake.solved += 1
                solution = super().solve(*args)
                return broken(solution, fake.change) if fake.fails(fake.solved) else solution

        self.masters.append(Master(self.k))
        return self.masters[-1]


@pytest.mark.parametrize("change", BROKEN, ids=str)
@pytest.mark.parametrize("when", [1, 2, 3])
def test_a_master_that_fails_once_is_replaced(change, when):
    fake = Breaking(change, lambda u: u == when)
    result = generate_columns(fake, strategy="heur")
    check(result, fake)
    assert result.ending is Ending.PROVED
    assert result.trace.counters["failed_masters"] == 1
    assert len(fake.masters) == 2


@pytest.mark.parametrize("change", BROKEN, ids=str)
@pytest.mark.parametrize("when", [1, 2, 3])
def test_a_master_that_keeps_failing_ends_the_loop(change, when):
    fake = Breaking(change, lambda u: u >= when)
    result = generate_columns(fake, strategy="heur")
    check(result, fake)
    assert result.ending is Ending.STALLED
    assert not result.is_optimal
    assert result.iterations == when
    assert math.isfinite(result.master_value) == (when > 1)
    assert all(point.master is None or point.master >= 4 for point in result.trace.points)
    assert not result.q.any()


def test_what_was_reached_before_a_master_failed_is_still_proved():
    fake = Breaking({"value": math.nan}, lambda u: u >= 3)
    result = generate_columns(fake, strategy="heur")
    assert result.bound is not None
    assert len(fake.asked) == 1


# --- exact pricing -----------------------------------------------------------------------


class Cut(Fake):
    """Exact pricing is cut short at once."""

    def price_exactly(self, point, **asked):
        self.asked.append(asked)
        return finds_nothing(point.p.sum())


@pytest.mark.parametrize("strategy", list(STRATEGIES))
@pytest.mark.parametrize("blind", [False, True])
def test_exact_pricing_that_is_cut_short_ends_in_a_stall(strategy, blind):
    fake = Cut()
    if blind:
        fake.find_columns = lambda *args: NOTHING
    result = generate_columns(fake, strategy=strategy, stop=Stop(iteration_limit=50))
    check(result, fake)
    assert result.ending is Ending.STALLED
    assert not result.is_optimal
    # Finer prices were tried before giving up.
    assert fake.bits[-1] == LoopSettings().fine_bits


@pytest.mark.parametrize("strategy", list(STRATEGIES))
def test_an_upper_bound_below_what_is_known_is_not_believed(strategy):
    class Liar(Fake):
        def price_exactly(self, point, **asked):
            return replace(super().price_exactly(point, **asked), upper_bound=0)

    fake = Liar()
    check(generate_columns(fake, strategy=strategy, stop=Stop(iteration_limit=50)), fake)


def test_an_upper_bound_below_the_pool_is_not_believed():
    class Denier(Fake):
        def price_exactly(self, point, **asked):
            return finds_nothing(0)

    fake = Denier()
    pool = RectanglePool(1, ITEMS)
    pool.extend((np.ones(1, bool), row) for row in np.eye(ITEMS, dtype=bool))
    check(generate_columns(fake, pool=pool, stop=Stop(iteration_limit=50)), fake)


def test_a_worse_bound_does_not_replace_a_better_one():
    class Tiring(Fake):
        """The first proof is the best one."""

        def price_exactly(self, point, **asked):
            result = super().price_exactly(point, **asked)
            return replace(result, upper_bound=result.upper_bound + 2 * len(self.asked))

    fake = Tiring()
    result = generate_columns(fake, strategy="exact", stop=Stop(iteration_limit=20))
    check(result, fake)
    assert len(fake.proved) > 1
    assert fake.proved[-1].value < result.bound.value


@pytest.mark.parametrize("part", ["find_columns", "price_exactly", "rounded", "bound"])
def test_an_error_in_a_part_is_not_hidden(part):
    fake, trace, pool = Fake(), Trace(), RectanglePool(1, ITEMS)

    def fails(*args, **options):
        raise ArithmeticError("made to fail")

    setattr(fake, part, fails)
    with pytest.raises(ArithmeticError, match="made to fail"):
        generate_columns(fake, trace=trace, pool=pool)
    assert trace.counters["seconds_master"] > 0
    assert bool(len(pool)) == (part != "find_columns")


# --- incumbents and stops ----------------------------------------------------------------


@pytest.mark.parametrize("worse", [0, 1, 5])
def test_the_loop_ends_where_the_bound_meets_the_incumbent(worse):
    fake = Fake()
    result = generate_columns(fake, incumbent=fake.best + worse)
    check(result, fake)
    assert result.ending is (Ending.INCUMBENT if worse == 0 else Ending.PROVED)


def test_a_bound_that_only_rounded_up_meets_the_incumbent_is_enough():
    class Loose(Fake):
        def price_exactly(self, point, **asked):
            result = super().price_exactly(point, **asked)
            return replace(result, upper_bound=result.upper_bound + 1)

    fake = Loose()
    result = generate_columns(fake, incumbent=fake.best)
    check(result, fake)
    assert result.ending is Ending.INCUMBENT
    assert fake.best - 1 < result.bound.value < fake.best


@pytest.mark.parametrize("strategy", ["auto", "exact", "heur"])
@pytest.mark.parametrize("stage", ["master", "find_columns", "rounded", "price_exactly", "bound"])
@pytest.mark.parametrize("when", [1, 2])
def test_an_interruption_at_any_stage_ends_the_loop(strategy, stage, when):
    fake, stop, calls = Fake(), Stop(), []
    real = getattr(fake, stage)

    def interrupted(*args, **options):
        calls.append(stage)
        if len(calls) == when:
            stop.interrupt()
        return real(*args, **options)

    setattr(fake, stage, interrupted)
    result = generate_columns(fake, strategy=strategy, stop=stop)
    check(result, fake)
    proved = result.bound is not None and result.bound.value == fake.best
    expected = Ending.INTERRUPTED if len(calls) >= when else Ending.PROVED
    assert result.ending is expected or (proved and result.ending is Ending.PROVED)
    assert len(calls) <= when + 1


def test_after_an_interrupted_pricing_no_master_is_solved():
    fake, stop = Fake(), Stop()
    real = fake.find_columns

    def interrupted(*args):
        stop.interrupt()
        return real(*args)

    fake.find_columns = interrupted
    assert generate_columns(fake, stop=stop).ending is Ending.INTERRUPTED
    assert fake.masters[0].solved == 1


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_an_iteration_limit_leaves_a_bound(limit):
    fake = Fake(4)
    result = generate_columns(fake, strategy="heur", stop=Stop(iteration_limit=limit))
    check(result, fake)
    assert result.ending is Ending.ITERATION_LIMIT
    assert result.iterations == limit
    assert (result.bound is not None) == (limit > 1)
    assert all(asked["executor"] is SERIAL for asked in fake.asked)


def test_a_time_limit_ends_it():
    class Slow(Fake):
        def find_columns(self, *args):
            while not stop.now():
                pass
            return super().find_columns(*args)

    stop = Stop(0.05)
    fake = Slow()
    result = generate_columns(fake, stop=stop)
    check(result, fake)
    assert result.ending is Ending.TIME_LIMIT


# --- the pool ----------------------------------------------------------------------------


def test_a_pool_that_is_purged_too_far_grows_until_it_is_enough():
    fake = Fake(4)
    strategy = Strategy("paper", "all", "last", centre=0.5, pool_limit=2)
    result = generate_columns(fake, strategy=strategy, stop=Stop(iteration_limit=200))
    check(result, fake)
    assert fake.masters[0].purges
    assert result.ending is Ending.PROVED


def test_it_goes_on_from_a_given_pool():
    fake, pool = Fake(), RectanglePool(1, ITEMS)
    pool.add(np.ones(1, bool), np.ones(ITEMS, bool))
    result = generate_columns(fake, pool=pool)
    check(result, fake)
    assert result.pool is pool
    assert result.iterations == 1


def test_the_threshold_of_exact_pricing_is_what_would_end_the_loop():
    fake = Fake()
    generate_columns(fake, strategy="heur", incumbent=Fraction(4))
    point = fake.rounded(np.ones(ITEMS))
    # Anything above 3 proves 4: 6 - 2 omega > 3.
    assert fake.asked[-1]["cutoff"] == point.largest_omega(Fraction(3), strictly=True) == 23


@pytest.mark.parametrize(
    "wrong",
    [
        {"last_tolerance": 0.0},
        {"last_tolerance": 0.2},
        {"share_of_gap": 1.0},
        {"pool_growth": 1.0},
        {"reserve": 0.0},
    ],
    ids=str,
)
def test_settings_out_of_range_are_refused_by_name(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        LoopSettings(**wrong)
