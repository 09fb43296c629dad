"""Files that belong together: killed at every step, written by several, on a full disk."""

import errno
import os
import subprocess
import sys

import pytest

from boolfact.io import folder as folders
from boolfact.io.folder import current_files, replace_files

OLD = {"a": "old a", "b": "old b", "c": "old c"}
NEW = {"a": "new a", "b": "new b", "c": None}

KILLED = """
import os, signal, sys
from boolfact.io.folder import replace_files
step, done = int(sys.argv[2]), [0]

def counted(function):
    def call(*given, **named):
        done[0] += 1
        if done[0] == step:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*given, **named)
    return call

for name in ("mkdir", "rename", "replace", "unlink", "rmdir", "fsync"):
    setattr(os, name, counted(getattr(os, name)))
replace_files(sys.argv[1], {"a": "new a", "b": "new b", "c": None})
"""


def read(target):
    with current_files(target) as find:
        return {name: find(name).read_text() if find(name).exists() else None for name in "abc"}


@pytest.mark.skipif(os.name != "posix", reason="kills with a POSIX signal")
def test_whoever_is_killed_at_any_step_leaves_all_old_files_or_all_new_ones(tmp_path):
    seen = []
    for step in range(1, 100):
        target = tmp_path / f"run{step}"
        replace_files(target, OLD)
        code = subprocess.run([sys.executable, "-c", KILLED, target, str(step)]).returncode
        assert read(target) in (OLD, NEW)
        seen.append(read(target) == NEW)
        # The next writer finishes or clears away what was left.
        replace_files(target, OLD)
        assert read(target) == OLD
        assert sorted(path.name for path in target.iterdir()) == ["a", "b", "c"]
        if code == 0:
            break
    assert code == 0
    assert len(seen) > 10
    assert seen == sorted(seen)


def test_a_full_disk_leaves_the_old_files_and_no_others(tmp_path, monkeypatch):
    target = replace_files(tmp_path / "run", OLD)

    def full(path, text):
        if path.name == "b":
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        path.write_text(text)

    monkeypatch.setattr(folders, "write_whole", full)
    for place in (target, tmp_path / "other"):
        with pytest.raises(OSError, match="No space left"):
            replace_files(place, NEW)
    assert read(target) == OLD
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_processes_that_write_one_folder_leave_the_files_of_one(tmp_path):
    code = """
import sys
from boolfact.io.folder import replace_files
for turn in range(20):
    replace_files(sys.argv[1], {name: f"{sys.argv[2]} {turn}" for name in "abc"})
"""
    target = tmp_path / "run"
    writers = [subprocess.Popen([sys.executable, "-c", code, target, str(u)]) for u in range(3)]
    while any(writer.poll() is None for writer in writers):
        if target.exists():
            found = set(read(target).values())
            assert len(found) == 1
    assert [writer.returncode for writer in writers] == [0, 0, 0]
    assert len(set(read(target).values())) == 1
