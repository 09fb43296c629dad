"""A look at the heaps of an HDF5 file before the library reads it.

Texts of any length lie in collections of the global heap: a list of objects, each with its size.
The library goes from one to the next by that size, and where a damaged file has one that leads
nowhere, it goes round without end, and no signal reaches it. So the lists are walked here first.
A list that does not end may be one that is not in use any more; where there is one, the library
reads the texts in a process of its own first, which can be ended.
"""

from __future__ import annotations

import functools
import mmap
import os
import subprocess
import sys
from pathlib import Path

__all__ = ["check_heaps"]

_FILE = b"\x89HDF\r\n\x1a\n"
_COLLECTION = b"GCOL\x01\x00\x00\x00"
"""How a file begins, and a collection, with its version."""
_HEAD = 16
"""Bytes of the head of a collection, and of an object."""
_WINDOW = 1 << 26
"""Bytes that are searched at a time; between them a signal is heard."""
_PATIENCE = 10.0
"""Seconds for reading all texts of a file with a list that does not end."""
_READ_TEXTS = """
import contextlib, sys, h5py

def read(name, item):
    with contextlib.suppress(Exception):
        dict(item.attrs)
        if hasattr(item, "dtype") and item.dtype.hasobject:
            if not item.is_virtual and not item.external:
                item[()]

with h5py.File(sys.argv[1], "r") as file:
    read("", file)
    file.visititems(read)
"""


def check_heaps(path: Path) -> None:
    """Raise ValueError if the library would never come to the end of a collection of this file."""
    found = os.stat(path)
    damage = _damage(path, found.st_size, found.st_mtime_ns)
    if damage:
        raise ValueError(damage)


@functools.lru_cache(maxsize=64)
def _damage(path: Path, size: int, when: int) -> str:
    """Asked once for a file as it is: its shape and its values are read one after the other."""
    if not size:
        return ""
    with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if not _has_usual_sizes(data):
            return "sizes in this file do not have 8 bytes"
        overlap = len(_COLLECTION) - 1
        for window in range(0, len(data), _WINDOW):
            end = min(len(data), window + _WINDOW + overlap)
            at = data.find(_COLLECTION, window, end)
            while at >= 0:
                if not _ends(data, at):
                    return "" if _can_be_read(path) else f"a damaged heap at byte {at:,}"
                at = data.find(_COLLECTION, at + 1, end)
    return ""


def _has_usual_sizes(data: mmap.mmap) -> bool:
    """Whether sizes are written in 8 bytes, as by all that writes h5ad; no other form is walked."""
    at = 0
    while data[at : at + len(_FILE)] != _FILE:
        # The file may begin behind a block of 512 bytes, of 1024, ...
        at = max(512, 2 * at)
        if at >= len(data):
            return True  # no such file, which the library will say
    version = data[at + 8 : at + 9]
    sizes = data[at + 13 : at + 15] if version in (b"\x00", b"\x01") else data[at + 9 : at + 11]
    return sizes == b"\x08\x08"


def _ends(data: mmap.mmap, at: int) -> bool:
    """Whether going from object to object, as the library does, comes to an end."""
    end = at + int.from_bytes(data[at + 8 : at + 16], "little")
    if end > len(data):
        return True  # the library refuses it
    place = at + _HEAD
    while place + _HEAD <= end:
        is_free = data[place : place + 2] == b"\x00\x00"
        size = int.from_bytes(data[place + 8 : place + 16], "little")
        # Free space has its head in its size.
        step = size if is_free else _HEAD + (size + 7) // 8 * 8
        if step < _HEAD or place + step > end:
            return False
        place += step
    return True


def _can_be_read(path: Path) -> bool:
    """Whether the library comes to the end of all texts of the file without a complaint."""
    quiet = subprocess.DEVNULL
    command = [sys.executable, "-c", _READ_TEXTS, str(path.absolute())]
    try:
        done = subprocess.run(
            command, stdin=quiet, stdout=quiet, stderr=quiet, timeout=_PATIENCE, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
