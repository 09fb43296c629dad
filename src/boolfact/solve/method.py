"""The methods that users choose from: one record each, in one table."""

from __future__ import annotations

import enum
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boolfact.control.ending import Ending

if TYPE_CHECKING:
    from boolfact.solve.reporter import Reporter
    from boolfact.solve.state import State
    from boolfact.solve.task import Task

__all__ = ["METHODS", "Method", "Proves", "find_method", "methods"]


class Proves(enum.StrEnum):
    """What lower bounds a method can prove."""

    BOTH = "error and objective"
    ONE = "error or objective"
    NOTHING = "nothing"


@dataclass(frozen=True)
class Method:
    """A method and what it can be given.

    Attributes
    ----------
    name : str
    description : str
        One line.
    run : callable
        Improves the state of a task and says why it ended. What it needs (Numba, HiGHS) is
        imported when it is called.
    proves : Proves
    merges : bool
        Whether it may be given the reduced matrix: merging equal rows and columns into
        weights then leaves what it does the same. If not, it gets the original matrix.
    options : tuple of str
        The arguments of `factorize` that make a difference to it, besides the data and k.
    takes_weights, takes_missing : bool
        Whether it accepts weights other than 1, and missing entries; otherwise it refuses.
    """

    name: str
    description: str
    run: Callable[[Task, State, Reporter], Ending]
    proves: Proves = Proves.NOTHING
    merges: bool = True
    options: tuple[str, ...] = ()
    takes_weights: bool = True
    takes_missing: bool = True

    @property
    def takes_start(self) -> bool:
        """Whether it can begin from a known solution."""
        return "start" in self.options

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "name": self.name,
            "proves": self.proves.value,
            "options": list(self.options),
            "merges": self.merges,
            "takes_weights": self.takes_weights,
            "takes_missing": self.takes_missing,
            "description": self.description,
        }


_LIMITS = ("time_limit", "iteration_limit", "target")
_OF_TREES = ("objective", "node_limit", "checkpoint", "resume")
_OPTION_OF = {"seed": "seed", "stop": "time_limit"}
"""What a user says, for each parameter that a published heuristic may have."""


def _auto(task: Task, state: State, reporter: Reporter) -> Ending:
    from boolfact.solve.auto import run_auto

    return run_auto(task, state, reporter)


def _local(task: Task, state: State, reporter: Reporter) -> Ending:
    from boolfact.solve.local import run_local

    return run_local(task, state, reporter)


def _colgen(task: Task, state: State, reporter: Reporter) -> Ending:
    from boolfact.solve.paper import run_paper

    return run_paper(task, state, reporter)


def _compact(task: Task, state: State, reporter: Reporter) -> Ending:
    from boolfact.solve.whole import run_compact

    return run_compact(task, state, reporter)


def _exact(task: Task, state: State, reporter: Reporter) -> Ending:
    from boolfact.solve.prove import run_exact

    return run_exact(task, state, reporter)


def _baseline(
    name: str,
    description: str,
    *uses: str,
    merges: bool = True,
    takes_weights: bool = True,
    takes_missing: bool = True,
) -> Method:
    """A published heuristic: a function in the module of its name, in `boolfact.baselines`.

    `uses` names those of `seed` and `stop` that are its parameters.
    """

    def run(task: Task, state: State, reporter: Reporter) -> Ending:
        function = getattr(importlib.import_module(f"boolfact.baselines.{name}"), name)
        given = {use: getattr(task, use) for use in uses}
        # What a published method gives is its answer, even where covering nothing is better.
        state.adopt(function(task.matrix, task.k, **given), task.matrix)
        reporter.found(state, task.stop.elapsed())
        return task.stop.reason or Ending.DONE

    return Method(
        name,
        description,
        run,
        merges=merges,
        options=tuple(_OPTION_OF[use] for use in uses),
        takes_weights=takes_weights,
        takes_missing=takes_missing,
    )


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            "auto",
            "local search and column generation together: the best error and proved bounds",
            _auto,
            Proves.BOTH,
            options=("start", *_LIMITS, "gap_limit", "seed", "workers", "rho", "bound"),
        ),
        Method(
            "local",
            "local search alone: the best error that the time allows",
            _local,
            options=("start", *_LIMITS, "seed", "workers"),
        ),
        Method(
            "colgen",
            "column generation and the integer master, as in the paper",
            _colgen,
            Proves.BOTH,
            options=("start", *_LIMITS, "gap_limit", "seed", "workers", "rho", "bound"),
        ),
        Method(
            "exact",
            "branch and bound: until the error, or the objective, is proved to be the least",
            _exact,
            Proves.ONE,
            options=(
                "start", "time_limit", "target", "gap_limit", *_OF_TREES, "seed", "workers", "rho"
            ),
        ),
        Method(
            "compact",
            "one integer program for the whole problem; only for small data",
            _compact,
            options=("start", "time_limit", "seed"),
        ),
        # Merged rows come first in its orderings, which the published runs did not know.
        _baseline(
            "k_greedy", "one rectangle after the other, each by greedy growth", "seed", "stop",
            merges=False,
        ),
        _baseline(
            "asso", "candidates from association rules between columns, chosen greedily", "stop"
        ),
        _baseline("asso_plus_plus", "ASSO over many thresholds, then refitted", "seed", "stop"),
        # Merged weights vary widely, and its one schedule of lambda suits only some of them.
        _baseline(
            "penalty", "real factors, pushed towards 0 and 1 by a penalty", "seed", "stop",
            merges=False,
        ),
        _baseline(
            "nmf", "non-negative factors, cut off at a threshold", "seed", "stop",
            merges=False, takes_weights=False, takes_missing=False,
        ),
        # The median row of distinct rows is not the median of all of them.
        _baseline("mebf", "the median row and column of what is left", "stop", merges=False),
        _baseline(
            "proximus", "recursive splits by rank-one approximation", "seed", "stop",
            merges=False,
        ),
        _baseline("grecond", "formal concepts, chosen greedily; covers no zero", "stop"),
    )
}  # fmt: skip
"""By name, in the order in which they are listed."""


def methods() -> list[str]:
    """Names that `factorize` takes as method.

    Examples
    --------
    >>> "auto" in methods()
    True
    """
    return list(METHODS)


def find_method(name: str) -> Method:
    """The method of that name."""
    if name not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, got {name!r}")
    return METHODS[name]
