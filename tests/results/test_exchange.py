import json
import sys

import networkx
import numpy as np
import pytest

from boolfact.results.exchange import to_document, to_frames, to_graph

from sample_results import sample


def test_frames_hold_the_factors_with_names():
    result, X = sample()
    A, B = to_frames(result)
    assert (A.to_numpy() == result.A).all()
    assert (B.to_numpy() == result.B).all()
    assert tuple(A.index) == X.row_names
    assert tuple(B.columns) == X.column_names
    assert list(A.columns) == list(B.index) == ["pattern 1", "pattern 2", "pattern 3"]


def test_a_path_through_a_pattern_is_a_covered_entry():
    result, X = sample()
    graph = to_graph(result)
    sides = networkx.get_node_attributes(graph, "bipartite")
    assert networkx.is_bipartite(graph)
    assert all(sides[a] != sides[b] for a, b in graph.edges)
    product = np.array(
        [
            [any(True for _ in networkx.common_neighbors(graph, ("row", i), ("column", j)))
             for j in range(X.shape[1])]
            for i in range(X.shape[0])
        ]
    )  # fmt: skip
    assert (product == result.factors.product()).all()
    assert graph.nodes["row", 3]["name"] == "row 3"


def test_two_rows_of_the_same_name_stay_two():
    result, X = sample(names=False)
    assert to_graph(result).number_of_nodes() == sum(X.shape) + result.k


def test_the_document_is_json_with_the_patterns_by_name():
    result, X = sample(k=4)
    document = json.loads(json.dumps(to_document(result, X), allow_nan=False))
    assert document["error"] == result.error
    for u, pattern in enumerate(document["patterns"]):
        assert pattern["rows"] == [X.row_names[i] for i in np.flatnonzero(result.A[:, u])]
        assert pattern["columns"] == [X.column_names[j] for j in np.flatnonzero(result.B[u])]


@pytest.mark.parametrize(("function", "package"), [(to_frames, "pandas"), (to_graph, "networkx")])
def test_without_the_package_the_message_says_what_to_install(monkeypatch, function, package):
    result, _ = sample()
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match="pip install 'boolfact"):
        function(result)
