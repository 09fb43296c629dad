"""The names under which the engines count: keys of `Trace.counters`."""

from __future__ import annotations

import enum

__all__ = ["Counter", "labelled"]


class Counter(enum.StrEnum):
    """What is counted, or kept as a last value."""

    SECONDS_COMPILING = "seconds_compiling"
    SECONDS_MASTER = "seconds_master"
    SECONDS_HEURISTIC_PRICING = "seconds_heuristic_pricing"
    SECONDS_EXACT_PRICING = "seconds_exact_pricing"
    EXACT_PRICINGS = "exact_pricings"
    FAILED_MASTERS = "failed_masters"
    NODES = "nodes"
    TREE_NODES = "tree_nodes"
    """Of a branch and bound, evaluated."""
    MASTER_VALUE = "master_value"
    """Of the last restricted master, hence an upper bound on the relaxation."""
    INTEGER_MASTER_OBJECTIVE = "integer_master_objective"
    CLAIMED_BOUND = "claimed_bound"
    """What HiGHS says, in floating point: no bound of ours."""


def labelled(name: str, label: object) -> str:
    """The counter of one engine among several of its kind.

    Examples
    --------
    >>> labelled(Counter.NODES, "error")
    'nodes[error]'
    """
    return f"{name}[{label}]"
