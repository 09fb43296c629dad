"""The checker of search trees: proofs by hand, proofs of the solver, and what is not a proof."""

import copy
import json
import re
from fractions import Fraction

import numpy as np
import pytest

from boolfact.certificate import make_certificate, verify_certificate
from boolfact.certificate.document import seal
from boolfact.certificate.kinds import tree
from boolfact.certificate.kinds.checker import Checked, Request
from boolfact.certificate.kinds.tree import check_tree
from boolfact.certificate.reading import CertificateError, Reduced
from boolfact.certificate.verdict import Check, State
from boolfact.control.progress import silent
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


def cover(p, omega, k=1, charges=(), blocks=(), **more):
    """A leaf by an assigned cover with a scale of 1, whose figures follow from one another."""
    bound = sum(x for *_, x in p) - k * omega
    part = {
        "row_map": [0, 1], "column_map": [0, 1], "scale": 1, "blocks": list(blocks), "p": p,
        "charges": list(charges), "omega_bound": omega, "bound": str(bound),
    }  # fmt: skip
    rounded = str(max(0, bound))
    return {"proof": {
        "kind": "assigned_cover", "on": "error", "relaxation": "by hand", "transposed": False,
        "parts": [part], "bound": rounded, "rounded": rounded, **more,
    }}  # fmt: skip


SPLIT = {"split": ["entry", 1, 1], "children": [1, 2]}
COVERED = cover([[0, 0, 1], [1, 0, 1], [1, 1, 4]], 5, charges=[[0, 1, 0, 0, 1]])
"""The one at (1, 1) may cost anything where it is not covered: one more than all ones, here 4."""
PAID = cover([[0, 0, 1], [1, 0, 1]], 2, charges=[[0, 1, 0, 0, 1], [1, 1, 1, 0, 3]])
"""It may not be covered: a zero that costs more than what is left, here 3."""


def of_the_error(nodes, bound="1", k=1):
    return hand_made(nodes, [], bound, rho=None, on="error", k=k)


def test_a_tree_of_covers_by_hand():
    document, matrix = of_the_error([SPLIT, COVERED, PAID])
    report = verify_certificate(sealed(document), matrix)
    assert report.complete, report.checks
    (bound,) = report.bounds
    assert bound.for_error() == 1 == naive.best_error(matrix.values, matrix.weights, 1)


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        (
            [SPLIT, cover([[0, 0, 1], [1, 0, 1], [1, 1, 5]], 6, charges=[[0, 1, 0, 0, 1]]), PAID],
            "p is 5 at (1, 1), above weight times scale = 4",
        ),
        (
            [SPLIT, cover([[0, 0, 2], [1, 0, 1], [1, 1, 4]], 6, charges=[[0, 1, 0, 0, 1]]), PAID],
            "p is 2 at (0, 0), above weight times scale = 1",
        ),
        (
            [SPLIT, COVERED, cover([[0, 0, 1], [1, 0, 1]], 2, charges=[[1, 1, 1, 0, 4]])],
            "(1, 1) charges 4, above weight times scale = 3",
        ),
        (
            [SPLIT, COVERED, cover([[0, 0, 1], [1, 0, 1], [1, 1, 1]], 3)],
            "p has a one at (1, 1), where there is none",
        ),
        ([SPLIT, COVERED, cover([[0, 0, 1]], 1, trust=True)], "does not have: trust"),
        # False, and the figures follow: only the search refuses it.
        (
            [SPLIT, cover([[0, 0, 1], [1, 0, 1], [1, 1, 4]], 4, charges=[[0, 1, 0, 0, 1]]), PAID],
            "leaf 1: a rectangle is worth",
        ),
        (
            [{"split": ["owner", 1, 1], "children": [1, 2]}, COVERED, PAID],
            "an assigned cover proves the error, where nothing is named",
        ),
    ],
)
def test_what_is_not_a_proof_by_covers_is_refused(nodes, message):
    document, matrix = of_the_error(nodes)
    assert message in reason(document, matrix)


def test_covers_prove_no_objective():
    document, matrix = hand_made([SPLIT, COVERED, PAID], [], "1")
    assert "an assigned cover proves the error, where nothing" in reason(document, matrix)


def test_a_cell_that_may_not_be_covered_costs_more_than_free_ones():
    """All that is left is worth 5: 1 for the one at (1, 0) and 4 for that at (1, 1)."""
    nodes = [
        {"split": ["entry", 0, 0], "children": [1, 2]},
        leaf(0, [3], "0"),
        {"split": ["entry", 1, 1], "children": [3, 4]},
        None,
        leaf(1, [2], "1"),
    ]
    for charge, fits in ((6, True), (7, False)):
        nodes[3] = cover([[1, 0, 1], [1, 1, 4]], 5, charges=[[0, 0, 1, 0, charge]], blocks=[[0, 1]])
        document, matrix = hand_made(nodes, [[1, 1, 1], [0, 1, 0]], "0", rho=None, on="error")
        if fits:
            report = verify_certificate(sealed(document), matrix)
            assert report.complete, report.checks
        else:
            assert "charges 7, above weight times scale = 6" in reason(document, matrix)


def test_the_figures_of_a_tree_follow():
    for name in ("bound", "rounded"):
        for value in ("0", "2", "1/2"):
            document, matrix = hand_made(GOOD, ARRAYS, "1")
            document["bounds"][0][name] = value
            assert f"{name} must be the least of the leaves, 1, got {value}" in reason(
                document, matrix
            )
    document, matrix = hand_made(GOOD, ARRAYS, "1")
    document["bounds"][0]["trust"] = True
    assert "fields that kind tree does not have: trust" in reason(document, matrix)
    for rho in ("0", "-1"):
        document, matrix = hand_made(GOOD, ARRAYS, "1", rho=rho)
        assert f"rho must be positive, got {rho}" in reason(document, matrix)


@pytest.mark.parametrize("heavy", [2**61 - 2, 2**61 - 1])
def test_weights_of_covers_fit_into_64_bits(heavy):
    reduced = Reduced(np.array([[1, 0]], dtype=np.int8), np.array([[heavy, 1]]))
    part = {
        "row_map": [0], "column_map": [0, 1], "scale": 1, "blocks": [], "charges": [], "p": [],
        "omega_bound": 0, "bound": "0",
    }  # fmt: skip
    proof = {
        "kind": "assigned_cover", "on": "error", "relaxation": "by hand", "transposed": False,
        "parts": [part], "bound": "0", "rounded": "0",
    }  # fmt: skip
    entry = {
        "kind": "tree", "on": "error", "relaxation": "by hand", "arrays": [], "bound": "0",
        "rounded": "0", "nodes": [{"proof": proof}],
    }  # fmt: skip
    request = Request("bound 1", entry, 1, reduced, 60.0, silent)
    if heavy == 2**61 - 2:
        assert {check.state for check in check_tree(request).checks} == {State.PASSED}
    else:
        with pytest.raises(CertificateError, match="the weights are too large"):
            check_tree(request)


@pytest.mark.parametrize("refuted", [True, False])
def test_one_refuted_part_of_a_cover_refutes_its_leaf(monkeypatch, refuted):
    state = State.FAILED if refuted else State.NOT_CHECKED
    checks = (Check("a", State.PASSED, ""), Check("b", State.NOT_CHECKED, "open"))
    checks += (Check("c", state, "refuted" if refuted else "open, too"),)
    monkeypatch.setattr(tree, "check_assigned_cover", lambda request: Checked(checks))
    document, matrix = of_the_error([SPLIT, COVERED, PAID])
    report = verify_certificate(sealed(document), matrix)
    assert report.ok is not refuted
    assert not report.complete
    assert report.checks[-1].message.endswith("leaf 1: refuted" if refuted else "leaf 1: open)")
