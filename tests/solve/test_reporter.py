"""What is shown of a run never gets worse, and never mixes two quantities."""

import threading
from fractions import Fraction

from boolfact.control.counters import Counter
from boolfact.control.progress import Event
from boolfact.control.trace import Trace
from boolfact.model.bound import Bound, Quantity
from boolfact.solve.reporter import Reporter
from boolfact.solve.state import State
from solve.tasks import ZOO


class Unproved:
    def entry(self):
        return {}


def watched():
    events = []
    state = State.begin(ZOO, 5, Fraction(1))
    return state, Reporter(state, events.append), events


def test_shown_errors_never_rise_and_falls_are_traced():
    state, reporter, events = watched()
    for seconds, error in enumerate([200, 150, 180, 140]):
        reporter(Event("local search", float(seconds), error=error, columns=3))
    assert [event.error for event in events] == [200, 150, 150, 140]
    assert [point.error for point in state.trace.points] == [200, 150, 140]
    assert reporter.improved_at == 3.0


def test_shown_bounds_never_fall_and_are_kept_apart():
    _, reporter, events = watched()
    reporter(Event("column generation", 0.0, objective_lower_bound=-3.0))
    reporter(Event("column generation", 1.0, objective_lower_bound=90.5))
    reporter(Event("error bound", 2.0, error_lower_bound=12.25))
    reporter(Event("column generation", 3.0, objective_lower_bound=80.0))
    shown = [(event.objective_lower_bound, event.error_lower_bound) for event in events]
    assert shown == [(0.0, None), (90.5, None), (90.5, 12.25), (90.5, 12.25)]


def test_a_proved_bound_is_shown_with_the_next_event_and_never_above_itself():
    _, reporter, events = watched()
    third = Fraction(1, 3)
    reporter.proved(Bound(Quantity.OBJECTIVE, 100 * third, 5, "a test", Unproved(), third))
    reporter(Event("local search", 0.0))
    shown = events[0].objective_lower_bound
    assert shown == float(100 * third) or Fraction(shown) < 100 * third
    assert Fraction(shown) <= 100 * third


def test_an_objective_is_shown_only_with_the_error_of_its_solution():
    state, reporter, events = watched()
    state.error, state.objective = 150, Fraction(160)
    reporter.found(state, 0.5)
    reporter(Event("column generation", 1.0))
    reporter(Event("local search", 2.0, error=140))
    reporter(Event("column generation", 3.0))
    shown = [(event.error, event.objective) for event in events]
    assert shown == [(150, 160.0), (140, None), (140, None)]


def test_an_objective_is_traced_as_soon_as_its_solution_is_known():
    state, reporter, _ = watched()
    state.error, state.objective = 150, Fraction(160)
    reporter.found(state, 0.5)
    reporter(Event("local search", 1.0, error=140))
    state.error, state.objective = 140, Fraction(165)
    reporter.found(state, 2.0)
    reporter.found(state, 3.0)
    state.error, state.objective = 145, Fraction(150)
    reporter.found(state, 4.0)
    traced = [(point.seconds, point.error, point.objective) for point in state.trace.points]
    assert traced == [(0.5, 150, 160.0), (1.0, 140, None), (2.0, None, 165.0)]


def test_nodes_of_engines_add_up_while_they_count_and_afterwards():
    _, reporter, events = watched()
    first, second = Trace(), Trace()
    with reporter.counting(first):
        first.count(Counter.NODES, 10)
        reporter(Event("column generation", 0.0))
    with reporter.counting(second):
        second.count(Counter.NODES, 5)
        reporter(Event("error bound", 1.0))
    reporter(Event("local search", 2.0))
    assert [event.nodes for event in events] == [10, 15, 15]


def test_listeners_hear_one_event_at_a_time():
    inside, most = [], []

    def listen(event):
        inside.append(event)
        threading.Event().wait(0.002)
        most.append(len(inside))
        inside.clear()

    state = State.begin(ZOO, 5, Fraction(1))
    reporter = Reporter(state, listen)
    threads = [
        threading.Thread(target=lambda: [reporter(Event("x", 0.0)) for _ in range(10)])
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 40
