import io
import itertools
import os
import re
import subprocess
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from boolfact.control.progress import Event, silent
from boolfact.show.live import Dashboard, show_progress, sparkline

posix = pytest.mark.skipif(os.name != "posix", reason="opens a pseudo-terminal")


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def drawn(dashboard, width=110, encoding="utf-8"):
    buffer = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    console = Console(file=buffer, width=width, force_terminal=True, color_system=None)
    console.print(dashboard)
    buffer.seek(0)
    return buffer.read()


def fed(*events):
    clock = Clock()
    dashboard = Dashboard("zoo, k = 5", clock, verbose=True, time_limit=60)
    for event in events:
        clock.now = event.seconds
        dashboard.update(event)
    return dashboard


def test_a_stream_of_events_shows_the_best_of_each_and_both_gaps():
    dashboard = fed(
        Event("local search", 0.5, error=200, iterations=3),
        Event(
            "column generation",
            1.0,
            error=150,
            objective=160,
            objective_lower_bound=80,
            columns=1200,
            nodes=54321,
        ),
        # A worse solution and a worse bound later on change nothing.
        Event("column generation", 2.0, error=180, objective=170, objective_lower_bound=70.0),
        Event("error bound", 3.0, error_lower_bound=120, master=99.125, message="pricing exactly"),
    )
    lines = drawn(dashboard).splitlines()
    assert "zoo, k = 5" in lines[0]
    assert "error bound" in lines[0]
    assert "3.0 of 60 s" in lines[0]
    error = next(line for line in lines if line.split()[:1] == ["error"])
    assert error.split()[:5] == ["error", "150", "120", "20.0", "%"]
    objective = next(line for line in lines if line.split()[:1] == ["objective"])
    assert objective.split()[:5] == ["objective", "160", "80", "50.0", "%"]
    text = "\n".join(lines)
    assert "columns 1,200" in text
    assert "nodes 54,321" in text
    assert "iterations 3" in text
    assert "master 99.13" in text
    assert "pricing exactly" in text


def test_the_bound_of_one_quantity_never_gives_a_gap_to_the_other():
    dashboard = fed(Event("column generation", 1.0, error=150, objective_lower_bound=150))
    lines = drawn(dashboard).splitlines()
    error = next(line for line in lines if line.split()[:1] == ["error"])
    assert error.split()[:4] == ["error", "150", "-", "-"]
    objective = next(line for line in lines if line.split()[:1] == ["objective"])
    assert objective.split()[:4] == ["objective", "-", "150", "-"]


@pytest.mark.parametrize(
    ("error", "bound", "shown"),
    [
        (100_000, 99_999, "0.1 %"),
        (100_000, 99_999.999, "0.1 %"),
        (1000, 993, "0.7 %"),
        (125, 125, "0.0 %"),
        (0, 0, "0.0 %"),
        (10, 0, "100.0 %"),
    ],
)
def test_a_gap_is_rounded_up_so_that_zero_means_proved(error, bound, shown):
    assert shown in drawn(fed(Event("x", 1.0, error=error, error_lower_bound=bound)))


def test_a_bound_is_rounded_down():
    text = drawn(fed(Event("x", 1.0, objective=30.001, objective_lower_bound=12.3499)))
    assert "12.34" in text
    assert "30.01" in text


def test_nothing_known_yet_is_shown_without_a_figure():
    text = drawn(Dashboard("zoo, k = 5", Clock()))
    assert "starting" in text
    assert "Ctrl-C" in text


def test_an_ascii_terminal_gets_ascii_only():
    dashboard = fed(Event("x", 0.5, error=9), Event("x", 2.0, error=5, error_lower_bound=4))
    text = drawn(dashboard, encoding="ascii")
    assert text.isascii()
    assert "#" in text


@pytest.mark.parametrize("width", [40, 80, 200])
def test_no_line_is_wider_than_the_terminal(width):
    dashboard = fed(
        Event("column generation", 1.0, error=123456, objective=123456.5, message="long " * 60),
        Event("column generation", 9.0, error_lower_bound=1000, objective_lower_bound=1234.5),
    )
    assert max(map(len, drawn(dashboard, width).splitlines())) <= width


def test_the_view_can_be_drawn_while_threads_report():
    dashboard = Dashboard("x")

    def report():
        for i in range(300):
            dashboard.update(
                Event("x", i / 100, error=1000 - i, objective_lower_bound=i, objective=2000 - i)
            )

    threads = [threading.Thread(target=report) for _ in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        drawn(dashboard)
    assert "701" in drawn(dashboard)


@given(st.lists(st.none() | st.floats(-1e6, 1e6), min_size=1))
def test_a_spark_line_keeps_the_order_of_the_values(values):
    known = [v for v in values if v is not None] or [0.0]
    line = sparkline(values, min(known), max(known))
    assert len(line) == len(values)
    pairs = [(v, c) for v, c in zip(values, line, strict=True) if v is not None]
    assert all(c == " " for v, c in zip(values, line, strict=True) if v is None)
    for (v1, c1), (v2, c2) in itertools.pairwise(pairs):
        assert c1 <= c2 if v1 <= v2 else c1 >= c2


def test_quiet_is_silent_and_a_pipe_gets_lines(capsys):
    with show_progress("x", quiet=True) as report:
        assert report is silent
    with show_progress("x") as report:
        report(Event("search", 1.0, error=3))
    captured = capsys.readouterr()
    assert "error 3" in captured.err
    assert captured.out == ""


PROGRAM = """
import sys, time
from boolfact.show.live import show_progress
from boolfact.control.progress import Event
from boolfact.control.stop import Stop

stop = Stop(60)
with stop.listening(), show_progress("fake") as report:
    while not stop.now():
        report(Event("searching", stop.elapsed(), error=42, error_lower_bound=21))
        time.sleep(0.05)
print("kept", stop.reason.value)
"""


def in_terminal(code, send=None, after="", **environment):
    """Run Python code whose standard error is a pseudo-terminal; what it and stdout got."""
    master, slave = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=slave,
        stdout=subprocess.PIPE,
        stderr=slave,
        start_new_session=True,
        preexec_fn=lambda: __import__("fcntl").ioctl(2, __import__("termios").TIOCSCTTY, 0),
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100", **environment},
    )
    os.close(slave)
    screen = b""
    sent = False
    while True:
        try:
            chunk = os.read(master, 4096)
        except OSError:  # the other side is closed
            break
        if not chunk:
            break
        screen += chunk
        if send and not sent and after in screen.decode("utf-8", "replace"):
            os.write(master, send)
            sent = True
    os.close(master)
    stdout = process.stdout.read()
    process.stdout.close()
    return process.wait(timeout=30), stdout.decode(), screen.decode("utf-8", "replace")


@posix
def test_ctrl_c_on_a_real_terminal_reaches_the_solver_through_the_live_view():
    code, out, screen = in_terminal(PROGRAM, b"\x03", "50.0 %")
    assert code == 0
    assert out == "kept interrupted\n"
    assert "searching" in screen
    # The cursor was hidden, and is shown again.
    assert screen.rindex("\x1b[?25h") > screen.index("\x1b[?25l")


@posix
def test_a_dumb_terminal_gets_lines():
    code, out, screen = in_terminal(PROGRAM, b"\x03", "error 42", TERM="dumb")
    assert code == 0
    assert out == "kept interrupted\n"
    assert not re.search("\x1b\\[", screen)


class Gone(io.StringIO):
    """A terminal that was closed."""

    def write(self, text):
        raise OSError(5, "Input/output error")

    def flush(self):
        raise OSError(5, "Input/output error")

    def isatty(self):
        return True


@pytest.mark.parametrize("kind", ["xterm", "dumb"])
def test_a_terminal_that_is_closed_takes_nothing_but_the_view(monkeypatch, kind):
    monkeypatch.setenv("TERM", kind)
    monkeypatch.setattr(sys, "stderr", Gone())
    with show_progress("lymp") as progress:
        progress(Event("local search", 1.0, error=7, message="a line at once"))


@pytest.mark.parametrize("width", [60, 200])
def test_the_view_keeps_to_the_width_and_hides_what_is_guessed(width):
    clock = Clock()
    for verbose in (False, True):
        view = Dashboard("a_long_name_" * 9, clock, verbose=verbose, time_limit=60)
        view.update(Event("column generation", 1.0, error=12_345, objective=13_000, guess=7.25))
        text = drawn(view, width)
        assert max(map(len, text.splitlines())) <= width
        assert "1.0 of 60 s" in text
        assert ("guessed bound 7.25" in text) == ("objective" in text) == verbose
