import itertools

from boolfact.control.progress import Event
from boolfact.show.lines import Lines, line_progress


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def test_lines_come_at_least_every_two_seconds_heard_of_or_not(capsys):
    clock = Clock()
    lines = Lines(time_limit=60.0, clock=clock)
    for tenth in range(100):
        clock.now = tenth / 10
        if tenth < 45:
            lines.update(Event("search", clock.now, error=100 - tenth, error_lower_bound=7.875))
        lines.beat()
    told = capsys.readouterr().err.splitlines()
    seconds = [float(line.split()[0]) for line in told]
    assert all(0 < after - before <= 2.0 for before, after in itertools.pairwise(seconds))
    assert seconds[-1] > 8
    assert " ".join(told[0].split()) == "0.0 of 60 s search error 100 proved at least 7.87"


def test_a_message_is_told_at_once_and_guesses_only_if_asked(capsys):
    clock = Clock()
    for verbose in (False, True):
        lines = Lines(time_limit=60.0, verbose=verbose, clock=clock)
        lines.update(Event("column generation", 0.0, guess=12.5, objective=3.0))
        lines.update(Event("compiling", 0.1, message="the kernels"))
        first, second = capsys.readouterr().err.splitlines()
        assert ("guessed bound 12.50" in first) == ("objective 3" in first) == verbose
        assert second.split() == ["0.1", "s", "compiling", "the", "kernels"]


def test_a_listener_prints_the_first_event_at_once(capsys):
    with line_progress() as listener:
        listener(Event("search", 1.0, error=3))
        assert "error 3" in capsys.readouterr().err
