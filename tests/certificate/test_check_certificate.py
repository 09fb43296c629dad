"""Certificates: true ones pass, and one that is off by one anywhere is refused."""

import ast
import copy
import dataclasses
import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import boolfact.certificate
from boolfact.certificate import State, make_certificate, search, verify_certificate
from boolfact.certificate.document import certify_rows, seal
from boolfact.model.bound import Bound, Quantity
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.packed import PackedMatrix
from boolfact.model.reduction import keep_matrix, reduce_matrix
from certificate.proofs import best_objective, both_bounds, dual_bound

import naive
from strategies import matrices

K = 2
# Duplicates of rows and columns, an empty row, a missing entry.
X = BinaryMatrix(
    np.array(
        [
            [1, 1, 1, 0, 0, 1],
            [1, 1, 1, 0, 0, 1],
            [0, 1, 1, 1, 0, 0],
            [0, 0, 0, 0, 0, 0],
            [1, 0, 0, 1, 1, 1],
            [0, -1, 1, 1, 1, 0],
        ],
        dtype=np.int8,
    )
)


def made(matrix=X, k=K):
    reduction = reduce_matrix(matrix)
    return make_certificate(reduction, k, both_bounds(reduction.matrix, k))


@pytest.fixture(scope="module")
def certificate():
    return made()


def sealed(document):
    return {**document, "seal": seal(document)}


def altered(document, change):
    changed = copy.deepcopy(document)
    change(changed)
    return changed


def test_a_true_certificate_passes_and_survives_json(certificate):
    report = verify_certificate(json.loads(json.dumps(certificate)), X)
    assert report.complete
    assert [bound.on for bound in report.bounds] == [Quantity.OBJECTIVE, Quantity.ERROR]
    objective, error = (bound.rounded for bound in report.bounds)
    assert 0 < error <= naive.best_error(X.values, X.weights, K)
    assert objective > 0


def test_the_document_has_the_promised_fields(certificate):
    assert set(certificate) == {
        "format",
        "digest",
        "k",
        "shape",
        "row_map",
        "column_map",
        "bounds",
        "seal",
    }
    assert certificate["shape"] == [6, 6]
    assert certificate["row_map"].count(-1) == 1
    for entry in certificate["bounds"]:
        assert set(entry) == {
            "kind",
            "on",
            "relaxation",
            "rho",
            "scale",
            "p",
            "omega_bound",
            "bound",
            "rounded",
        }
        assert entry["kind"] == "mlp"
        total = sum(x for _, _, x in entry["p"])
        value = Fraction(total - K * entry["omega_bound"], entry["scale"])
        assert Fraction(entry["bound"]) == value
        assert value <= Fraction(entry["rounded"]) < value + 1


@given(matrices(max_side=4), st.integers(1, 2), st.sampled_from(["1", "19/20", "1/k", "2", "1/3"]))
@settings(max_examples=60)
def test_true_certificates_pass_and_never_exceed_the_optimum(matrix, k, rho):
    rho = Fraction(rho.replace("k", str(k)))
    reduction = reduce_matrix(matrix)
    bounds = both_bounds(reduction.matrix, k, rho)
    report = verify_certificate(make_certificate(reduction, k, bounds), matrix)
    assert report.complete
    on_objective, on_error = report.bounds
    assert on_objective.value <= best_objective(matrix, k, rho)
    assert on_objective.for_error() is None
    assert on_error.for_error() <= naive.best_error(matrix.values, matrix.weights, k)
    for bound in report.bounds:
        for other in (Fraction(1), Fraction(3, 2), Fraction(1, 4)):
            if bound.for_objective(other) is not None:
                assert bound.for_objective(other) <= best_objective(matrix, k, other)


@pytest.mark.parametrize("kind", ["MLP", "a tree", "", None, 3, ["mlp"]])
def test_a_kind_that_is_not_known_is_refused_by_name(certificate, kind):
    report = verify_certificate(sealed(altered(certificate, put("kind", kind, 0))), X)
    assert not report.ok
    message = report["bound 1: figures"].message
    assert message.startswith("kind must be")
    assert repr(kind) in message
    assert [bound.on for bound in report.bounds] == [Quantity.ERROR]  # the other one still holds


def test_a_proof_that_does_not_declare_its_kind_is_not_written_down():
    class Silent:
        def entry(self):
            return {"p": []}

    bound = Bound(Quantity.ERROR, Fraction(1), K, "nothing", Silent())
    with pytest.raises(ValueError, match="must declare its kind"):
        make_certificate(reduce_matrix(X), K, [bound])


@pytest.mark.parametrize(("name", "value"), [("on", "error"), ("bound", "1000")])
def test_a_bound_that_its_proof_does_not_say_is_not_written_down(name, value):
    reduction = reduce_matrix(X)
    bound = dual_bound(reduction.matrix, K)

    class Other:
        def entry(self):
            return {**bound.proof.entry(), name: value}

    with pytest.raises(ValueError, match=f"must agree: {name} is"):
        make_certificate(reduction, K, [dataclasses.replace(bound, proof=Other())])


def test_a_bound_at_a_node_is_not_written_down():
    bound = dual_bound(reduce_matrix(X).matrix, K)
    object.__setattr__(bound, "node", "somewhere")
    with pytest.raises(ValueError, match="a bound at a node holds there only"):
        make_certificate(reduce_matrix(X), K, [bound])


def test_what_a_bound_is_on_is_declared_and_not_inferred_from_rho():
    reduction = reduce_matrix(X)
    bound = dual_bound(reduction.matrix, K, Fraction(1, K), on=Quantity.OBJECTIVE)
    report = verify_certificate(make_certificate(reduction, K, [bound]), X)
    assert report.complete
    assert report.bounds[0].on is Quantity.OBJECTIVE
    assert report.bounds[0].for_error() is None


def shift(field, by, entry=0):
    def change(document):
        value = document["bounds"][entry][field]
        document["bounds"][entry][field] = (
            str(Fraction(value) + by) if isinstance(value, str) else value + by
        )

    return change


def shift_p(position, by):
    def change(document):
        document["bounds"][0]["p"][position][2] += by

    return change


def put(field, value, entry=None):
    def change(document):
        (document if entry is None else document["bounds"][entry])[field] = value

    return change


def move_last_row(document):
    document["row_map"][-1] = 0


def drop_a_row(document):
    document["row_map"] = [-1 if x == 1 else x - (x > 1) for x in document["row_map"]]


def swap_two_columns(document):
    columns = document["column_map"]
    columns[0], columns[3] = columns[3], columns[0]


def repeat_p(document):
    document["bounds"][0]["p"].append(document["bounds"][0]["p"][0])


def negate_p(document):
    document["bounds"][0]["p"][0][2] *= -1


FALSE = {
    "p up": shift_p(0, 1),
    "p down": shift_p(0, -1),
    "last p up": shift_p(-1, 1),
    "p negative": negate_p,
    "p twice": repeat_p,
    "p on a zero": lambda d: d["bounds"][0]["p"].append([0, 3, 0]),
    "p outside": lambda d: d["bounds"][0]["p"].append([99, 0, 1]),
    "p a fraction": lambda d: d["bounds"][0]["p"][0].__setitem__(2, 1.0),
    "omega up": shift("omega_bound", 1),
    "omega down": shift("omega_bound", -1),
    "omega of the error up": shift("omega_bound", 1, entry=1),
    "scale up": shift("scale", 1),
    "scale down": shift("scale", -1),
    "scale zero": put("scale", 0, 0),
    "bound up": shift("bound", 1),
    "bound up a little": shift("bound", Fraction(1, 1024)),
    "bound down a little": shift("bound", -Fraction(1, 1024)),
    "bound of the error up": shift("bound", 1, entry=1),
    "rounded up": shift("rounded", 1),
    "rounded down": shift("rounded", -1),
    "rounded of the error up": shift("rounded", 1, entry=1),
    "k up": put("k", K + 1),
    "k down": put("k", K - 1),
    "k zero": put("k", 0),
    "k true": put("k", True),
    "rho down": put("rho", "1/2", 0),
    "rho of the error up": put("rho", "1", 1),
    "rho of the error down": put("rho", "1/4", 1),
    "rho not whole with scale": put("rho", "1/3", 0),
    "rho zero": put("rho", "0", 0),
    "rho a number": put("rho", 1, 0),
    "objective called error": put("on", "error", 0),
    "on nothing": put("on", "gap", 0),
    "a field more": put("node", [[0, 0, 1]], 0),
    "kind missing": lambda d: d["bounds"][0].pop("kind"),
    "kind unknown": put("kind", "assigned cover", 1),
    "digest": lambda d: d.update(digest=d["digest"][:-1] + "?"),
    "shape": put("shape", [6, 7]),
    "format": put("format", 1),
    "row merged with another": move_last_row,
    "row with ones dropped": drop_a_row,
    "columns swapped": swap_two_columns,
    "map too short": lambda d: d["row_map"].pop(),
    "map with a hole": lambda d: d.update(row_map=[x + (x == 3) for x in d["row_map"]]),
    "bounds missing": lambda d: d.pop("bounds"),
    "bound not an object": lambda d: d["bounds"].append(3),
    "p missing": lambda d: d["bounds"][0].pop("p"),
}


@pytest.mark.parametrize("name", FALSE)
def test_an_altered_certificate_is_refused_even_if_sealed_again(certificate, name):
    document = altered(certificate, FALSE[name])
    assert document != certificate
    report = verify_certificate(sealed(document), X)
    assert not report.ok
    assert "sealed" not in report.failed()[0].message


@pytest.mark.parametrize("name", sorted(set(FALSE) - {"format"}))
def test_the_seal_shows_any_change(certificate, name):
    report = verify_certificate(altered(certificate, FALSE[name]), X)
    assert report["certificate"].message == "it was changed after it was sealed"


def shift_omega_and_bound(by):
    def change(document):
        entry = document["bounds"][0]
        entry["omega_bound"] += by
        value = Fraction(entry["bound"]) - Fraction(K * by, entry["scale"])
        entry["bound"], entry["rounded"] = str(value), str(-(-value.numerator // value.denominator))

    return change


def test_a_larger_omega_with_its_weaker_bound_is_a_valid_certificate(certificate):
    assert verify_certificate(sealed(altered(certificate, shift_omega_and_bound(1))), X).complete


def test_a_smaller_omega_with_its_stronger_bound_is_refuted(certificate):
    report = verify_certificate(sealed(altered(certificate, shift_omega_and_bound(-1))), X)
    assert report["bound 1: figures"].state is State.PASSED
    assert report["bound 1: omega"].state is State.FAILED
    assert "a rectangle is worth" in report["bound 1: omega"].message
    assert len(report.bounds) == 1  # only the other bound is left


def test_p_above_weight_times_scale_is_refused(certificate):
    def change(document):
        entry = document["bounds"][0]
        entry["p"][0][2] += 10**6
        entry["bound"] = str(Fraction(entry["bound"]) + Fraction(10**6, entry["scale"]))

    report = verify_certificate(sealed(altered(certificate, change)), X)
    assert "above weight times scale" in report["bound 1: figures"].message


def test_a_price_raised_where_it_counts_is_refuted():
    """Every unit of p in the best rectangle is needed: 1x1, where that is plain."""
    matrix = BinaryMatrix(np.array([[1]], dtype=np.int8))
    reduction = reduce_matrix(matrix)
    document = make_certificate(reduction, 1, [dual_bound(matrix, 1, p=np.array([[0.5]]))])
    assert verify_certificate(document, matrix).complete
    entry = document["bounds"][0]
    entry["p"][0][2] += 1
    entry["bound"], entry["rounded"] = str(Fraction(1, entry["scale"])), "1"
    report = verify_certificate(sealed(document), matrix)
    assert report["bound 1: omega"].state is State.FAILED


def test_out_of_time_it_says_what_was_proved_and_claims_nothing(certificate, monkeypatch):
    monkeypatch.setattr(search, "_WORK_BUDGET", 1)
    clock = iter(range(10**9))
    monkeypatch.setattr(search.time, "monotonic", lambda: next(clock))
    report = verify_certificate(certificate, X, time_limit=1.0)
    assert report.ok
    assert not report.complete
    check = report["bound 1: omega"]
    assert check.state is State.NOT_CHECKED
    assert "not confirmed in the time given: proved only omega <= " in check.message
    best = best_objective(reduce_matrix(X).matrix, K, Fraction(1))
    confirmed = [bound for bound in report.bounds if bound.confirmed]
    assert confirmed
    assert all(bound.value <= best for bound in confirmed)


def test_figures_too_large_for_the_search_are_not_claimed():
    matrix = BinaryMatrix(
        np.array([[1, 0], [0, 1]], dtype=np.int8), np.full((2, 2), 2**50, dtype=np.int64)
    )
    bound = dual_bound(matrix, 1, p=np.full((2, 2), 2.0**50))
    report = verify_certificate(make_certificate(reduce_matrix(matrix), 1, [bound]), matrix)
    assert report.ok
    assert not report.complete
    assert "too large for 64-bit arithmetic" in report["bound 1: omega"].message
    assert [b.value for b in report.bounds if b.confirmed] == [0]


def test_other_data_is_refused(certificate):
    values = X.values.copy()
    values[0, 0] = 0
    report = verify_certificate(certificate, BinaryMatrix(values))
    assert "it is for other data" in report["certificate"].message


def test_other_weights_are_other_data(certificate):
    weights = X.weights.copy()
    weights[0, 0] = 2
    assert not verify_certificate(certificate, BinaryMatrix(X.values, weights)).ok


@pytest.mark.parametrize("nonsense", [None, 3, [], {}, {"format": 2}, {"format": 2, "seal": {1}}])
def test_what_is_no_certificate_is_refused(nonsense):
    assert not verify_certificate(nonsense, X).ok


@pytest.mark.parametrize("stranger", [{1}, float, b"x", {"x": {3}}])
def test_what_json_does_not_know_is_refused(certificate, stranger):
    report = verify_certificate({**certificate, "note": stranger}, X)
    assert [check.message for check in report] == ["it holds something that JSON does not know"]


def test_a_certificate_of_large_data_and_the_same_data_entry_by_entry():
    """It is checked on the data in bits; data with other weights have no such form."""
    values = np.array([[1, 0, 1], [0, 1, 1]], dtype=np.int8)
    packed = PackedMatrix.from_dense(values)
    document = certify_rows(packed, packed.digest(), K, [])
    assert verify_certificate(document, BinaryMatrix(values)).complete
    odd = BinaryMatrix(values, np.array([[1, 2, 3], [4, 5, 7]]))
    (check,) = verify_certificate(document, odd)
    assert check.message == "it is for data with two prices, and these have more"
    for wrong in ({}, [], None, {"digest": 3}):
        assert not verify_certificate(wrong, BinaryMatrix(values)).ok
    other = sealed({**document, "bounds": [{"kind": "mlp"}, 3]})
    assert [check.message for check in verify_certificate(other, packed).failed()] == [
        "kind must be one that can be checked (column_groups), got 'mlp'",
        "a bound must be an object",
    ]


def test_a_bound_for_another_rank_is_not_written_down():
    reduction = reduce_matrix(X)
    with pytest.raises(ValueError, match="must be for rank k = 3, got one for rank 2"):
        make_certificate(reduction, 3, [dual_bound(reduction.matrix, 2)])


def test_a_time_limit_must_be_positive(certificate):
    with pytest.raises(ValueError, match="time_limit must be a positive number"):
        verify_certificate(certificate, X, time_limit=0)


def test_progress_is_reported(certificate, monkeypatch):
    # Without the first look nothing is settled before the search, which is what reports.
    monkeypatch.setattr(search, "_good_rectangle", look_nowhere)
    events = []
    verify_certificate(certificate, X, time_limit=None, progress=events.append)
    assert {event.phase for event in events} == {"verify"}


def look_nowhere(H):
    return 0, np.zeros(H.shape[0], dtype=bool), np.zeros(H.shape[1], dtype=bool)


# The data model, files, and how figures are printed.
ALLOWED = {
    "boolfact.certificate",
    "boolfact.io.write",
    "boolfact.model.packed",
    "boolfact.control.progress",
    "boolfact.model.bound",
    "boolfact.model.matrix",
    "boolfact.model.rows",
    "boolfact.model.sparse",
    "boolfact.results.format",
    "boolfact.results.result",
    "boolfact.results.status",
}


def test_the_verifier_shares_nothing_with_the_solver():
    imported = set()
    for path in Path(boolfact.certificate.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                imported.add(node.module or "")
            elif isinstance(node, ast.Import):
                imported.update(alias.name for alias in node.names)
    ours = {name for name in imported if name.split(".")[0] == "boolfact"}
    others = {name for name in ours if not name.startswith("boolfact.certificate.")}
    assert "boolfact.model.matrix" in others
    assert others <= ALLOWED


def test_an_enormous_scale_is_refused_where_there_is_no_zero():
    ones = BinaryMatrix(np.ones((2, 2), dtype=np.int8))
    entry = {
        "kind": "mlp", "on": "objective", "relaxation": "MLP(1)", "rho": "1", "scale": 2**70,
        "p": [], "omega_bound": 0, "bound": "0", "rounded": "0",
    }  # fmt: skip
    certificate = {**make_certificate(keep_matrix(ones), 1, []), "bounds": [entry]}
    certificate["seal"] = seal(certificate)
    report = verify_certificate(certificate, ones)
    assert "the figures are too large" in report["bound 1: figures"].message
    assert not report.ok
