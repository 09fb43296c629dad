import json
from fractions import Fraction

import numpy as np
import pytest

from boolfact.control.ending import Ending
from boolfact.control.executor import ThreadExecutor
from boolfact.control.stop import Stop
from boolfact.exact.search import Limits, Search, SearchSettings

from exact_bits import Bits, check


def begin(problem, **settings):
    nothing = problem.factors(np.zeros(len(problem.costs)))
    return Search(problem, nothing, SearchSettings(**settings) if settings else None)


@pytest.mark.parametrize("seed", range(40))
def test_the_search_finds_and_proves_the_best(seed):
    problem = Bits(7, seed)
    search = begin(problem, batch=1 + seed % 5, plunging=seed % (1 + seed % 5))
    assert search.run(Stop()) is Ending.PROVED
    assert search.value == problem.value(search.best) == problem.best()
    assert search.bound == search.value
    if search.bound > 0:
        document = json.loads(json.dumps(search.tree.document(search.bound)))
        assert check(document, problem) >= search.bound


@pytest.mark.parametrize("seed", range(20))
def test_at_every_moment_the_bound_holds_and_its_document_proves_it(seed):
    problem = Bits(7, seed)
    search = begin(problem)
    best = problem.best()
    last = Fraction(0)
    for nodes in range(1, 200, 3):
        ending = search.run(Stop(), limits=Limits(nodes=nodes))
        assert last <= search.bound <= best <= search.value
        last = search.bound
        if search.bound > 0:
            assert check(search.tree.document(search.bound), problem) >= search.bound
        if ending is Ending.PROVED:
            break
        assert ending is Ending.NODE_LIMIT
        assert nodes <= search.nodes < nodes + 4


@pytest.mark.parametrize("seed", range(5))
def test_the_answer_does_not_depend_on_the_workers(seed):
    found = []
    for workers in (1, 2, 3):
        problem = Bits(9, seed)
        search = begin(problem)
        with ThreadExecutor(workers) as executor:
            search.run(Stop(), executor, limits=Limits(nodes=60))
        records = [(r.parent, r.outcome, r.bound, r.is_open) for r in search.tree.records]
        found.append((records, search.value, search.best.B.tolist(), problem.learnt))
    assert found[0] == found[1] == found[2]


def test_limits_end_it_and_say_so():
    problem = Bits(9, 3)
    assert begin(problem).run(Stop(), limits=Limits(nodes=3)) is Ending.NODE_LIMIT
    search = begin(problem)
    assert search.run(Stop(), limits=Limits(gap=0.5)) is Ending.GAP_LIMIT
    assert search.bound < search.value
    assert search.gap <= 0.5
    search = begin(problem)
    target = Fraction(problem.best() + 2)
    assert search.run(Stop(), limits=Limits(target=target)) is Ending.TARGET
    assert search.value <= target


def test_an_interruption_ends_it_with_what_is_proved():
    problem = Bits(9, 3)
    search = begin(problem)
    stop = Stop()
    batches = []

    def interrupt():
        batches.append(search.nodes)
        if len(batches) == 3:
            stop.interrupt()

    assert search.run(stop, after_batch=interrupt) is Ending.INTERRUPTED
    before = search.bound
    # A stop that has rung cuts evaluations short: nothing is lost by them.
    assert search.run(stop) is Ending.INTERRUPTED
    assert search.bound == before
    assert search.run(Stop()) is Ending.PROVED
    assert search.value == problem.best()


def test_whoever_watches_hears_of_nodes_bound_and_best():
    problem, events = Bits(9, 3), []
    search = begin(problem)
    search.run(Stop(), progress=events.append)
    assert events[0].tree_nodes >= 1
    assert events[0].open_nodes is not None
    assert events[0].error_lower_bound <= problem.best() <= events[0].error
    assert events[0].objective_lower_bound is None


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Limits(nodes=0), "node_limit must be at least 1"),
        (lambda: Limits(gap=-0.1), "gap_limit must be a number from 0 on"),
        (lambda: SearchSettings(batch=2, plunging=2), "plunging must be"),
    ],
)
def test_bad_limits_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
