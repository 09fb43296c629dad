"""Certificates of kind column_search: true ones pass, and altered ones are refused."""

import copy
import itertools
import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boolfact.certificate import State, make_certificate, verify_certificate
from boolfact.certificate.columns import search
from boolfact.certificate.document import seal
from boolfact.column_search.circle import Circle
from boolfact.column_search.level import Gains, exhaust
from boolfact.column_search.proof import column_bound
from boolfact.model.bound import Bound, Quantity
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.reduction import keep_matrix, reduce_matrix
from certificate import circles
from certificate.circles import ones_weight, random_search

import naive

K = 2
X = BinaryMatrix(
    np.array(
        [
            [1, 1, 0, 0, 1],
            [1, 0, 1, 0, 0],
            [0, 1, 1, 1, -1],
            [0, 1, 0, 1, 1],
            [1, 0, 0, 1, 0],
            [0, 0, 1, 1, 1],
        ],
        dtype=np.int8,
    ),
    np.array([[1] * 5, [2] * 5, [1, 1, 3, 1, 1], [1] * 5, [1] * 5, [1, 1, 1, 2, 1]]),
)
BEST = naive.best_error(X.values, X.weights, K)


def certify(bound, matrix=X, k=K):
    return make_certificate(keep_matrix(matrix), k, [bound])


@pytest.fixture(scope="module", params=[False, True], ids=["columns", "rows"])
def certificate(request):
    return certify(random_search(np.random.default_rng(0), X, K, BEST, turned=request.param))


def sealed(document):
    return {**document, "seal": seal(document)}


def altered(document, change):
    changed = copy.deepcopy(document)
    change(changed["bounds"][0])
    return sealed(changed)


def test_a_true_certificate_passes_and_survives_json(certificate):
    assert BEST > 3
    report = verify_certificate(json.loads(json.dumps(certificate)), X)
    assert report.complete
    assert [check.name for check in report][2:] == ["bound 1: figures", "bound 1: search"]
    message = report["bound 1: search"].message
    assert message.startswith(f"no factorisation has an error below {BEST}: ")
    assert message.endswith(" nodes searched again")
    (bound,) = report.bounds
    assert bound.on is Quantity.ERROR
    assert bound.confirmed
    assert bound.for_error() == BEST
    assert bound.for_objective(Fraction(1, 2)) is None


@pytest.mark.parametrize("turned", [False, True])
def test_what_the_solver_proves_is_proved_again(turned):
    side = X.T if turned else X
    gains = Gains.of(side.values, side.weights, K)
    target = gains.target(BEST)
    m = side.shape[1]
    circle = Circle(np.arange(m), np.arange(1.0, m + 1), np.arange(m) * 100)
    level = exhaust(gains, circle, target)
    assert level.is_finished
    bound = column_bound(BEST, K, circle, target, transposed=turned, nodes=level.nodes)
    assert verify_certificate(certify(bound), X).complete


@given(st.integers(0, 2**32 - 1), st.integers(1, 3))
@settings(max_examples=200, deadline=None)
def test_claims_up_to_the_optimum_pass_and_those_above_are_refuted(seed, k):
    rng = np.random.default_rng(seed)
    n, m = (int(x) for x in rng.integers(1, {1: 6, 2: 5, 3: 4}[k], 2))
    values = (rng.random((n, m)) < rng.uniform(0.2, 0.9)).astype(np.int8)
    values[rng.random((n, m)) < 0.15] = -1
    matrix = BinaryMatrix(values, rng.integers(0, 4, (n, m)))
    reduction = reduce_matrix(matrix)
    best = naive.best_error(matrix.values, matrix.weights, k)
    for error in {0, best // 2, best, best + 1, best + 2}:
        bound = random_search(rng, reduction.matrix, k, error)
        if bound is None:
            assert error > best
            continue
        report = verify_certificate(make_certificate(reduction, k, [bound]), matrix)
        assert report["bound 1: figures"].state is State.PASSED
        if error <= best:
            assert report.complete
            assert report.bounds[0].for_error() == error
        else:
            check = report["bound 1: search"]
            assert check.state is State.FAILED
            reached = int(check.message.split("an error of ")[1].split(",")[0])
            assert best <= reached < error
            assert not report.bounds


def put(field, value):
    return lambda entry: entry.__setitem__(field, value)


def edit(field, action):
    return lambda entry: action(entry[field])


def settled(error):
    """A false claim with shares that suit it."""

    def change(entry):
        bound = random_search(np.random.default_rng(1), X, K, error, entry["transposed"])
        entry.update(bound.proof.entry(), bound=str(error), rounded=str(error))

    return change


FALSE = {
    "the optimum and one": settled(BEST + 1),
    "all ones": settled(ones_weight(X)),
    "bound up": put("bound", str(BEST + 1)),
    "bound down": put("bound", str(BEST - 1)),
    "rounded up": put("rounded", str(BEST + 1)),
    "rounded down": put("rounded", str(BEST - 1)),
    "both up": lambda e: e.update(bound=str(BEST + 1), rounded=str(BEST + 1)),
    "both above all ones": lambda e: e.update(
        bound=str(ones_weight(X) + 2), rounded=str(ones_weight(X) + 2)
    ),
    "both below zero": lambda e: e.update(bound="-1", rounded="-1"),
    "both not whole": lambda e: e.update(bound="3/2", rounded="3/2"),
    "bound a number": put("bound", BEST),
    "bound too large": lambda e: e.update(bound=str(2**62), rounded=str(2**62)),
    "a share up": edit("shares", lambda s: s.__setitem__(0, s[0] + 1)),
    "the last share up": edit("shares", lambda s: s.__setitem__(-1, s[-1] + 1)),
    "a share zero": edit("shares", lambda s: s.__setitem__(0, 0)),
    "a share negative": edit("shares", lambda s: s.__setitem__(0, -1)),
    "a share a float": edit("shares", lambda s: s.__setitem__(0, 1.0)),
    "a share true": edit("shares", lambda s: s.__setitem__(0, True)),
    "a share too large": edit("shares", lambda s: s.__setitem__(0, 2**62)),
    "a share missing": edit("shares", lambda s: s.pop()),
    "a share too many": edit("shares", lambda s: s.append(1)),
    "shares a number": put("shares", 1),
    "shares missing": lambda e: e.pop("shares"),
    "usual below never": edit("usual", lambda u: u.__setitem__(0, -1)),
    "usual above always": edit("usual", lambda u: u.__setitem__(-1, 1001)),
    "usual a float": edit("usual", lambda u: u.__setitem__(0, 0.5)),
    "usual too short": edit("usual", lambda u: u.pop()),
    "usual missing": lambda e: e.pop("usual"),
    "scale down": lambda e: e.update(scale=e["scale"] - 1),
    "scale zero": put("scale", 0),
    "scale a text": put("scale", "8"),
    "scale too large": put("scale", 10**4000),
    "order with one twice": edit("order", lambda o: o.__setitem__(0, o[1])),
    "order with one outside": edit("order", lambda o: o.__setitem__(o.index(max(o)), max(o) + 1)),
    "order from 1 on": lambda e: e.update(order=[j + 1 for j in e["order"]]),
    "order negative": edit("order", lambda o: o.__setitem__(0, -1)),
    "order a float": edit("order", lambda o: o.__setitem__(0, float(o[0]))),
    "order too short": edit("order", lambda o: o.pop()),
    "order missing": lambda e: e.pop("order"),
    "transposed otherwise": lambda e: e.update(transposed=not e["transposed"]),
    "transposed a number": put("transposed", 1),
    "nodes negative": put("nodes", -1),
    "nodes a text": put("nodes", "7"),
    "nodes missing": lambda e: e.pop("nodes"),
    "on the objective": put("on", "objective"),
    "a field more": put("rho", "1"),
}


@pytest.mark.parametrize("name", FALSE)
def test_an_altered_certificate_is_refused_even_if_sealed_again(certificate, name):
    report = verify_certificate(altered(certificate, FALSE[name]), X)
    assert not report.ok
    assert not report.bounds


MESSAGES = {
    "both up": "add up to at most scale",
    "a share up": "add up to at most scale",
    "scale down": "add up to at most scale",
    "a share zero": "a share must be at least 1",
    "a share too large": "too large",
    "usual above always": "a frequency must be at most 1000 thousandths",
    "order with one twice": "every whole number from 0",
    "on the objective": "bounds the error, not the objective",
    "transposed a number": "true or false",
    "both not whole": "bound must be a whole number",
}


@pytest.mark.parametrize("name", MESSAGES)
def test_it_is_refused_for_its_own_reason(certificate, name):
    report = verify_certificate(altered(certificate, FALSE[name]), X)
    assert MESSAGES[name] in report["bound 1: figures"].message


TRUE = {
    "a share down": edit("shares", lambda s: s.__setitem__(0, s[0] - 1)),
    "all shares one": lambda e: e.update(shares=[1] * len(e["shares"])),
    "scale up": lambda e: e.update(scale=e["scale"] + 1),
    "nothing usual": lambda e: e.update(usual=[0] * len(e["usual"])),
    "everything usual": lambda e: e.update(usual=[1000] * len(e["usual"])),
    "something else usual": edit("usual", lambda u: u.reverse()),
    "another start": lambda e: e.update(order=e["order"][1:] + e["order"][:1]),
    "another order": edit("order", lambda o: o.sort()),
    "nodes": put("nodes", 0),
    "both down": lambda e: e.update(bound=str(BEST - 1), rounded=str(BEST - 1)),
    "nothing claimed": lambda e: e.update(bound="0", rounded="0"),
}


@pytest.mark.parametrize("name", TRUE)
def test_an_altered_certificate_that_still_proves_it_passes(certificate, name):
    assert verify_certificate(altered(certificate, TRUE[name]), X).complete


def test_a_larger_rank_is_refuted(certificate):
    document = sealed({**certificate, "k": K + 1})
    report = verify_certificate(document, X)
    assert "a factorisation has an error of" in report["bound 1: search"].message
    assert not report.bounds


@pytest.mark.parametrize(("k", "ok"), [(17, True), (10**4000, False)])
def test_a_rank_beyond_any_search_is_not_checked(certificate, k, ok):
    report = verify_certificate(sealed({**certificate, "k": k}), X)
    assert report.ok is ok
    assert not report.complete
    assert not any(bound.confirmed for bound in report.bounds)


def test_weights_up_to_the_limit():
    values = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]], dtype=np.int8)
    matrix = BinaryMatrix(values, np.full((3, 3), 2**58))
    best = naive.best_error(values, matrix.weights, 1)
    circle = circles.Circle(range(3), [1, 1, 1], [300, 0, 700], 1, False)
    for error, ok in ((best, True), (best + 1, False)):
        bound = Bound(Quantity.ERROR, Fraction(error), 1, "search over columns", circle)
        assert verify_certificate(certify(bound, matrix, 1), matrix).complete is ok


def test_out_of_time_nothing_is_proved(certificate, monkeypatch):
    clock = itertools.count()
    monkeypatch.setattr(search.time, "monotonic", lambda: next(clock))
    report = verify_certificate(certificate, X, time_limit=1.0)
    assert report.ok
    assert not report.complete
    check = report["bound 1: search"]
    assert check.state is State.NOT_CHECKED
    assert "not confirmed in the time given, and nothing proved instead" in check.message
    (claimed,) = report.bounds
    assert not claimed.confirmed
    assert claimed.value == BEST


def test_progress_is_reported(certificate):
    events = []
    verify_certificate(certificate, X, time_limit=None, progress=events.append)
    assert {event.phase for event in events} == {"verify"}


GARBAGE = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 7)
    | st.sampled_from([2**62, 2**64, -(2**70), 10**30, 1.5, float("inf"), "1/2", "x", "1/0", ""]),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=6,
)


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_garbage_anywhere_never_crashes(certificate, data):
    document = copy.deepcopy(certificate)
    entry = document["bounds"][0]
    for _ in range(data.draw(st.integers(1, 2))):
        name = data.draw(st.sampled_from(sorted(entry)))
        place, key = entry, name
        if isinstance(entry[name], list) and entry[name] and data.draw(st.booleans()):
            place, key = entry[name], data.draw(st.integers(0, len(entry[name]) - 1))
        place[key] = data.draw(GARBAGE)
    report = verify_certificate(sealed(document), X)
    assert all(bound.for_error() <= BEST for bound in report.bounds if bound.confirmed)
