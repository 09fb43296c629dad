"""Ways to divide the columns race, and what they prove is true."""

import numpy as np

from boolfact.colgen.cover.division import Division, race
from boolfact.colgen.cover.grow import CoverSettings, bound_by_cover, circle_groups
from boolfact.control.stop import Stop
from boolfact.model.matrix import BinaryMatrix
from colgen.cover.points import random_matrix
from colgen.cover.test_grow import check_entry

import naive


class Proof:
    def __init__(self, value):
        self.value = self.rounded = value


class Part:
    def __init__(self, error):
        self.error = error


class Whole:
    """Proves so much a run, and keeps the seconds that it was given."""

    def __init__(self, way, place, steps):
        self.way, self.place, self.steps, self.given, self.is_done = way, place, steps, [], False

    def run(self, stop):
        self.given.append(stop.remaining())
        self.way().note(self.place, Proof(self.steps[min(len(self.given), len(self.steps)) - 1]))
        self.is_done = len(self.given) >= len(self.steps)


def made(errors, steps):
    way = Division([Part(error) for error in errors], [])
    way.wholes = [Whole(lambda: way, u, given) for u, given in enumerate(steps)]
    return way


def seconds(way):
    return [[round(s) for s in whole.given] for whole in way.wholes]


def test_the_way_that_proved_most_has_the_time_that_is_left():
    whole, halves = made([50], [[20, 30, 40]]), made([30, 10], [[15, 16, 17], [6, 7, 8]])
    race([whole, halves], Stop(100.0), lambda: False)
    # The other one comes after it, if any time is left.
    assert seconds(whole) == [[20, 100]]
    assert seconds(halves)[1] == [
        5,
        25,
    ]
    assert halves.proved == 23
    assert seconds(halves)[0] == [20, 100]


def test_one_way_has_all_the_time_at_once():
    only = made([50], [[20, 30, 40]])
    race([only], Stop(100.0), lambda: False)
    assert seconds(only) == [[100]]


def test_what_is_done_is_not_gone_on_with():
    done, other = made([50], [[40]]), made([50], [[20, 30, 40]])
    race([done, other], Stop(100.0), lambda: False)
    assert done.is_done
    assert seconds(done) == [[20]]
    assert seconds(other) == [[20, 100]]


def test_nothing_runs_once_it_is_over():
    ways = [made([50], [[40]]), made([50], [[20]])]
    race(ways, Stop(100.0), lambda: True)
    assert [seconds(way) for way in ways] == [[[]], [[]]]


def test_a_weaker_proof_does_not_replace_a_better_one():
    way = made([5, 5], [[3], [4]])
    for proof in (Proof(3), Proof(2)):
        way.note(0, proof)
    way.note(1, Proof(4))
    assert way.proved == 7


def test_which_ways_there_are():
    def ways(m, seconds, sparse=0.0, **settings):
        return circle_groups(
            BinaryMatrix(np.eye(m, dtype=np.int8)),
            seconds,
            CoverSettings(sparse=sparse, **settings),
        )

    assert ways(24, 600.0) == []
    assert ways(44, 60.0) == []
    assert ways(44, 600.0) == [1]
    assert ways(92, 60.0) == [2]
    assert ways(92, 600.0) == [1, 2]
    assert ways(105, 60.0) == [1]
    assert ways(105, 600.0) == [1, 2]
    assert ways(150, 60.0) == [1, 3]
    assert ways(105, 5.0) == []
    assert ways(105, float("inf")) == []
    # Groups are smaller, so they may be taken where the whole is too large.
    assert ways(200, 60.0, circle_numbers=1_000_000) == [4]
    assert ways(200, 60.0, circle_numbers=100) == []
    # A sparse matrix is best undivided, unless it is very wide.
    assert ways(44, 60.0, sparse=0.15) == [1]
    assert ways(92, 60.0, sparse=0.15) == [1]
    assert ways(92, 600.0, sparse=0.15) == [1]
    assert ways(92, 60.0, sparse=0.15, circle_numbers=300_000) == [2]
    assert ways(150, 60.0, sparse=0.15) == [1, 3]
    assert ways(92, 5.0, sparse=0.15) == []


def test_what_the_ways_prove_is_true():
    around = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        matrix = random_matrix(rng, 7, 6)
        best = naive.best_error(matrix.values, matrix.weights, 1)
        settings = CoverSettings(
            whole_columns=1, part_columns=1, hasty_columns=1, sizes=(1,), times_dearer=(1.0,),
            undivided_seconds=(1e9, 1e9), circle_seconds=0.0, circle_columns=2 + seed % 2,
        )  # fmt: skip
        growth = bound_by_cover(matrix, 1, stop=Stop(0.6), settings=settings, seed=seed)
        if growth.bound is not None:
            assert growth.bound.rounded <= best
            check_entry(growth.bound, matrix, 1)
            around += sum("circle" in part for part in growth.bound.proof.entry()["parts"])
    assert around > 0
