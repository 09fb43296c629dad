"""Exact pricing against enumeration, and its promises when it is cut short."""

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from boolfact.certificate.search import Answer, prove_at_most
from boolfact.control.executor import ThreadExecutor
from boolfact.control.stop import Stop
from boolfact.datasets import load_dataset
from boolfact.model.reduction import reduce_matrix
from boolfact.pricing.circle import circles
from boolfact.pricing.exact import price_exact
from boolfact.pricing.fold import fold
from boolfact.pricing.sweep import UpperBound

import naive
from strategies import shapes

worths = st.tuples(shapes(), st.sampled_from([1, 2, 5, 1000, 2**40])).flatmap(
    lambda drawn: hnp.arrays(np.int64, drawn[0], elements=st.integers(-drawn[1], drawn[1]))
)
duals = shapes().flatmap(
    lambda shape: hnp.arrays(
        np.int64, shape, elements=st.one_of(st.just(-64), st.just(0), st.integers(0, 64))
    )
)


def hard(n=40, m=24, seed=0):
    """Half ones priced at up to 1, zeros at -1: rectangles of many shapes are nearly best."""
    rng = np.random.default_rng(seed)
    return np.where(rng.random((n, m)) < 0.5, rng.integers(0, 4097, (n, m)), -4096)


def largest(H):
    return naive.largest_worth(H if H.shape[1] <= H.shape[0] else H.T)


class StopAfter:
    def __init__(self, asked):
        self.left = asked

    def now(self):
        self.left -= 1
        return self.left < 0


def check_attained(H, result):
    for value, a, b in [(result.value, result.a, result.b), *result.found]:
        assert value == H[a][:, b].sum()
        assert a.dtype == b.dtype == np.bool_


@settings(max_examples=300)
@given(st.one_of(worths, duals), st.integers(1, 3))
def test_the_optimum_is_that_of_enumeration(H, workers):
    result = price_exact(H, workers=workers)
    assert result.value == result.upper_bound == largest(H)
    assert result.is_optimal
    check_attained(H, result)


@pytest.mark.parametrize("H", [[[5]], [[0]], [[-5]], [[-1, -2], [-3, -4]], [[0, 0], [0, 0]]])
def test_a_matrix_with_an_obvious_optimum(H):
    result = price_exact(H)
    assert result.value == result.upper_bound == max(0, np.max(H))
    assert result.is_optimal


def test_a_positive_matrix_is_taken_whole():
    result = price_exact(np.ones((5, 70), dtype=int))
    assert result.value == 350
    assert result.a.all()
    assert result.b.all()


def test_equal_rows_and_columns_are_found_again():
    H = np.kron([[3, -2], [-1, 1]], np.ones((4, 5), dtype=int))
    result = price_exact(H)
    assert result.value == 60
    assert result.a.tolist() == [True] * 4 + [False] * 4
    assert result.b.tolist() == [True] * 5 + [False] * 5


@given(duals, st.integers(-5, 400))
def test_with_a_cutoff_only_larger_values_matter(H, cutoff):
    result = price_exact(H, cutoff=cutoff)
    assert result.upper_bound == max(result.value, cutoff)
    assert result.value == largest(H) or largest(H) <= cutoff
    assert result.is_optimal == (result.value == result.upper_bound)


@given(duals, st.integers(0, 400))
def test_the_first_value_above_is_enough(H, first_above):
    result = price_exact(H, first_above=first_above)
    assert largest(H) <= result.upper_bound
    assert (result.value > first_above) == (largest(H) > first_above)
    check_attained(H, result)


@given(duals, st.integers(1, 200), st.integers(1, 2))
def test_the_bound_is_valid_when_nodes_run_out(H, node_limit, workers):
    result = price_exact(H, node_limit=node_limit, workers=workers)
    assert result.value <= largest(H) <= result.upper_bound
    assert result.nodes <= node_limit * workers


@given(duals, st.integers(0, 5))
def test_the_bound_is_valid_when_stopped(H, asked):
    result = price_exact(H, stop=StopAfter(asked))
    assert result.value <= largest(H) <= result.upper_bound


def test_a_hard_matrix_is_proved_the_same_way_by_any_number_of_workers():
    H = hard()
    results = [price_exact(H, workers=workers) for workers in (1, 2, 3)]
    assert {(result.value, result.upper_bound) for result in results} == {
        (results[0].value, results[0].value)
    }
    for result in results:
        assert result.is_optimal
        check_attained(H, result)


def test_limits_do_not_change_what_is_proved():
    H = hard(60, 26, seed=1)
    free = price_exact(H)
    limited = price_exact(H, stop=Stop(time_limit=600.0))
    assert limited.is_optimal
    assert (limited.value, limited.upper_bound) == (free.value, free.value)


def test_more_nodes_give_better_bounds():
    H = hard(60, 30, seed=2)
    optimum = price_exact(H).value
    bounds = [price_exact(H, node_limit=limit).upper_bound for limit in (1000, 10**6, 10**9)]
    assert bounds[0] > bounds[1] >= bounds[2] == optimum


def test_the_trial_of_circles_and_the_steps_prove_the_same(monkeypatch):
    monkeypatch.setattr("boolfact.pricing.sweep._EASY", 10)
    monkeypatch.setattr("boolfact.pricing.sweep._TRIAL", 100)
    monkeypatch.setattr("boolfact.pricing.sweep._LONG", 0)
    levels = []
    sweep = UpperBound._sweep
    monkeypatch.setattr(
        UpperBound, "_sweep", lambda self, *args: levels.append(args[1]) or sweep(self, *args)
    )
    rng = np.random.default_rng(0)
    steps = 0
    for _ in range(30):
        H = np.where(rng.random((12, 10)) < 0.5, rng.integers(0, 33, (12, 10)), -32)
        levels.clear()
        result = price_exact(H, stop=StopAfter(10**9))
        assert result.value == result.upper_bound == largest(H)
        assert levels[-1] <= result.value
        steps += sum(level > result.value for level in levels)
    assert steps >= 30


def test_rectangles_to_begin_from_are_used():
    H = hard(40, 40, seed=3)
    best = price_exact(H)
    again = price_exact(H, start=[(best.a, best.b)], node_limit=1)
    assert again.value == best.value


def test_other_good_rectangles_are_distinct_best_first():
    H = hard(seed=4)
    result = price_exact(H)
    values = [value for value, _, _ in result.found]
    assert values == sorted(values, reverse=True)
    assert result.value >= values[0] > 0
    keys = {(a.tobytes(), b.tobytes()) for _, a, b in result.found}
    keys.add((result.a.tobytes(), result.b.tobytes()))
    assert len(keys) == len(values) + 1


def test_the_matrix_is_left_as_it_was():
    H = hard()
    before = H.copy()
    price_exact(H)
    assert (before == H).all()


@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupt_ends_the_search_soon_with_a_valid_bound(workers):
    H = hard(150, 60, seed=5)
    stop = Stop()
    threading.Timer(0.3, stop.interrupt).start()
    result = price_exact(H, stop=stop, workers=workers)
    assert not result.is_optimal
    assert result.upper_bound > result.value
    check_attained(H, result)


def test_the_stop_is_asked_between_short_calls_of_the_kernel():
    H = hard(150, 60, seed=6)
    stop = StopAfter(40)
    result = price_exact(H, stop=stop)
    circle = next(circles(fold(H).columns, np.full(60, 0.5)))
    assert circle.budget * 150 < 10**8
    assert 0 < result.nodes < 40 * circle.budget


@pytest.mark.parametrize(
    ("H", "error", "words"),
    [
        ([1, 2], ValueError, "non-empty matrix"),
        (np.zeros((0, 3), dtype=int), ValueError, "non-empty matrix"),
        ([[0.5]], TypeError, "integers, got dtype float64"),
        ([[2**62, 1]], ValueError, r"below 2\*\*60"),
    ],
)
def test_what_cannot_be_priced_is_refused(H, error, words):
    with pytest.raises(error, match=words):
        price_exact(H)


def test_workers_and_starts_are_checked():
    with pytest.raises(ValueError, match="workers must be at least 1, got 0"):
        price_exact([[1]], workers=0)
    with pytest.raises(ValueError, match="lengths 2 and 1, got a pair of shapes"):
        price_exact([[1], [2]], start=[(np.ones(2, bool), np.ones(2, bool))])


class Watched(ThreadExecutor):
    """Keeps what was submitted to it."""

    def __init__(self, workers):
        super().__init__(workers)
        self.futures = []

    def submit(self, function, /, *args, **kwargs):
        self.futures.append(super().submit(function, *args, **kwargs))
        return self.futures[-1]


def test_nothing_is_left_running_on_an_executor_that_belongs_to_somebody_else():
    rng = np.random.default_rng(1)
    H = rng.integers(-50, 40, size=(60, 40))
    with Watched(2) as executor:
        result = price_exact(H, node_limit=3_000_000, executor=executor)
        assert executor.futures
        assert all(future.done() for future in executor.futures)
        assert executor.submit(abs, -1).result() == 1
    assert not result.is_optimal


def enumerated(H):
    """Every set of columns at once: the sums of one half of them plus those of the other."""
    half = H.shape[1] // 2
    left, right = (
        np.array(naive.binary_vectors(part.shape[1]), dtype=np.int64) @ part.T
        for part in (H[:, :half], H[:, half:])
    )
    return max(int(np.maximum(right + sums, 0).sum(axis=1).max()) for sums in left)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["zoo", "heart"])
@pytest.mark.parametrize("seed", [0, 1])
def test_bundled_matrices_at_random_prices_agree_with_complete_enumeration(name, seed):
    matrix = reduce_matrix(load_dataset(name)).matrix
    prices = np.random.default_rng(seed).integers(0, 4097, matrix.shape)
    H = np.where(matrix.ones, prices, -4096) * matrix.weights
    result = price_exact(H)
    assert result.is_optimal
    assert result.value == enumerated(H)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hepat", "lymp", "audio", "apb", "votes"])
def test_the_verifier_agrees_on_bundled_matrices(name):
    matrix = reduce_matrix(load_dataset(name)).matrix
    prices = np.random.default_rng(0).integers(0, 4097, matrix.shape)
    H = np.where(matrix.ones, prices, -4096) * matrix.weights
    result = price_exact(H, workers=2)
    assert result.is_optimal
    assert prove_at_most(H, result.value).answer is Answer.PROVED
    assert prove_at_most(H, result.value - 1).answer is Answer.REFUTED
