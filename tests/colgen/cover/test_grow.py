"""Bounds on the error by assigned cover, against the best error there is."""

import math
from fractions import Fraction

import numpy as np
import pytest

from boolfact.colgen.cover.grow import CoverSettings, bound_by_cover
from boolfact.control.ending import Ending
from boolfact.control.executor import ThreadExecutor
from boolfact.control.stop import Stop
from boolfact.model.bound import Quantity
from boolfact.model.costs import with_costs
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.reduction import reduce_matrix
from colgen.cover.points import random_matrix

import naive

COSTS = (
    {},
    {"false_one_cost": 3},
    {"false_one_cost": 2, "missed_one_cost": 3},
    {"from_below": True},
)


def blocks_of(*sizes, columns=24):
    return CoverSettings(
        whole_columns=columns,
        part_columns=columns,
        hasty_columns=columns,
        sizes=sizes,
        times_dearer=tuple(float(size) for size in sizes),
    )


SETTINGS = (
    blocks_of(1),
    blocks_of(2),
    blocks_of(4),
    blocks_of(8),
    blocks_of(1, 2, 4),
    blocks_of(1, 2, columns=2),
    blocks_of(4, columns=3),
)


def case(seed):
    """A small matrix, tall or wide, a rank, and the best error."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(2, 7)), int(rng.integers(2, 6))
    k = int(rng.choice([1, 1, 2, 3])) if m < 5 else 1
    matrix = with_costs(random_matrix(rng, n, m), **COSTS[seed % len(COSTS)])
    best = naive.best_error(matrix.values, matrix.weights, k)
    if rng.random() < 0.4:
        matrix = matrix.T
    if rng.random() < 0.5:
        matrix = reduce_matrix(matrix).matrix
    return rng, matrix, k, best


def check(seed, limit=6):
    rng, matrix, k, best = case(seed)
    options = {}
    n, m = matrix.shape
    if rng.random() < 0.5:
        options["factors"] = Factors(rng.random((n, k)) < 0.5, rng.random((k, m)) < 0.5)
    if rng.random() < 0.5:
        options["rectangles"] = rng.random((5, n)) < 0.5, rng.random((5, m)) < 0.5
    if rng.random() < 0.3:
        options["incumbent"] = best + int(rng.integers(0, 3))
    growth = bound_by_cover(
        matrix,
        k,
        stop=Stop(iteration_limit=limit),
        seed=seed,
        settings=SETTINGS[seed % len(SETTINGS)],
        **options,
    )
    if growth.bound is None:
        return 0, best
    assert growth.bound.on is Quantity.ERROR
    assert growth.bound.k == k
    assert 0 < growth.bound.rounded <= best
    check_entry(growth.bound, matrix, k)
    return int(growth.bound.rounded), best


def check_entry(bound, matrix, k):
    """The proof in its documented form, proved again by trying every rectangle."""
    entry = bound.proof.entry()
    assert set(entry) == {"kind", "transposed", "parts"}
    assert entry["kind"] == "assigned_cover"
    assert entry["transposed"] is (matrix.shape[0] < matrix.shape[1])
    if entry["transposed"]:
        matrix = matrix.T
    used, total = set(), 0
    for part in entry["parts"]:
        total += check_part(part, matrix, k, used)
    assert total == bound.value


def check_part(part, matrix, k, used):
    fields = {"row_map", "column_map", "scale", "blocks", "p", "charges", "omega_bound", "bound"}
    assert set(part) - {"circle"} == fields
    rows, columns = part["row_map"], part["column_map"]
    assert (len(rows), len(columns)) == matrix.shape
    n, m = max(rows) + 1, max(columns) + 1
    weights, values = np.zeros((n, m), dtype=int), np.full((n, m), -1)
    for i, j in np.ndindex(matrix.shape):
        place = rows[i], columns[j]
        if min(place) >= 0:
            assert (i, j) not in used
            used.add((i, j))
            weights[place] += matrix.weights[i, j]
            if matrix.weights[i, j]:
                assert values[place] in (-1, matrix.values[i, j])
                values[place] = matrix.values[i, j]
    blocks = part["blocks"] + [
        [i] for i in range(n) if not any(i in block for block in part["blocks"])
    ]
    assert sorted(i for block in blocks for i in block) == list(range(n))
    assert all(len(block) > 1 for block in part["blocks"])
    scale = part["scale"]
    prices = {(i, j): x for i, j, x in part["p"]}
    assert len(prices) == len(part["p"])
    for cell, x in prices.items():
        assert values[cell] == 1
        assert 0 < x <= weights[cell] * scale
    charges, spent = {}, {}
    for i, c, i2, j, x in part["charges"]:
        assert values[i, c] == 0
        assert values[i2, j] == 1
        assert x > 0
        assert any(i in block and i2 in block for block in blocks)
        assert ((i, c), (i2, j)) not in charges
        charges[(i, c), (i2, j)] = x
        spent[i, c] = spent.get((i, c), 0) + x
    assert all(x <= weights[z] * scale for z, x in spent.items())
    omega = naive.largest_cover_worth((n, m), blocks, prices, charges)
    assert omega <= part["omega_bound"]
    value = Fraction(sum(prices.values()) - k * part["omega_bound"], scale)
    assert Fraction(part["bound"]) == value
    return max(0, math.ceil(value))


def test_no_bound_exceeds_the_best_error():
    proved = [check(seed) for seed in range(210)]
    some = [pair for pair in proved if pair[1] > 0]
    # Weak bounds would pass as well; most of these are met.
    assert len(some) > 70
    assert sum(bound == best for bound, best in some) > 0.4 * len(some)


@pytest.mark.slow
def test_no_bound_exceeds_the_best_error_in_thousands():
    for seed in range(1000, 4000):
        check(seed, limit=3 + seed % 9)


@pytest.mark.parametrize("seed", range(6))
def test_a_larger_matrix_in_parts_and_as_a_whole(seed):
    rng = np.random.default_rng(seed)
    values = (rng.random((6, 5)) < 0.5).astype(np.int8)
    matrix = BinaryMatrix(values)
    best = naive.best_error(matrix.values, matrix.weights, 2)
    for settings in (blocks_of(1, 2), blocks_of(6), blocks_of(1, 4, columns=3)):
        bounds = []
        for turned in (matrix, matrix.T):
            growth = bound_by_cover(turned, 2, stop=Stop(iteration_limit=20), settings=settings)
            bounds.append(0 if growth.bound is None else growth.bound.rounded)
        assert max(bounds) <= best
        # Both are searched over the shorter side, so they are one problem.
        assert bounds[0] == bounds[1]


@pytest.mark.parametrize("seed", range(4))
def test_workers_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    matrix = BinaryMatrix((rng.random((15, 11)) < 0.4).astype(np.int8))
    got = []
    for workers in (1, 2):
        with ThreadExecutor(workers) as executor:
            growth = bound_by_cover(
                matrix,
                2,
                stop=Stop(iteration_limit=8),
                executor=executor,
                seed=seed,
                settings=blocks_of(1, 2, columns=6 if seed % 2 else 24),
            )
        got.append((growth.bound.proof.entry(), growth.iterations, growth.ending))
    assert got[0] == got[1]
    assert got[0][1] > 0


@pytest.mark.parametrize("columns", [4, 24])
@pytest.mark.parametrize("interrupted", [False, True])
def test_a_stop_that_is_over_gives_nothing(columns, interrupted):
    matrix = BinaryMatrix((np.random.default_rng(0).random((12, 10)) < 0.5).astype(np.int8))
    stop = Stop(time_limit=None if interrupted else 1e-9)
    if interrupted:
        stop.interrupt()
    growth = bound_by_cover(matrix, 2, stop=stop, settings=blocks_of(1, 2, columns=columns))
    assert growth.bound is None
    assert growth.ending is (Ending.INTERRUPTED if interrupted else Ending.TIME_LIMIT)


def test_an_incumbent_that_is_met_ends_it():
    matrix = BinaryMatrix((np.random.default_rng(1).random((6, 5)) < 0.5).astype(np.int8))
    stop = Stop(iteration_limit=50)
    whole = bound_by_cover(matrix, 1, stop=stop)
    proved = int(whole.bound.rounded)
    assert proved > 1
    easy = bound_by_cover(matrix, 1, stop=stop, incumbent=1)
    assert easy.ending is Ending.INCUMBENT
    assert 1 <= easy.bound.rounded <= proved
    assert easy.iterations < whole.iterations
    hard = bound_by_cover(matrix, 1, stop=stop, incumbent=proved + 1)
    assert hard.ending is not Ending.INCUMBENT


@pytest.mark.parametrize(
    ("values", "k"),
    [
        ([[1]], 1),
        ([[0]], 1),
        ([[-1]], 1),
        ([[1, 1, 1]], 1),
        ([[1], [0], [1]], 1),
        ([[1, 1], [1, 1]], 1),
        ([[1, 0], [0, 1]], 2),
        ([[1, 0], [0, 1]], 4),
        ([[1, 0, 1], [0, 0, 0], [1, -1, 0]], 1),
    ],
    ids=str,
)
@pytest.mark.parametrize("settings", [blocks_of(1, 2), blocks_of(4), blocks_of(2, columns=1)])
def test_degenerate_matrices(values, k, settings):
    matrix = BinaryMatrix(np.array(values))
    best = naive.best_error(matrix.values, matrix.weights, k)
    growth = bound_by_cover(matrix, k, stop=Stop(iteration_limit=20), settings=settings)
    assert (0 if growth.bound is None else growth.bound.rounded) <= best
    assert best > 0 or growth.bound is None


def test_weights_that_are_too_large_to_price_give_no_bound():
    weights = np.full((3, 3), 1 << 40)
    growth = bound_by_cover(BinaryMatrix(np.eye(3, dtype=np.int8), weights), 1)
    assert growth.bound is None
    assert growth.ending is Ending.DONE


def test_a_bound_from_below_of_a_matrix_with_many_entries():
    # A zero is dearer than all ones together: what it may charge is what counts.
    rng = np.random.default_rng(0)
    matrix = BinaryMatrix((rng.random((300, 9)) < 0.5).astype(np.int8))
    matrix = reduce_matrix(with_costs(matrix, from_below=True)).matrix
    growth = bound_by_cover(matrix, 3, stop=Stop(iteration_limit=4))
    assert growth.bound.proof.parts[0].point.scale >= 1 << 8


def test_it_tells_of_bounds_on_the_error_alone():
    events = []
    matrix = BinaryMatrix((np.random.default_rng(3).random((10, 8)) < 0.5).astype(np.int8))
    growth = bound_by_cover(matrix, 2, stop=Stop(iteration_limit=10), progress=events.append)
    assert {event.phase for event in events} == {"error bound"}
    told = [event.error_lower_bound for event in events if event.error_lower_bound is not None]
    assert told
    assert max(told) <= growth.bound.rounded
    assert all(event.objective_lower_bound is None for event in events)
