"""Checkpoints: a search in one file, written whole or not at all, to go on from later.

The file is JSON: what the search is about (digest of the data, rank, what is minimised), the best
solution, the tree with its proofs, and what the problem has learnt. Fractions are texts. A seal
over all of it shows damage; nothing in it is executed.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
import warnings
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from boolfact.exact.search import Search
from boolfact.exact.tree import Record, Tree
from boolfact.io.write import write_whole
from boolfact.model.factors import Factors

__all__ = ["Checkpoint", "check_writable", "read_checkpoint", "resume", "write_checkpoint"]

_FORMAT = 4
_NAMES = {
    "digest": "other data, weights or costs",
    "k": "another number of patterns",
    "objective": "another objective",
    "rho": "another rho",
}
"""What a difference means, for people."""


@dataclass
class Checkpoint:
    """Writes a search now and then; call `write` at the end in any case.

    Attributes
    ----------
    path : path
    about : dict
        What the search is about: digest, k, objective, rho.
    seconds : float
        Between two files.
    columns : dict, optional
        The state of a search over columns, which comes before the tree.
    enumeration : dict, optional
        That of an enumeration, which comes between the two.
    """

    path: str | os.PathLike[str]
    about: dict[str, Any]
    seconds: float = 120.0
    columns: dict[str, Any] | None = None
    enumeration: dict[str, Any] | None = None
    _last: float = field(default_factory=time.monotonic, repr=False)

    def now_and_then(self, search: Search) -> None:
        """Write if it is time."""
        if time.monotonic() - self._last >= self.seconds:
            self.write(search)

    def write(self, search: Search) -> None:
        """Write, whole or not at all; a disk that is full ends no search.

        Whoever waits for the file is warned, and the next try comes when it is time again.
        """
        try:
            write_checkpoint(self.path, search, self.about, self.columns, self.enumeration)
        except OSError as error:
            warnings.warn(
                f"checkpoint {self.path} could not be written ({error.strerror}); "
                "the search goes on without",
                stacklevel=2,
            )
        self._last = time.monotonic()


def write_checkpoint(
    path: str | os.PathLike[str],
    search: Search,
    about: dict[str, Any],
    columns: dict[str, Any] | None = None,
    enumeration: dict[str, Any] | None = None,
) -> None:
    """Write a search to a file, whole or not at all."""
    document = {
        "format": _FORMAT,
        "about": about,
        "A": _packed(search.best.A),
        "B": _packed(search.best.B),
        "nodes": search.nodes,
        "work": search.work,
        "records": [_plain(record) for record in search.tree.records],
        "problem": search.problem.state(),
        "columns": columns,
        "enumeration": enumeration,
    }
    write_whole(path, json.dumps({**document, "seal": _seal(document)}, separators=(",", ":")))


def read_checkpoint(path: str | os.PathLike[str], about: dict[str, Any]) -> dict[str, Any]:
    """The document of a checkpoint, if it is whole and about the same search.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it is damaged, or about something else; the message names the file.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"there is no checkpoint {path}")
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        seal = document.pop("seal")
    except (ValueError, AttributeError, KeyError, TypeError, RecursionError):
        raise ValueError(f"{path} is not a checkpoint, or it is damaged") from None
    if document.get("format") != _FORMAT or seal != _seal(document):
        raise ValueError(f"{path} is not a checkpoint of this version, or it is damaged")
    for name, difference in _NAMES.items():
        given, found = about.get(name), document["about"].get(name)
        if given != found:
            raise ValueError(f"{path} is a search for {difference}: {found}, not {given}")
    return document


def check_writable(path: str | os.PathLike[str]) -> None:
    """Refuse a file that cannot be written before any work is done."""
    target = Path(path)
    if target.is_dir():
        raise ValueError(f"checkpoint {target} is a folder; expected a file to write to")
    folder = target.parent
    while not folder.exists():
        folder = folder.parent
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise ValueError(f"checkpoint {target} cannot be written in {folder}")


def resume(search: Search, document: dict[str, Any]) -> None:
    """Put a search where the document of a checkpoint left it; a better start is kept."""
    search.offer(Factors(_unpacked(document["A"]), _unpacked(document["B"])))
    search.nodes, search.work = int(document["nodes"]), int(document["work"])
    records = [_record(plain) for plain in document["records"]]
    search.tree = Tree.of(search.problem.step, records)
    search.problem.restore(document["problem"])


def _plain(record: Record) -> list[Any]:
    return [
        record.parent,
        record.outcome,
        str(record.bound),
        record.proof,
        str(record.proved),
        record.split,
        record.warm,
        record.is_open,
    ]


def _record(plain: list[Any]) -> Record:
    parent, outcome, bound, proof, proved, split, warm, is_open = plain
    return Record(
        parent,
        outcome,
        Fraction(bound),
        proof,
        Fraction(proved),
        None if split is None else tuple(split),
        warm,
        is_open,
    )


def _packed(bits: np.ndarray[Any, np.dtype[np.bool_]]) -> list[Any]:
    n, m = bits.shape
    return [n, m, np.packbits(bits).tobytes().hex()]


def _unpacked(packed: list[Any]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    n, m, text = packed
    bits = np.frombuffer(bytes.fromhex(text), dtype=np.uint8)
    return np.unpackbits(bits, count=n * m).reshape(n, m).astype(np.bool_)


def _seal(document: dict[str, Any]) -> str:
    text = json.dumps(document, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
