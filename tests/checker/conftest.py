"""The checker in C, built with the compiler that is there."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from boolfact.certificate.text import write_text

SOURCE = Path(__file__).parents[2] / "checker" / "boolfact_check.c"
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-O2"]
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g"]
# An exit code that the checker never has.
CAUGHT = 99
WATCHED = {"ASAN_OPTIONS": f"exitcode={CAUGHT}", "UBSAN_OPTIONS": f"exitcode={CAUGHT}"}


@dataclass(frozen=True)
class Checker:
    program: Path

    def __call__(self, folder, seconds=None):
        """Exit code and output."""
        command = [str(self.program), str(folder), *([] if seconds is None else [str(seconds)])]
        done = subprocess.run(
            command, capture_output=True, text=True, env={**os.environ, **WATCHED}, check=False
        )
        assert done.returncode in (0, 1, 2, 3), done.stdout + done.stderr
        assert done.stderr == ""
        return done.returncode, done.stdout

    def of(self, result, matrix, folder):
        """The same, of a result that is written out first."""
        write_text(result, matrix, folder)
        return self(folder)


def build(target, *options):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler called cc")
    command = [compiler, *STRICT, *options, "-o", str(target), str(SOURCE)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="session")
def checker(tmp_path_factory):
    """As anybody builds it."""
    target = tmp_path_factory.mktemp("checker") / "boolfact_check"
    done = build(target)
    assert done.returncode == 0, done.stderr
    return Checker(target)


@pytest.fixture(scope="session")
def watched(tmp_path_factory, checker):
    """Built so that every error of memory or arithmetic ends it with a code of its own."""
    target = tmp_path_factory.mktemp("watched") / "boolfact_check"
    if build(target, *SANITIZERS).returncode != 0:
        return checker
    return Checker(target)
