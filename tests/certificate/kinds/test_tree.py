"""The checker of search trees: proofs by hand, proofs of the solver, and what is not a proof."""

import copy
import json
import re
from fractions import Fraction

import numpy as np
import pytest

from boolfact.certificate import make_certificate, verify_certificate
from boolfact.certificate.document import seal
from boolfact.control.stop import Stop
from boolfact.exact.error import ErrorProblem
from boolfact.exact.mip import MipProblem
from boolfact.exact.proof import tree_bound
from boolfact.exact.search import Limits, Search
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.reduction import keep_matrix

import naive


def crown(size=5, zero=2):
    values = np.ones((size, size), dtype=np.int8)
    np.fill_diagonal(values, 0)
    return BinaryMatrix(values, np.where(values == 1, 1, zero))


def certificate_of(matrix, k, rho=None, nodes=None):
    problem = ErrorProblem(matrix, k) if rho is None else MipProblem(matrix, k, rho)
    search = Search(problem, Factors.empty(matrix.shape, k))
    search.run(Stop(), limits=Limits(nodes=nodes))
    bound = tree_bound(search, k, "a relaxation", rho)
    return json.loads(json.dumps(make_certificate(keep_matrix(matrix), k, [bound])))


@pytest.fixture(scope="module")
def objective():
    return crown(), certificate_of(crown(), 2, Fraction(1))


@pytest.fixture(scope="module")
def error():
    # A matrix whose root does not prove it: its certificate has eleven nodes.
    values = (np.random.default_rng(88).random((6, 6)) < 0.6).astype(np.int8)
    matrix = BinaryMatrix(values)
    return matrix, certificate_of(matrix, 2)


def sealed(certificate):
    return {**certificate, "seal": seal(certificate)}


def reason(certificate, matrix):
    report = verify_certificate(sealed(certificate), matrix)
    assert not report.ok, report.checks
    return report.failed()[0].message


def test_trees_of_the_solver_are_confirmed(objective, error):
    for (matrix, certificate), rho in ((objective, Fraction(1)), (error, None)):
        report = verify_certificate(certificate, matrix)
        assert report.complete, report.checks
        best = naive.best_by_sets(matrix.values, matrix.weights, 2, rho)
        assert [bound.rounded for bound in report.bounds] == [best]
        assert len(certificate["bounds"][0]["nodes"]) > 1


def test_a_search_that_was_ended_leaves_a_certificate_of_what_it_proved():
    matrix = crown()
    certificate = certificate_of(matrix, 2, Fraction(1), nodes=3)
    report = verify_certificate(certificate, matrix)
    assert report.complete
    assert 0 < report.bounds[0].rounded <= naive.best_by_sets(matrix.values, matrix.weights, 2, 1)


def places(document, path=()):
    """Where whole numbers and fractions stand."""
    if isinstance(document, dict):
        for name, value in document.items():
            yield from places(value, (*path, name))
    elif isinstance(document, list):
        for u, value in enumerate(document):
            yield from places(value, (*path, u))
    elif isinstance(document, int) or (
        isinstance(document, str) and set(document) <= set("0123456789/-")
    ):
        yield path


def altered(certificate, path, by):
    changed = copy.deepcopy(certificate)
    inside = changed["bounds"][0]
    for step in path[:-1]:
        inside = inside[step]
    value = inside[path[-1]]
    inside[path[-1]] = str(Fraction(value) + by) if isinstance(value, str) else value + by
    return changed


@pytest.mark.parametrize("which", ["objective", "error"])
def test_no_figure_can_be_altered_by_one_unit(which, request):
    matrix, certificate = request.getfixturevalue(which)
    best = naive.best_by_sets(
        matrix.values, matrix.weights, 2, Fraction(1) if which == "objective" else None
    )
    everywhere = list(places(certificate["bounds"][0]))
    rng = np.random.default_rng(0)
    some = [everywhere[u] for u in rng.permutation(len(everywhere))[:60]]
    refused = 0
    for path in some:
        for by in (1, -1):
            report = verify_certificate(sealed(altered(certificate, path, by)), matrix)
            if "split" in path or "row_map" in path or "column_map" in path or "charges" in path:
                # The same prices may prove the same after another split: then it is a proof.
                refused += not report.ok
                assert not report.ok or max(b.rounded for b in report.bounds) <= best
            else:
                refused += 1
                assert not report.ok, (path, by)
    assert refused > 60


def test_a_child_cannot_be_left_out(objective):
    matrix, certificate = objective
    nodes = certificate["bounds"][0]["nodes"]
    for u, node in enumerate(nodes):
        if "children" in node:
            changed = copy.deepcopy(certificate)
            changed["bounds"][0]["nodes"][u]["children"].pop()
            assert "children must be a list of" in reason(changed, matrix)
            changed = copy.deepcopy(certificate)
            children = changed["bounds"][0]["nodes"][u]["children"]
            children[-1] = children[0]
            assert "is not in its place" in reason(changed, matrix)


def hand_made(nodes, arrays, bound, rho="1", on="objective", k=1):
    """A tree for [[1, 0], [1, 1]]."""
    matrix = BinaryMatrix(np.array([[1, 0], [1, 1]], dtype=np.int8))
    entry = {
        "kind": "tree", "on": on, "rho": rho, "relaxation": "by hand", "bound": bound,
        "rounded": bound, "arrays": arrays, "nodes": nodes,
    }  # fmt: skip
    if rho is None:
        del entry["rho"]
    document = {
        "format": 2, "digest": matrix.digest(), "k": k, "shape": [2, 2], "row_map": [0, 1],
        "column_map": [0, 1], "bounds": [entry],
    }  # fmt: skip
    return document, matrix


def leaf(p, omegas, bound, **more):
    return {"proof": {"kind": "mlp", "rho": "1", "scale": 1, "p": p, "omegas": omegas,
                      "bound": bound, **more}}  # fmt: skip


GOOD = [
    {"split": ["entry", 1, 1], "children": [1, 2]},
    # The one at (1, 1) must be covered: its price has no limit.
    leaf(0, [3], "1"),
    # It is paid for, and the column of the others costs nothing.
    leaf(1, [2], "1"),
]
ARRAYS = [[1, 1, 2], [1, 1, 0]]


def test_a_tree_by_hand():
    document, matrix = hand_made(GOOD, ARRAYS, "1")
    report = verify_certificate(sealed(document), matrix)
    assert report.complete, report.checks
    assert (
        report.bounds[0].rounded == 1 == naive.best_objective(matrix.values, matrix.weights, 1, 1)
    )


def changed_leaf(**more):
    nodes = copy.deepcopy(GOOD)
    nodes[2]["proof"].update(more)
    return nodes


@pytest.mark.parametrize(
    ("nodes", "arrays", "message"),
    [
        (GOOD[:2], ARRAYS, "is not in its place"),
        ([*GOOD, GOOD[2]], ARRAYS, "only 3 are reached"),
        ([{"split": ["entry", 1, 2], "children": [1, 2]}, *GOOD[1:]], ARRAYS, "is not there"),
        ([{"split": ["row", 0, 1], "children": [1, 2]}, *GOOD[1:]], ARRAYS, "not there"),
        ([{"split": ["side", 0, 1], "children": [1, 2]}, *GOOD[1:]], ARRAYS, "can be checked"),
        ([{"split": ["entry", 1, 1]}, *GOOD[1:]], ARRAYS, "a split and children"),
        ([GOOD[0], GOOD[2], GOOD[1]], ARRAYS, "the bound of a leaf must be 0"),
        (GOOD, [[1, 1, 2], [1, 1, 1]], "which is paid for"),
        (GOOD, [[2, 1, 2], [1, 1, 0]], "above weight times scale"),
        (GOOD, [[1, 1, 2], [1, 1]], "a price for each of 3 ones"),
        (changed_leaf(p=2), ARRAYS, "there is no array 2"),
        (changed_leaf(omegas=[1], bound="2"), ARRAYS, "bound must be|is worth"),
        (changed_leaf(omegas=[]), ARRAYS, "omegas must be one for each"),
        (changed_leaf(omegas=[-1]), ARRAYS, "omegas must be one for each"),
        (changed_leaf(rho="1/2", scale=2), ARRAYS, "rho of a leaf must be 1"),
        (changed_leaf(kind="trust me"), ARRAYS, "what can be checked"),
        (changed_leaf(note="x"), ARRAYS, "must have"),
        ([GOOD[0], GOOD[1], {"proof": {"kind": "contradiction"}}], ARRAYS, "do not contradict"),
    ],
)
def test_what_is_not_a_proof_is_refused(nodes, arrays, message):
    document, matrix = hand_made(nodes, arrays, "1")
    assert re.search(message, reason(document, matrix))


def test_an_omega_that_is_too_small_is_refuted():
    nodes = changed_leaf(omegas=[1], bound="2")
    nodes[1] = leaf(0, [2], "2")
    document, matrix = hand_made(nodes, ARRAYS, "2")
    assert "more than its omega" in reason(document, matrix)


def test_impossible_leaves_are_proved_by_that_alone():
    nodes = [
        GOOD[0],
        {"split": ["entry", 1, 1], "children": [2, 3]},
        GOOD[1],
        {"proof": {"kind": "contradiction"}},
        GOOD[2],
    ]
    nodes[0] = {"split": ["entry", 1, 1], "children": [1, 4]}
    document, matrix = hand_made(nodes, ARRAYS, "1")
    assert verify_certificate(sealed(document), matrix).complete
    nodes[3] = leaf(1, [2], "1")
    assert "only that proves it" in reason(hand_made(nodes, ARRAYS, "1")[0], matrix)


def test_a_tree_for_the_error_needs_a_small_rho():
    document, matrix = hand_made(GOOD, ARRAYS, "1", rho=None, on="error")
    assert verify_certificate(sealed(document), matrix).complete
    document, matrix = hand_made(GOOD, ARRAYS, "1", rho=None, on="error", k=2)
    assert "rho of a leaf must be at most 1/2" in reason(document, matrix)
    document, matrix = hand_made(GOOD, ARRAYS, "1", on="error")
    assert "has no rho" in reason(document, matrix)


def test_without_time_nothing_is_claimed(objective):
    matrix, certificate = objective
    report = verify_certificate(certificate, matrix, time_limit=1e-9)
    assert report.ok
    confirmed = [bound.rounded for bound in report.bounds if bound.confirmed]
    assert max(confirmed) <= naive.best_by_sets(matrix.values, matrix.weights, 2, 1)
