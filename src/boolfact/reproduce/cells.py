"""Cells: the runs that a table is made of, each stored in a file of its own when it is done."""

from __future__ import annotations

import datetime
import json
import os
import platform
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from boolfact.control.checks import checked_seed
from boolfact.io.write import write_whole

__all__ = ["Budget", "Cell", "Store"]

_TEXTS = frozenset({"status", "ending", "refused"})
"""Figures that are texts. No table shows them."""

_FORMAT = 2
"""Of the figures: a cell of another format is run again."""


@dataclass(frozen=True)
class Budget:
    """What every cell of a study may use.

    Attributes
    ----------
    time_limit : float
        Seconds per cell.
    seed : int

    A cell has one thread: more cells at a time use a machine better, and its figures do not
    depend on how many there were.
    """

    time_limit: float = 10.0
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.time_limit > 0:
            raise ValueError(f"time_limit must be a positive number, got {self.time_limit!r}")
        checked_seed(self.seed)


@dataclass(frozen=True)
class Cell:
    """One run: a name, and what gives its figures.

    `work` is called with the budget and returns figures that JSON can hold. If the user
    interrupts, it raises KeyboardInterrupt: half a run is not a result.
    """

    dataset: str
    k: int | None
    method: str
    work: Callable[[Budget], dict[str, Any]]

    @property
    def name(self) -> str:
        """A name that is fit for a file."""
        rank = "" if self.k is None else f"-k{self.k}"
        method = re.sub(r"[^A-Za-z0-9_.]+", "_", self.method).strip("_")
        return f"{self.dataset}{rank}-{method}"


class Store:
    """A folder with one JSON file per cell.

    A file appears whole or not at all. A cell counts as done if its file says that it was run
    with the same budget, by a version that writes the same figures. `use`, if given, is called
    with a cell and figures from a file, and raises where they are not such as the cell has.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        use: Callable[[Cell, dict[str, Any]], object] | None = None,
    ) -> None:
        self.folder = Path(folder)
        self._use = use

    def load(self, cell: Cell, budget: Budget) -> dict[str, Any] | None:
        """The figures of a cell that was done with this budget, or None."""
        try:
            document = json.loads(self._path(cell).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
            raise ValueError(f"{self._path(cell)}: not readable as JSON ({error})") from error
        if not isinstance(document, dict) or document.get("format") != _FORMAT:
            return None
        if document.get("budget") != asdict(budget):
            return None
        figures = document.get("figures")
        if not isinstance(figures, dict):
            return None
        try:
            if not all(_is_figure(name, value) for name, value in figures.items()):
                raise TypeError("a figure is no number")
            if self._use is not None:
                self._use(cell, figures)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise ValueError(
                f"{self._path(cell)}: not the figures of this cell; "
                "without the file it is run again"
            ) from error
        return figures

    def save(self, cell: Cell, budget: Budget, figures: dict[str, Any]) -> None:
        """Write the figures of a cell, with when and on what they were found."""
        document = {
            "format": _FORMAT,
            "dataset": cell.dataset,
            "k": cell.k,
            "method": cell.method,
            "budget": asdict(budget),
            "date": datetime.date.today().isoformat(),
            "machine": f"{platform.machine()}, {os.cpu_count()} cores",
            "figures": figures,
        }
        write_whole(self._path(cell), json.dumps(document, indent=1) + "\n")

    def _path(self, cell: Cell) -> Path:
        return self.folder / f"{cell.name}.json"


def _is_figure(name: str, value: Any) -> bool:
    """A number or none; a list of points of such; a text only where one belongs.

    The file may come from anywhere: a text among the figures would reach the table as it is.
    """
    if name in _TEXTS:
        return isinstance(value, str)
    if isinstance(value, list):
        return all(isinstance(point, list) and all(map(_is_number, point)) for point in value)
    return _is_number(value)


def _is_number(value: Any) -> bool:
    return value is None or isinstance(value, int | float)
