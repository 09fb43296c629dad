"""The search as a whole: limits, seeds, starts, pools and all kinds of matrices."""

import pickle
import threading
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boolfact.control.ending import Ending
from boolfact.control.executor import SerialExecutor, ThreadExecutor
from boolfact.control.stop import Stop
from boolfact.datasets import load_dataset, planted
from boolfact.local_search import Population, PopulationSettings, local_search
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.rectangles import RectanglePool
from boolfact.model.reduction import reduce_matrix

from strategies import matrices

# Short chains, so a few thousand children see recombination and restarts.
BRISK = PopulationSettings(size=3, ahead=4, most_children=10, most_sweeps=4, patience=1)


def small(density=0.4, shape=(25, 18), seed=0):
    rng = np.random.default_rng(seed)
    return BinaryMatrix((rng.random(shape) < density).astype(np.int8))


@given(matrices(), st.integers(1, 5), st.integers(0, 5))
@settings(max_examples=40)
def test_any_matrix_can_be_searched(matrix, k, seed):
    stop = Stop(iteration_limit=60)
    result = local_search(matrix, k, stop=stop, seed=seed, settings=BRISK)
    assert result.factors.rank == k
    assert result.error == result.factors.error(matrix) <= matrix.ones_weight


@pytest.mark.parametrize("k", [1, 6, 7, 13, 40, 64])
def test_every_rank_up_to_64_works(k):
    matrix = small(shape=(70, 66))
    result = local_search(matrix, k, stop=Stop(iteration_limit=30), settings=BRISK)
    assert result.factors.rank == k
    assert result.error == result.factors.error(matrix) < matrix.ones_weight


@pytest.mark.parametrize("k", [0, 65])
def test_other_ranks_are_refused_by_name(k):
    with pytest.raises(ValueError, match=f"k must be from 1 to 64 for local search, got {k}"):
        local_search(small(), k, stop=Stop(iteration_limit=1))


@pytest.mark.parametrize("k", [3, 8])
def test_the_number_of_workers_changes_nothing(k):
    matrix = small()
    results = [
        local_search(
            matrix, k, stop=Stop(iteration_limit=600), seed=3, workers=workers, settings=BRISK
        )
        for workers in (1, 2, 5)
    ]
    for other in results[1:]:
        assert (other.factors.A == results[0].factors.A).all()
        assert (other.factors.B == results[0].factors.B).all()
        assert other.iterations == results[0].iterations == 600


def test_different_seeds_search_differently():
    runs = [
        local_search(small(), 6, stop=Stop(iteration_limit=5), seed=seed, settings=BRISK)
        for seed in range(4)
    ]
    assert len({run.factors.A.tobytes() for run in runs}) > 1


def test_a_seed_sequence_can_be_given():
    by_number = local_search(small(), 4, stop=Stop(iteration_limit=50), seed=9)
    by_sequence = local_search(
        small(), 4, stop=Stop(iteration_limit=50), seed=np.random.SeedSequence(9)
    )
    assert (by_number.factors.B == by_sequence.factors.B).all()


@pytest.mark.parametrize(("name", "k", "error"), [("zoo", 2, 271), ("zoo", 5, 125)])
def test_known_optima_are_found(name, k, error):
    matrix = load_dataset(name)
    reduction = reduce_matrix(matrix)
    stop = Stop(iteration_limit=20_000, target=error)
    result = local_search(reduction.matrix, k, stop=stop, seed=1)
    assert result.error == error
    assert result.ending is Ending.TARGET
    assert reduction.lift(result.factors).error(matrix) == error


def test_a_planted_product_is_found_and_ends_the_search():
    matrix = planted(60, 40, 5, noise=0.0, seed=4).matrix
    result = local_search(matrix, 5, stop=Stop(time_limit=60.0))
    assert result.error == 0
    assert result.ending is Ending.PROVED


def test_a_start_is_never_lost():
    matrix = small()
    good = local_search(matrix, 6, stop=Stop(iteration_limit=500)).factors
    error = good.error(matrix)
    result = local_search(matrix, 6, stop=Stop(iteration_limit=1), start=[good], seed=8)
    assert result.error <= error
    fewer = Factors(good.A[:, :4], good.B[:4])
    result = local_search(matrix, 6, stop=Stop(iteration_limit=1), start=[fewer], seed=8)
    assert result.error <= fewer.error(matrix)


def test_a_start_that_does_not_fit_is_refused():
    with pytest.raises(ValueError, match=r"rank up to 2, got shape .* and rank 3"):
        local_search(small(), 2, stop=Stop(iteration_limit=1), start=[Factors.empty((25, 18), 3)])


def test_the_pool_is_fed_with_rectangles_of_good_solutions():
    matrix = small()
    pool = RectanglePool(*matrix.shape)
    result = local_search(matrix, 4, stop=Stop(iteration_limit=300), pool=pool, settings=BRISK)
    assert len(pool) >= 4
    errors = [
        Factors.from_rectangles(matrix.shape, [rectangle]).error(matrix) for rectangle in pool
    ]
    assert min(errors) < matrix.ones_weight
    assert result.error <= min(errors)


def test_rectangles_of_the_pool_are_used():
    rng = np.random.default_rng(0)
    truth = Factors(rng.random((30, 4)) < 0.3, rng.random((4, 25)) < 0.3)
    matrix = BinaryMatrix(truth.product().astype(np.int8))
    pool = RectanglePool(*matrix.shape)
    pool.extend(truth.rectangles)
    population = Population(matrix, 4, pool=pool, settings=BRISK)
    plans = [population._plan(1) for _ in range(2)]
    assert (plans[0 if not plans[0].turned else 1].material == truth.B).all()
    assert population.advance(Stop(iteration_limit=2000), SerialExecutor()) == 0


def test_a_search_can_go_on_in_slices():
    population = Population(small(), 6, settings=BRISK)
    executor = SerialExecutor()
    errors = [population.advance(Stop(iteration_limit=100), executor) for _ in range(5)]
    assert errors == sorted(errors, reverse=True)
    assert population.state.iterations == 500
    assert population.state.best.error(population.matrix) == errors[-1]


def test_a_stored_population_goes_on_as_if_nothing_had_happened():
    whole = Population(small(), 6, settings=BRISK)
    part = Population(small(), 6, settings=BRISK)
    for population in (whole, part):
        population.advance(Stop(iteration_limit=300), SerialExecutor())
    stored = pickle.loads(pickle.dumps(part.state))
    again = Population(small(), 6, state=stored, settings=BRISK)
    for population in (whole, again):
        population.advance(Stop(iteration_limit=300), SerialExecutor())
    assert again.state.iterations == whole.state.iterations == 600
    assert (again.state.best.B == whole.state.best.B).all()
    assert [m.error for m in again.state.members] == [m.error for m in whole.state.members]


def test_threads_are_those_of_the_executor_and_change_nothing():
    used, found = set(), []

    class Watched(ThreadExecutor):
        def submit(self, function, /, *args):
            def watched():
                used.add(threading.current_thread().name.split("_")[0])
                return function(*args)

            return super().submit(watched)

    for executor in (SerialExecutor(), Watched(2, "watched")):
        with executor:
            population = Population(small(), 6, settings=BRISK)
            population.advance(Stop(iteration_limit=200), executor)
            found.append(population.state.best)
    assert used == {"watched"}
    assert (found[0].A == found[1].A).all()


def test_on_large_data_workers_change_nothing_either_with_an_iteration_limit():
    large = replace(BRISK, exchange_work=1.0, exchange_chain_work=1e4, tries=2)
    found = []
    for executor in (SerialExecutor(), ThreadExecutor(5)):
        with executor:
            population = Population(small(), 6, settings=large)
            population.advance(Stop(iteration_limit=120), executor)
            found.append(population.state)
    assert (found[0].best.A == found[1].best.A).all()
    assert found[0].planned == found[1].planned > 4


@pytest.mark.parametrize(("work", "expected"), [(1.0, [3, 5, 7]), (1e12, [7, 3, 5])])
def test_on_large_data_the_best_chain_is_gone_on_with_first(work, expected):
    population = Population(small(), 6, settings=replace(BRISK, exchange_work=work))
    population.state.open.extend(("plan", SimpleNamespace(error=error)) for error in (7, 3, 5))
    assert [population._next_open()[1].error for _ in range(3)] == expected


def test_solutions_can_be_offered_between_slices():
    matrix = small()
    better = local_search(matrix, 6, stop=Stop(iteration_limit=800), seed=2).factors
    population = Population(matrix, 6, settings=BRISK)
    population.advance(Stop(iteration_limit=10), SerialExecutor())
    population.offer([better])
    assert population.state.error <= better.error(matrix)


def test_interruption_ends_the_search_with_the_best_so_far():
    stop = Stop(iteration_limit=10**12)
    seen = []

    def listen(event):
        seen.append(event.error)
        stop.interrupt()

    result = local_search(small(), 6, stop=stop, progress=listen, workers=2)
    assert result.ending is Ending.INTERRUPTED
    assert result.error == seen[-1]
    assert seen == sorted(seen, reverse=True)


def test_a_time_limit_ends_the_search_inside_a_chain():
    endless = PopulationSettings(chain_work=1e18, most_children=10**9, most_sweeps=0)
    stop = Stop(time_limit=0.3)
    result = local_search(small(), 6, stop=stop, settings=endless)
    assert result.ending is Ending.TIME_LIMIT
    assert result.error < small().ones_weight


def test_a_failing_listener_does_not_leave_threads_behind():
    def fail(event):
        raise RuntimeError("no screen")

    with pytest.raises(RuntimeError, match="no screen"):
        local_search(small(), 6, stop=Stop(iteration_limit=10**12), progress=fail)


def test_a_search_without_any_limit_is_refused():
    with pytest.raises(ValueError, match="time limit, an iteration limit or a target"):
        local_search(small(), 2, stop=Stop())


def test_nothing_is_searched_when_the_start_reaches_the_target():
    matrix = small()
    stop = Stop(time_limit=60.0, target=matrix.ones_weight)
    result = local_search(matrix, 3, stop=stop)
    assert result.iterations == 0
    assert result.ending is Ending.TARGET


@pytest.mark.parametrize(
    ("change", "message"),
    [({"size": 0}, "size must be at least 1, got 0"), ({"slack": -1.0}, "slack must not be neg")],
)
def test_settings_are_checked(change, message):
    with pytest.raises(ValueError, match=message):
        PopulationSettings(**change)


def test_annealing_is_left_out_where_its_tables_would_be_large():
    assert PopulationSettings().sweeps((5000, 800), 12) == 0
    assert PopulationSettings().sweeps((50, 30), 13) == 0
    assert PopulationSettings().sweeps((50, 30), 5) > 0


def test_the_scale_of_the_weights_changes_nothing():
    matrix = small()
    scaled = BinaryMatrix(matrix.values, matrix.weights * 1000)
    plain, priced = (
        local_search(m, 6, stop=Stop(iteration_limit=400), seed=5, settings=BRISK)
        for m in (matrix, scaled)
    )
    assert priced.error == 1000 * plain.error
    assert (priced.factors.B == plain.factors.B).all()


@pytest.mark.parametrize("workers", [1, 3])
def test_a_target_ends_the_search_at_the_same_place_for_any_number_of_workers(workers):
    matrix = small()
    stop = Stop(iteration_limit=5000, target=95)
    result = local_search(matrix, 6, stop=stop, seed=3, workers=workers, settings=BRISK)
    alone = local_search(
        matrix, 6, stop=Stop(iteration_limit=5000, target=95), seed=3, settings=BRISK
    )
    assert result.ending is Ending.TARGET
    assert result.iterations == alone.iterations
    assert (result.factors.A == alone.factors.A).all()


def test_the_first_solution_comes_before_the_first_chain_ends():
    seen = []
    endless = PopulationSettings(chain_work=1e18, most_children=10**9, most_sweeps=0)
    stop = Stop(time_limit=0.5)

    def listen(event):
        seen.append(event.iterations)
        stop.interrupt()

    local_search(small(), 6, stop=stop, settings=endless, progress=listen)
    assert seen[0] == 0
