"""A short slice of the fuzzer of readers; hypothesis looks for the fewest edits that do harm."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import boolfact

if os.name != "posix":
    pytest.skip("limits memory as POSIX systems do", allow_module_level=True)

from campaigns import readers

EDITS = st.lists(
    st.builds(
        readers.Edit,
        st.sampled_from(readers.OPERATIONS),
        st.integers(0, 7),
        st.floats(0, 1, exclude_max=True),
        st.integers(0, 63),
        st.integers(0, 255),
    ),
    max_size=4,
)
OWN_PROCESS = ("h5ad", "mtx", "parquet")
"""Their libraries may end the process that reads a damaged file."""


@pytest.mark.parametrize("kind", sorted(set(readers.seeds()) - set(OWN_PROCESS)))
def test_a_file_with_edits_is_read_or_refused(kind, tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")

    @settings(
        max_examples=40, deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )
    @given(EDITS)
    def check(edits):
        readers.feed(kind, readers.changed(kind, edits), folder)

    check()


@pytest.mark.parametrize(
    ("kind", "place"),
    [("npy", 2), ("npz", 10), ("npz", 13), ("sparse npz", 78), ("tsv", 43), ("txt", 26)],
)
def test_inputs_that_once_did_harm(kind, place, tmp_path):
    assert readers.one_input(0, kind, place, tmp_path) in ("read", "refused")


def test_readers_of_other_libraries_in_processes_of_their_own():
    kinds = [kind for kind in OWN_PROCESS if kind in readers.seeds()]
    done = subprocess.run(
        [sys.executable, readers.__file__, "--inputs", "100", "--kinds", *kinds],
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith(" inputs, 0 with something wrong\n")


def test_the_seeds_are_read(tmp_path):
    for kind, data in readers.seeds().items():
        if kind != "table":
            assert readers.feed(kind, data, tmp_path) == "read", kind


@pytest.mark.parametrize("error", [KeyError("x"), MemoryError(), ValueError(" ")])
def test_what_is_wrong_is_found(monkeypatch, tmp_path, error):
    def read(path):
        raise error

    monkeypatch.setattr(boolfact, "as_matrix", read)
    with pytest.raises((readers.WrongError, KeyError, MemoryError)):
        readers.feed("csv", b"1,0\n", Path(tmp_path))


def test_a_process_that_ends_is_found(monkeypatch):
    monkeypatch.setattr(readers, "one_input", lambda *_: os._exit(3))
    ((place, answer, why),) = readers.batch(0, "csv", range(5, 7))
    assert (place, answer) == (5, "wrong")
    assert why.startswith("it ended the process")
