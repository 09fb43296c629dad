"""Twelve real matrices that come with the package; credits are in data/CREDITS.md."""

from __future__ import annotations

import csv
import difflib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from boolfact.model.matrix import MISSING, BinaryMatrix

__all__ = [
    "DatasetInfo",
    "describe_dataset",
    "find_dataset",
    "list_datasets",
    "load_dataset",
    "nearest_datasets",
]

_FOLDER = Path(__file__).parent / "data"
_CODES = {"0": 0, "1": 1, "": MISSING}
"""Our own files hold nothing else; the readers of `boolfact.io` stand above this folder."""


@dataclass(frozen=True)
class DatasetInfo:
    """What a bundled matrix is about and whom to thank for it."""

    name: str
    rows: str
    columns: str
    credit: str


_LJUBLJANA = (
    "M. Zwitter and M. Soklic, University Medical Centre, Institute of Oncology, Ljubljana; "
    "donated by I. Kononenko and B. Cestnik, 1988"
)
_INFOS = {
    info.name: info
    for info in (
        DatasetInfo("zoo", "animals", "features", "R. Forsyth, 1990"),
        DatasetInfo("tumor", "patients", "findings", _LJUBLJANA),
        DatasetInfo("hepat", "patients", "findings", "donated by G. Gong, 1988"),
        DatasetInfo(
            "heart",
            "patients",
            "image features",
            "K. J. Cios, L. A. Kurgan, L. S. Goodenday, 2001",
        ),
        DatasetInfo("lymp", "patients", "findings", _LJUBLJANA),
        DatasetInfo(
            "audio",
            "patients",
            "findings",
            "Professor Jergen, Baylor College of Medicine; donated by B. Porter, 1987",
        ),
        DatasetInfo(
            "apb",
            "books on US politics",
            "books bought together",
            "V. Krebs, unpublished, by way of M. E. J. Newman",
        ),
        DatasetInfo(
            "votes",
            "members of Congress",
            "votes for or against",
            "Congressional Quarterly Almanac, 1984; donated by J. Schlimmer, 1987",
        ),
    )
}
_MISSING_VARIANTS = ("tumor", "hepat", "audio", "votes")


def list_datasets() -> list[str]:
    """Names of the bundled matrices; those that end in `_missing` keep their missing entries.

    Examples
    --------
    >>> "zoo" in list_datasets(), len(list_datasets())
    (True, 12)
    """
    return [*_INFOS, *(f"{name}_missing" for name in _MISSING_VARIANTS)]


def describe_dataset(name: str) -> DatasetInfo:
    """What the matrix is about and whom to credit."""
    if name not in list_datasets():
        raise ValueError(_unknown(name))
    info = _INFOS[name.removesuffix("_missing")]
    return DatasetInfo(name, info.rows, info.columns, info.credit)


def find_dataset(name: str) -> Path | None:
    """Where the bundled matrix lies, or None if there is no such name."""
    return _FOLDER / f"{name}.csv" if name in list_datasets() else None


def nearest_datasets(name: str) -> list[str]:
    """Bundled names that look like a mistyped one."""
    return difflib.get_close_matches(name, list_datasets(), n=2, cutoff=0.6)


def load_dataset(name: str) -> BinaryMatrix:
    """Load a bundled matrix with its row and column names.

    Examples
    --------
    >>> X = load_dataset("zoo")
    >>> X.shape, X.column_names[:3]
    ((101, 17), ('hair', 'feathers', 'eggs'))
    """
    path = find_dataset(name)
    if path is None:
        raise ValueError(_unknown(name))
    with path.open(encoding="utf-8", newline="") as stream:
        titles, *lines = csv.reader(stream)
    values = np.array([[_CODES[cell] for cell in line[1:]] for line in lines], dtype=np.int8)
    names = tuple(line[0] for line in lines)
    return BinaryMatrix(values, row_names=names, column_names=tuple(titles[1:]))


def _unknown(name: str) -> str:
    near = nearest_datasets(name)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return f"there is no bundled dataset {name!r}{hint} Known: {', '.join(list_datasets())}"
