import errno
import multiprocessing
import operator
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict

import pytest

from boolfact.reproduce import schedule
from boolfact.reproduce.cells import Budget, Cell, Store
from boolfact.reproduce.schedule import run_cells


class Counting:
    """Work that counts how often it is done."""

    def __init__(self, fail=False):
        self.times, self.fail = 0, fail

    def __call__(self, budget):
        self.times += 1
        if self.fail:
            raise KeyboardInterrupt
        return {"error": self.times, "limit": budget.time_limit}


def silent(line):
    pass


def test_a_finished_cell_is_not_run_again(tmp_path):
    work = Counting()
    cells = [Cell("zoo", 2, "asso", work)]
    first = run_cells(cells, Store(tmp_path), Budget(), silent)
    again = run_cells(cells, Store(tmp_path), Budget(), silent)
    assert first == again == {"zoo-k2-asso": {"error": 1, "limit": 10.0}}
    assert work.times == 1


@pytest.mark.parametrize("other", [Budget(time_limit=20), Budget(seed=1)])
def test_another_budget_is_another_run(tmp_path, other):
    work = Counting()
    cells = [Cell("zoo", None, "dimensions", work)]
    run_cells(cells, Store(tmp_path), Budget(), silent)
    run_cells(cells, Store(tmp_path), other, silent)
    assert work.times == 2


def test_an_interrupted_study_goes_on_where_it_was(tmp_path):
    done, broken, fixed = Counting(), Counting(fail=True), Counting()
    store = Store(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        run_cells([Cell("zoo", 2, "a", done), Cell("zoo", 2, "b", broken)], store, Budget(), silent)
    assert [path.name for path in tmp_path.iterdir()] == ["zoo-k2-a.json"]
    said = []
    run_cells([Cell("zoo", 2, "a", done), Cell("zoo", 2, "b", fixed)], store, Budget(), said.append)
    assert (done.times, fixed.times) == (1, 1)
    assert said == ["2/2 zoo-k2-b"]


@pytest.fixture
def two_cores(monkeypatch):
    monkeypatch.setattr(schedule, "_cores", lambda: 2)


def test_several_cells_at_a_time_give_what_one_after_the_other_gives(tmp_path, two_cores):
    cells = [Cell("zoo", k, "asso", asdict) for k in range(1, 6)]
    said = []
    store = Store(tmp_path / "two")
    store.save(cells[2], Budget(seed=4), {"known": True})
    together = run_cells(cells, store, Budget(seed=4), said.append, workers=2)
    assert together.pop("zoo-k3-asso") == {"known": True}
    alone = run_cells(cells, Store(tmp_path / "one"), Budget(seed=4), silent)
    assert alone.pop("zoo-k3-asso") == {"time_limit": 10.0, "seed": 4}
    assert list(together) == list(alone)
    assert together == alone
    assert said == [f"{k}/5 zoo-k{k}-asso" for k in (1, 2, 4, 5)]
    assert len(list((tmp_path / "two").iterdir())) == 5


def test_a_cell_that_fails_ends_the_others(tmp_path, two_cores):
    cells = [Cell("zoo", 1, "a", operator.attrgetter("nonsense")), Cell("zoo", 2, "b", asdict)]
    with pytest.raises(AttributeError, match="nonsense"):
        run_cells(cells, Store(tmp_path), Budget(), silent, workers=2)
    # Two threads wait for them, and the one that comes second learns of their end a little later.
    for _ in range(200):
        if not multiprocessing.active_children():
            break
        time.sleep(0.05)
    assert multiprocessing.active_children() == []


def die(budget):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_process_that_dies_is_one_message_and_finished_cells_are_kept(tmp_path, two_cores):
    cells = [Cell("zoo", 1, "a", asdict), Cell("zoo", 2, "b", asdict), Cell("zoo", 3, "c", die)]
    store = Store(tmp_path)
    with pytest.raises(OSError, match=r"a process ended without a word while .* were run"):
        run_cells(cells, store, Budget(), silent, workers=2)
    # The third began when one of the others had ended.
    assert list(tmp_path.glob("*-a.json")) + list(tmp_path.glob("*-b.json"))
    said = []
    again = run_cells(
        [*cells[:2], Cell("zoo", 3, "c", asdict)], store, Budget(), said.append, workers=2
    )
    assert len(again) == 3
    assert len(said) < 3


ORPHAN = """
import sys, time
from boolfact.reproduce.processes import processes

if __name__ == "__main__":
    with processes(1) as pool:
        pool.submit(print, "begun", flush=True).result()
        pool.submit(time.sleep, 600)
        time.sleep(600)
"""


@pytest.mark.skipif(os.name != "posix", reason="sends signals")
def test_processes_end_with_the_one_that_started_them(tmp_path):
    program = tmp_path / "orphan.py"
    program.write_text(ORPHAN)
    process = subprocess.Popen([sys.executable, str(program)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "begun\n"
    process.kill()
    # The pipe is closed when the last one that holds it has ended.
    assert process.stdout.read() == ""
    assert process.wait() == -signal.SIGKILL
    process.stdout.close()


def test_a_cell_that_cannot_be_kept_is_in_the_table(tmp_path, monkeypatch):
    def refuse(self, cell, budget, figures):
        raise OSError(errno.ENOSPC, "No space left on device", str(self.folder))

    monkeypatch.setattr(Store, "save", refuse)
    said = []
    cells = [Cell("zoo", k, "a", asdict) for k in (1, 2)]
    figures = run_cells(cells, Store(tmp_path), Budget(), said.append)
    assert list(figures) == ["zoo-k1-a", "zoo-k2-a"]
    assert said[1] == "zoo-k1-a is not kept for another run: No space left on device"
    assert len(said) == 4


def test_an_interrupted_cell_has_no_figures():
    assert schedule._work(Cell("zoo", 2, "b", Counting(fail=True)), Budget()) is None


def test_workers_must_be_positive(tmp_path):
    with pytest.raises(ValueError, match="workers must be at least 1, got 0"):
        run_cells([], Store(tmp_path), Budget(), silent, workers=0)
