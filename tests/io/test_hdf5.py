"""Damaged heaps of HDF5 files, in which the library would go round without end."""

import os
import subprocess
import sys

import numpy as np
import pytest

import boolfact
from boolfact.io import hdf5
from boolfact.io.hdf5 import check_heaps

h5py = pytest.importorskip("h5py")


def write(path, userblock=0, libver="earliest", rows=3):
    with h5py.File(path, "w", userblock_size=userblock, libver=libver) as file:
        for name, size in (("obs", rows), ("var", 4)):
            group = file.create_group(name)
            group.attrs["_index"] = "_index"
            group["_index"] = [f"{name}{u}" for u in range(size)]
        stored = file.create_group("X")
        stored.attrs.update({"encoding-type": "csr_matrix", "encoding-version": "0.1.0"})
        stored.attrs["shape"] = [rows, 4]
        stored["data"] = np.ones(rows, dtype=np.float32)
        stored["indices"] = np.arange(rows, dtype=np.int32) % 4
        stored["indptr"] = np.arange(rows + 1, dtype=np.int32)
    return path.read_bytes()


def objects_of(data):
    """Where the objects of the first collection are, the free space last."""
    at = data.find(b"GCOL")
    places, place = [], at + 16
    while place not in places:
        places.append(place)
        if data[place : place + 2] == b"\x00\x00":
            break
        size = int.from_bytes(data[place + 8 : place + 16], "little")
        place += 16 + (size + 7) // 8 * 8
    return places


def patched(data, at, new):
    return data[:at] + new + data[at + len(new) :]


def damaged(data):
    """Files in which an object leads nowhere."""
    first, *_, free = objects_of(data)
    yield patched(data, free + 8, bytes(8))
    yield patched(data, free + 8, (15).to_bytes(8, "little"))
    yield patched(patched(data, first, bytes(2)), first + 8, bytes(8))
    for size in (-16, -23):
        yield patched(data, first + 8, (size % 2**64).to_bytes(8, "little"))


@pytest.mark.parametrize("libver", ["earliest", "latest"])
@pytest.mark.parametrize("userblock", [0, 1024])
def test_whole_files_are_read(tmp_path, libver, userblock):
    path = tmp_path / "x.h5ad"
    write(path, userblock, libver, rows=2000)
    X = boolfact.as_matrix(path)
    assert X.row_names[::1999] == ("obs0", "obs1999")
    assert (X.values == np.eye(4)[np.arange(2000) % 4]).all()


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(hdf5, "_PATIENCE", 1.0)


def test_a_damaged_heap_is_refused_by_name(tmp_path, impatient):
    path = tmp_path / "x.h5ad"
    whole = write(path)
    count = 0
    for data in damaged(whole):
        path.write_bytes(data)
        with pytest.raises(ValueError, match=r"x\.h5ad: not a readable h5ad file \(a damaged heap"):
            boolfact.as_matrix(path)
        count += 1
    assert count == 5
    # Those that lead behind the end are refused by the library itself.
    for size in (1 << 40, 2**64 - 8, 2**64 - 1):
        path.write_bytes(patched(whole, objects_of(whole)[0] + 8, size.to_bytes(8, "little")))
        with pytest.raises(ValueError, match=r"x\.h5ad: not a readable h5ad file"):
            boolfact.as_matrix(path)
    path.write_bytes(whole)
    assert boolfact.as_matrix(path).shape == (3, 4)


def test_a_damaged_heap_that_is_not_in_use_does_no_harm(tmp_path):
    """What is left of a list may be anything: its place was given to others."""
    path = tmp_path / "x.h5ad"
    whole = write(path)
    broken = next(damaged(whole))
    at = broken.find(b"GCOL")
    path.write_bytes(whole + broken[at : at + 4096])
    assert boolfact.as_matrix(path).row_names == ("obs0", "obs1", "obs2")


@pytest.mark.skipif(os.name != "posix", reason="needs a limit of processor time")
def test_the_library_never_ends_with_such_a_file(tmp_path):
    """If it does one day, the check may go."""
    path = tmp_path / "x.h5ad"
    path.write_bytes(next(damaged(write(path))))
    program = (
        "import resource, sys, h5py; resource.setrlimit(resource.RLIMIT_CPU, (3, 3))\n"
        "with h5py.File(sys.argv[1]) as f: f['obs'].attrs['_index']"
    )
    done = subprocess.run([sys.executable, "-c", program, path], capture_output=True, check=False)
    assert done.returncode < 0 or b"heap" in done.stderr


def test_every_window_is_searched(tmp_path, monkeypatch, impatient):
    path = tmp_path / "x.h5ad"
    data = next(damaged(write(path)))
    path.write_bytes(data)
    at = data.find(b"GCOL")
    for window in (at + 1, at + 7, 100):
        hdf5._damage.cache_clear()
        monkeypatch.setattr(hdf5, "_WINDOW", window)
        with pytest.raises(ValueError, match="damaged heap"):
            check_heaps(path)


@pytest.mark.parametrize("libver", ["earliest", "latest"])
def test_sizes_of_another_width_are_refused(tmp_path, libver):
    path = tmp_path / "x.h5ad"
    data = write(path, libver=libver)
    at = 13 if libver == "earliest" else 9
    for place in (at, at + 1):
        path.write_bytes(patched(data, place, b"\x04"))
        with pytest.raises(ValueError, match="not a readable h5ad file"):
            boolfact.as_matrix(path)


def test_what_is_no_such_file_is_left_to_the_library(tmp_path):
    path = tmp_path / "x.h5ad"
    for data in (b"", b"x", b"GCOL\x01\x00\x00\x00", b"x" * 5000):
        path.write_bytes(data)
        check_heaps(path)
        with pytest.raises(ValueError, match=r"x\.h5ad: not a readable h5ad file"):
            boolfact.as_matrix(path)


@pytest.mark.skipif(os.name != "posix", reason="the fuzzer limits memory as POSIX systems do")
def test_a_file_that_is_damaged_elsewhere_too_is_refused(tmp_path):
    """The library complains of one part before it comes to the heap, and of none in it."""
    from campaigns import readers

    path = tmp_path / "x.h5ad"
    edit = readers.Edit("number", 4, 0.1061640200876911, 57, 26)
    path.write_bytes(readers.changed("h5ad", [edit]))
    with pytest.raises(ValueError, match="a damaged heap at byte"):
        check_heaps(path)
