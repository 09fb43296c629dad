"""Results for other tools: data frames, a graph, a plain document for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from boolfact.model.matrix import BinaryMatrix
from boolfact.results.names import named_members, pattern_labels
from boolfact.results.patterns import describe_patterns
from boolfact.results.result import Result

if TYPE_CHECKING:
    import networkx
    import pandas

__all__ = ["member_table", "patterns_by_name", "to_document", "to_frames", "to_graph"]


def to_frames(result: Result) -> tuple[pandas.DataFrame, pandas.DataFrame]:
    """A and B as pandas DataFrames of bool, with the names of rows, patterns and columns.

    Examples
    --------
    >>> import boolfact
    >>> result = boolfact.factorize([[1, 1, 0], [1, 1, 0], [0, 0, 1]], 2, time_limit=5)
    >>> A, B = to_frames(result)
    >>> A.shape, list(B.index)
    ((3, 2), ['pattern 1', 'pattern 2'])
    """
    try:
        import pandas
    except ImportError as error:
        raise ImportError(
            "to_frames needs pandas; install it with `pip install 'boolfact[pandas]'`"
        ) from error
    patterns = pattern_labels(result.k, result.pattern_names)
    rows, columns = _names(result)
    return (
        pandas.DataFrame(result.A, index=rows, columns=patterns),
        pandas.DataFrame(result.B, index=patterns, columns=columns),
    )


def to_graph(result: Result) -> networkx.Graph:
    """The factorisation as a bipartite graph: patterns on one side, rows and columns on the other.

    Nodes are ("pattern", u), ("row", i) and ("column", j), counted from 0, each with its `name`
    and with `bipartite` 1 for patterns, 0 for the others. Row i and column j have a common
    neighbour if and only if entry (i, j) is covered.

    Examples
    --------
    >>> import boolfact
    >>> result = boolfact.factorize([[1, 1, 0], [1, 1, 0], [0, 0, 1]], 2, time_limit=5)
    >>> graph = to_graph(result)
    >>> graph.number_of_nodes(), graph.number_of_edges()
    (8, 6)
    """
    try:
        import networkx
    except ImportError as error:
        raise ImportError(
            "to_graph needs networkx; install it with `pip install 'boolfact[graph]'`"
        ) from error
    graph = networkx.Graph()
    rows, columns = _names(result)
    for u, label in enumerate(pattern_labels(result.k, result.pattern_names)):
        graph.add_node(("pattern", u), name=label, bipartite=1)
    for kind, names, flags in (("row", rows, result.A), ("column", columns, result.B.T)):
        for i, name in enumerate(names):
            graph.add_node((kind, i), name=name, bipartite=0)
            for v in np.flatnonzero(flags[i]).tolist():
                graph.add_edge((kind, i), ("pattern", v))
    return graph


def member_table(result: Result) -> list[tuple[str, str, str]]:
    """One line for each member of each pattern: pattern, "row" or "column", name of the member.

    Examples
    --------
    >>> import boolfact
    >>> result = boolfact.factorize([[1, 1, 0], [1, 1, 0], [0, 0, 1]], 2, time_limit=5)
    >>> member_table(result)[:3]
    [('pattern 1', 'row', '0'), ('pattern 1', 'row', '1'), ('pattern 1', 'column', '0')]
    """
    return [
        (pattern["name"], side, member)
        for pattern in patterns_by_name(result)
        for side in ("row", "column")
        for member in pattern[f"{side}s"]
    ]


def patterns_by_name(result: Result) -> list[dict[str, Any]]:
    """The name, the rows and the columns of each pattern, ready for `json.dumps`.

    Examples
    --------
    >>> import boolfact
    >>> result = boolfact.factorize([[1, 1, 0], [1, 1, 0], [0, 0, 1]], 2, time_limit=5)
    >>> patterns_by_name(result.named(["tea", "jazz"]))[1]
    {'pattern': 2, 'name': 'jazz', 'rows': ['2'], 'columns': ['2']}
    """
    labels = pattern_labels(result.k, result.pattern_names)
    return [
        {
            "pattern": u + 1,
            "name": label,
            "rows": named_members(result.row_names, result.A[:, u]),
            "columns": named_members(result.column_names, result.B[u]),
        }
        for u, label in enumerate(labels)
    ]


def to_document(result: Result, X: BinaryMatrix) -> dict[str, Any]:
    """The figures and the patterns by name, ready for `json.dumps`.

    Examples
    --------
    >>> import boolfact
    >>> X = boolfact.as_matrix([[1, 1, 0], [1, 1, 0], [0, 0, 1]])
    >>> document = to_document(boolfact.factorize(X, 2, time_limit=5), X)
    >>> document["patterns"][0]["rows"], document["patterns"][0]["columns"]
    (['0', '1'], ['0', '1'])
    """
    labels = pattern_labels(result.k, result.pattern_names)
    patterns = [
        {
            "pattern": pattern.index + 1,
            "name": labels[pattern.index],
            "rows": list(pattern.row_names),
            "columns": list(pattern.column_names),
            "ones": pattern.ones,
            "zeros": pattern.zeros,
            "gain": pattern.gain,
            "precision": None if np.isnan(pattern.precision) else pattern.precision,
            "recall": None if np.isnan(pattern.recall) else pattern.recall,
        }
        for pattern in describe_patterns(result.factors, X)
    ]
    return {**result.as_dict(), "patterns": patterns}


def _names(result: Result) -> tuple[list[str], list[str]]:
    n, m = result.shape
    rows = result.row_names or tuple(map(str, range(n)))
    columns = result.column_names or tuple(map(str, range(m)))
    return list(rows), list(columns)
