"""Certificates of kind enumeration: true ones pass, and no altered one proves what is false."""

import copy
import json
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boolfact.certificate import State, make_certificate, verify_certificate
from boolfact.certificate.document import seal
from boolfact.certificate.enumeration import search
from boolfact.certificate.text import _certificate_lines
from boolfact.model.costs import with_costs
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.reduction import keep_matrix, reduce_matrix
from certificate.covers import best_cover, random_blocks, random_cover
from certificate.enumerations import CHOICES, SETS, enumeration

import naive

K = 2
X = BinaryMatrix(
    np.array(
        [[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 1, 1], [0, 1, -1, 1], [1, 0, 0, 1]], dtype=np.int8
    ),
    np.array([[1] * 4, [2] * 4, [1, 1, 3, 1], [1] * 4, [1, 1, 1, 2]]),
)
BEST = naive.best_error(X.values, X.weights, K)


def certify(bound, matrix=X, k=K):
    return make_certificate(keep_matrix(matrix), k, [bound])


def covers_of_x(turned):
    rng = np.random.default_rng(1)
    side = X.T if turned else X
    return [best_cover(side, K, random_blocks(rng, side.shape[0], 2)) for _ in range(2)]


@pytest.fixture(scope="module", params=[False, True], ids=["columns", "rows"])
def certificate(request):
    turned = request.param
    return certify(enumeration(X, K, BEST, covers_of_x(turned), turned=turned))


def sealed(document):
    return {**document, "seal": seal(document)}


def altered(document, change):
    changed = copy.deepcopy(document)
    change(changed["bounds"][0])
    return sealed(changed)


def test_a_true_certificate_passes_and_survives_json(certificate):
    assert BEST > 1
    report = verify_certificate(json.loads(json.dumps(certificate)), X)
    assert report.complete
    message = report["bound 1: search"].message
    assert message.startswith(f"no factorisation has an error below {BEST}: ")
    (bound,) = report.bounds
    assert bound.confirmed
    assert bound.for_error() == BEST
    assert bound.for_objective(Fraction(1, 2)) is None


def random_matrix(rng, k):
    """Weights, zero among them, missing entries, and sometimes costs, or none but from below."""
    n, m = (int(x) for x in rng.integers(1, {1: 6, 2: 5, 3: 4}[k], 2))
    values = (rng.random((n, m)) < rng.uniform(0.2, 0.9)).astype(np.int8)
    values[rng.random((n, m)) < 0.15] = -1
    matrix = BinaryMatrix(values, rng.integers(0, 4, (n, m)))
    options = [{}, {"false_one_cost": 2}, {"missed_one_cost": 3}, {"from_below": True}]
    return with_costs(matrix, **options[int(rng.integers(len(options)))])


@given(st.integers(0, 2**32 - 1), st.integers(1, 3))
@settings(max_examples=300, deadline=None)
def test_claims_up_to_the_optimum_pass_and_those_above_are_refuted(seed, k):
    rng = np.random.default_rng(seed)
    matrix = random_matrix(rng, k)
    reduction = reduce_matrix(matrix)
    turned = bool(rng.integers(2))
    side = reduction.matrix.T if turned else reduction.matrix
    covers = [random_cover(rng, side) for _ in range(int(rng.integers(1, 4)))]
    best = naive.best_error(matrix.values, matrix.weights, k)
    for error in {0, best // 2, best, best + 1, best + 2}:
        bound = enumeration(reduction.matrix, k, error, covers, turned=turned)
        report = verify_certificate(make_certificate(reduction, k, [bound]), matrix)
        if not covers[0].prices:
            assert "no price" in report["bound 1: figures"].message
        elif error <= best:
            assert report.complete
            assert report.bounds[0].for_error() == error
        else:
            assert report["bound 1: search"].state is State.FAILED
            assert f"below {error}" in report["bound 1: search"].message
            assert report.bounds == ()


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("seed", range(8))
def test_good_prices_leave_few_sets_and_prove_no_more_than_is_true(seed, k):
    rng = np.random.default_rng(seed)
    values = (rng.random((5, 4)) < 0.55).astype(np.int8)
    matrix = BinaryMatrix(values, rng.integers(1, 3, (5, 4)))
    covers = [best_cover(matrix, k, random_blocks(rng, 5, 3)) for _ in range(2)]
    best = naive.best_error(matrix.values, matrix.weights, k)
    for error in (best, best + 1):
        report = verify_certificate(
            certify(enumeration(matrix, k, error, covers), matrix, k), matrix
        )
        assert report.complete is (error == best)
        assert report.ok is (error == best)


def leaves(value, path=()):
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inside in items:
        if isinstance(inside, dict | list):
            yield from leaves(inside, (*path, key))
        elif isinstance(inside, int) or (
            isinstance(inside, str) and re.fullmatch(r"-?\d+(/\d+)?", inside)
        ):
            yield (*path, key)


@pytest.mark.parametrize("step", [-1, 1])
def test_a_unit_altered_is_refused_or_proves_only_what_is_true(certificate, step):
    refused = 0
    for path in leaves(certificate["bounds"][0]):

        def change(entry, path=path):
            *first, last = path
            for key in first:
                entry = entry[key]
            value = entry[last]
            if isinstance(value, bool):
                entry[last] = not value
            elif isinstance(value, int):
                entry[last] = value + step
            else:
                entry[last] = str(Fraction(value) + step)

        report = verify_certificate(altered(certificate, change), X)
        assert all(bound.for_error() <= BEST for bound in report.bounds if bound.confirmed)
        refused += not report.ok
    assert refused > 10


def set_bound(value):
    def change(entry):
        entry["bound"] = entry["rounded"] = value

    return change


def circle_of(point):
    m = len(point["column_map"])
    return {"order": list(range(m)), "weights": [1] * m, "usual": [0] * m}


BAD = {
    "above the optimum": (set_bound(str(BEST + 1)), f"an error of {BEST}, below {BEST + 1}"),
    "a fraction": (set_bound("7/2"), "bound must be a whole number"),
    "negative": (set_bound("-1"), "bound must be a whole number"),
    "not rounded": (lambda e: e.update(rounded="1"), "rounded must be the bound"),
    "no points": (lambda e: e.update(points=[]), "points must not be empty"),
    "no prices": (
        lambda e: e["points"][0].update(p=[], charges=[], omega_bound=0, bound="0"),
        "point 1: it has no price",
    ),
    "on the objective alone": (lambda e: e.update(on="objective"), "not the objective"),
    "columns in another order": (
        lambda e: e["points"][1].update(
            column_map=e["points"][1]["column_map"][::-1],
            p=[],
            charges=[],
            omega_bound=0,
            bound="0",
        ),
        "point 2: column_map must have 0, 1, ...",
    ),
    "on the objective": (lambda e: e.update(on="objective", rho="1"), "rho"),
    "a new field": (lambda e: e.update(trust=True), "does not have: trust"),
    "no side": (lambda e: e.update(transposed=None), "transposed must be true or false"),
    "sets": (lambda e: e.update(sets=-1), "sets"),
    "a point with a circle": (
        lambda e: e["points"][1].update(circle=circle_of(e["points"][1])),
        "point 2: a point has no circle",
    ),
    "rows in another order": (
        lambda e: e["points"][1]["row_map"].reverse(),
        "point 2: ",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_malformed_and_false_entries_are_refused(certificate, name):
    change, message = BAD[name]
    report = verify_certificate(altered(certificate, change), X)
    assert not report.ok
    assert report.bounds == ()
    assert any(message in check.message for check in report if check.state is State.FAILED)


def test_an_omega_too_small_is_refuted(certificate):
    def change(entry):
        point = entry["points"][0]
        point["omega_bound"] -= 1
        value = Fraction(point["bound"]) + Fraction(K, point["scale"])
        point["bound"] = str(value)

    report = verify_certificate(altered(certificate, change), X)
    assert report["bound 1: search"].state is State.FAILED
    assert "at point 1 a rectangle is worth" in report["bound 1: search"].message


def test_the_wrong_side_proves_nothing_false(certificate):
    changed = altered(certificate, lambda e: e.update(transposed=not e["transposed"]))
    assert not verify_certificate(changed, X).ok


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [("MOST_SETS", 0, "more than the 0"), ("MOST_LISTED", 0, "more than 0 sets")],
)
def test_what_is_too_much_is_not_confirmed(monkeypatch, name, value, message):
    poor = [random_cover(np.random.default_rng(0), X)]
    certificate = certify(enumeration(X, K, BEST, poor))
    assert verify_certificate(certificate, X).complete
    monkeypatch.setattr(search, name, value)
    report = verify_certificate(certificate, X)
    assert report.ok
    assert not report.complete
    check = report["bound 1: search"]
    assert check.state is State.NOT_CHECKED
    assert message in check.message
    assert all(bound.for_error() <= BEST for bound in report.bounds if bound.confirmed)


def test_the_text_form_has_every_field(certificate):
    lines = list(_certificate_lines(certificate))
    entry = certificate["bounds"][0]
    assert f"points {len(entry['points'])}" in lines
    assert lines.count("point") == len(entry["points"])
    assert lines[-4:] == [f"sets {SETS}", f"choices {CHOICES}", f"bound {BEST}", f"rounded {BEST}"]
    assert " ".join(map(str, entry["points"][0]["p"][0])) in lines
