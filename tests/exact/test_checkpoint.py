import json
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from boolfact.control.ending import Ending
from boolfact.control.stop import Stop
from boolfact.exact.checkpoint import Checkpoint, read_checkpoint, resume, write_checkpoint
from boolfact.exact.search import Limits, Search

from exact_bits import Bits, check

PROGRAM = Path(__file__).parent.parent / "exact_bits.py"


def begin(problem):
    return Search(problem, problem.factors(np.zeros(len(problem.costs))))


@pytest.mark.parametrize("seed", range(10))
def test_a_search_goes_on_where_its_file_left_it(tmp_path, seed):
    whole = begin(Bits(8, seed))
    whole.run(Stop())
    path = tmp_path / "search.json"
    search = begin(Bits(8, seed))
    ending = Ending.NODE_LIMIT
    for nodes in range(4, 4000, 7):
        ending = search.run(Stop(), limits=Limits(nodes=nodes))
        write_checkpoint(path, search, search.problem.about)
        if ending is Ending.PROVED:
            break
        fresh = begin(Bits(8, seed))
        resume(fresh, read_checkpoint(path, fresh.problem.about))
        assert (fresh.bound, fresh.value, fresh.nodes) == (search.bound, search.value, search.nodes)
        assert fresh.problem.learnt == search.problem.learnt
        search = fresh
    assert ending is Ending.PROVED
    assert search.value == whole.value == search.problem.best()
    if search.bound:
        assert check(search.tree.document(search.bound), search.problem) >= search.bound


def test_a_better_start_is_kept(tmp_path):
    problem = Bits(8, 1)
    search = begin(problem)
    write_checkpoint(tmp_path / "x", search, problem.about)
    done = begin(problem)
    done.run(Stop())
    resume(done, read_checkpoint(tmp_path / "x", problem.about))
    assert done.value == problem.best() < search.value


def test_files_are_written_now_and_then(tmp_path):
    problem = Bits(8, 1)
    search = begin(problem)
    seldom = Checkpoint(tmp_path / "seldom", problem.about, seconds=1000)
    often = Checkpoint(tmp_path / "often", problem.about, seconds=0)
    for checkpoint in (seldom, often):
        checkpoint.now_and_then(search)
    assert [path.name for path in tmp_path.iterdir()] == ["often"]


def test_files_about_something_else_are_refused(tmp_path):
    problem, path = Bits(8, 1), tmp_path / "search.json"
    write_checkpoint(path, begin(problem), problem.about)
    for name, message in (
        ("digest", "other data"),
        ("k", "another number of patterns"),
        ("objective", "another objective"),
        ("rho", "another rho"),
    ):
        with pytest.raises(ValueError, match=f"search.json is a search for {message}"):
            read_checkpoint(path, {**problem.about, name: "other"})
    with pytest.raises(FileNotFoundError, match="there is no checkpoint"):
        read_checkpoint(tmp_path / "nothing", problem.about)


def test_damaged_files_are_refused(tmp_path):
    problem, path = Bits(8, 1), tmp_path / "search.json"
    search = begin(problem)
    search.run(Stop(), limits=Limits(nodes=9))
    write_checkpoint(path, search, problem.about)
    text = path.read_text()
    rng = random.Random(0)
    for _ in range(100):
        place = rng.randrange(len(text))
        path.write_text(text[:place] + chr(ord(text[place]) ^ 1) + text[place + 1 :])
        with pytest.raises(ValueError, match=r"search\.json"):
            read_checkpoint(path, problem.about)
    for damaged in ("", text[:-7], "[]", "{}", "3"):
        path.write_text(damaged)
        with pytest.raises(ValueError, match=r"search\.json"):
            read_checkpoint(path, problem.about)


def test_a_search_killed_ten_times_ends_with_the_same_answer(tmp_path):
    path, rng = tmp_path / "search.json", random.Random(1)
    best = Bits(9, 0).best()
    for kills in range(11):
        goes_on = "yes" if path.exists() else "no"
        program = [sys.executable, str(PROGRAM), "9", "0", str(path), goes_on]
        process = subprocess.Popen(program, stdout=subprocess.PIPE)
        if kills < 10:
            # Begin to count when there is a file of this process, so that every one gets on.
            before = path.stat().st_mtime_ns if path.exists() else 0
            while process.poll() is None and (
                not path.exists() or path.stat().st_mtime_ns == before
            ):
                time.sleep(0.01)
            time.sleep(rng.uniform(0, 0.1))
            process.kill()
        out, _ = process.communicate()
    found = json.loads(out)
    assert found["ending"] == "proved"
    assert found["value"] == best
    problem = Bits(9, 0)
    search = begin(problem)
    resume(search, read_checkpoint(path, problem.about))
    assert search.bound == best
    if best:
        assert check(search.tree.document(search.bound), problem) >= best


def test_a_full_disk_is_a_warning_and_the_search_goes_on(tmp_path, monkeypatch):
    def full(*given):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("boolfact.exact.checkpoint.write_checkpoint", full)
    kept = Checkpoint(tmp_path / "x.json", {})
    with pytest.warns(UserWarning, match="No space left on device.*; the search goes on"):
        kept.write(None)
