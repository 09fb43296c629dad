"""Certificates of kind assigned_cover: true ones pass, and altered ones are refused."""

import copy
import itertools
import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boolfact.certificate import State, make_certificate, verify_certificate
from boolfact.certificate.cover import search
from boolfact.certificate.document import seal
from boolfact.model.bound import Quantity
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.reduction import keep_matrix, reduce_matrix
from certificate.covers import (
    best_cover,
    bound_of,
    part_of,
    random_blocks,
    random_cover,
    random_ring,
)

import naive
from strategies import matrices

K = 1
# Rows 0 and 1 are equal within the first part; the last row has weights of its own.
X = BinaryMatrix(
    np.array(
        [
            [1, 1, 0, 0, 1, 0],
            [1, 1, 0, 1, 0, 1],
            [0, 1, 1, 0, 1, 1],
            [1, 0, 1, 1, 1, 0],
            [0, 0, 1, 1, -1, 1],
        ],
        dtype=np.int8,
    ),
    np.array([[1] * 6, [1] * 6, [1] * 6, [1] * 6, [1, 1, 2, 1, 0, 2]]),
)
FIRST = [0, 1, 2, 3, 4], [0, 1, 2]
SECOND = [1, 2, 3, 4], [3, 4, 5]


def documents(matrix=X, k=K, places=(FIRST, SECOND), blocks=None):
    made = []
    for rows, columns in places:
        inside, maps = part_of(matrix, rows, columns)
        n = inside.shape[0]
        cut = blocks or [list(range(n))[u : u + 2] for u in range(0, n, 2)]
        made.append(best_cover(inside, k, cut).document(maps, k))
    return made


def certify(parts, matrix=X, k=K):
    return make_certificate(keep_matrix(matrix), k, [bound_of(parts, k)])


@pytest.fixture(scope="module")
def certificate():
    return certify(documents())


def sealed(document):
    return {**document, "seal": seal(document)}


def altered(document, change):
    changed = copy.deepcopy(document)
    change(changed)
    return changed


def test_a_true_certificate_passes_and_survives_json(certificate):
    entry = certificate["bounds"][0]
    assert all(Fraction(part["bound"]) > 0 for part in entry["parts"])
    assert entry["parts"][0]["row_map"] == [0, 0, 1, 2, 3]
    report = verify_certificate(json.loads(json.dumps(certificate)), X)
    assert report.complete
    assert [check.name for check in report][2:] == [
        "bound 1: figures",
        "bound 1: omega of part 1",
        "bound 1: omega of part 2",
    ]
    (bound,) = report.bounds
    assert bound.on is Quantity.ERROR
    assert bound.confirmed
    assert 2 <= bound.for_error() <= naive.best_error(X.values, X.weights, K)
    assert bound.for_objective(Fraction(1, 2)) is None


def test_one_part_has_a_name_without_a_number():
    report = verify_certificate(certify(documents(places=[FIRST])), X)
    assert report.complete
    assert report["bound 1: omega"].message.startswith("no rectangle is worth more than")
    assert "1 part" in report["bound 1: figures"].message


def test_no_part_proves_nothing_and_is_true():
    report = verify_certificate(certify([]), X)
    assert report.complete
    assert report.bounds[0].value == 0


@given(matrices(max_side=3), st.integers(1, 2), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_the_best_bound_passes_and_never_exceeds_the_optimum(matrix, k, seed):
    reduction = reduce_matrix(matrix)
    n, m = reduction.matrix.shape
    inside, maps = part_of(reduction.matrix, list(range(n)), list(range(m)))
    blocks = random_blocks(np.random.default_rng(seed), inside.shape[0], 3)
    document = best_cover(inside, k, blocks).document(maps, k)
    report = verify_certificate(make_certificate(reduction, k, [bound_of([document], k)]), matrix)
    assert report.complete
    assert report.bounds[0].for_error() <= naive.best_error(matrix.values, matrix.weights, k)


@given(st.integers(0, 2**32 - 1), st.booleans())
@settings(max_examples=200, deadline=None)
def test_random_duals_of_two_parts_pass_at_the_truth_and_fail_below(seed, merge):
    rng = np.random.default_rng(seed)
    n, m, k = int(rng.integers(1, 6)), int(rng.integers(2, 7)), int(rng.integers(1, 3))
    values = (rng.random((n, m)) < rng.uniform(0.2, 0.9)).astype(np.int8)
    values[rng.random((n, m)) < 0.15] = -1
    matrix = BinaryMatrix(values, rng.integers(0, 4, (n, m)))
    cut = int(rng.integers(1, m))
    parts, omegas = [], []
    for columns in (range(cut), range(cut, m)):
        rows = np.sort(rng.permutation(n)[: rng.integers(1, n + 1)]).tolist()
        inside, maps = part_of(matrix, rows, list(columns), merge)
        cover = random_cover(rng, inside)
        omegas.append(cover.omega())
        parts.append((cover, maps))
    true = [cover.document(maps, k, w) for (cover, maps), w in zip(parts, omegas, strict=True)]
    report = verify_certificate(certify(true, matrix, k), matrix)
    assert report.complete
    if m <= 5:
        best = naive.best_error(matrix.values, matrix.weights, k)
        assert report.bounds[0].for_error() <= best
    for u, ((cover, maps), omega) in enumerate(zip(parts, omegas, strict=True)):
        if omega > 0:
            false = [*true]
            false[u] = cover.document(maps, k, omega - 1)
            report = verify_certificate(certify(false, matrix, k), matrix)
            assert report["bound 1: figures"].state is State.PASSED
            assert report[f"bound 1: omega of part {u + 1}"].state is State.FAILED
            assert not report.bounds


def entry_of(document):
    return document["bounds"][0]


def put(field, value, part=None):
    def change(document):
        entry = entry_of(document)
        (entry if part is None else entry["parts"][part])[field] = value

    return change


def shift(field, by, part=None):
    def change(document):
        place = entry_of(document) if part is None else entry_of(document)["parts"][part]
        value = place[field]
        place[field] = str(Fraction(value) + by) if isinstance(value, str) else value + by

    return change


def edit(field, action, part=0):
    return lambda document: action(entry_of(document)["parts"][part][field])


def settle(part, k=K):
    """The bound that follows from the figures, so nothing but the figures can be wrong."""
    total = sum(x for _, _, x in part["p"])
    part["bound"] = str(Fraction(total - k * part["omega_bound"], part["scale"]))


def settled(change):
    def both(document):
        change(document)
        entry = entry_of(document)
        for part in entry["parts"]:
            settle(part)
        value = sum(max(0, -(-Fraction(part["bound"]) // 1)) for part in entry["parts"])
        entry["bound"] = entry["rounded"] = str(value)

    return both


def overcharge(document):
    part = entry_of(document)["parts"][0]
    i, c = part["charges"][0][:2]
    spent = sum(x for *_, x in (y for y in part["charges"] if y[:2] == [i, c]))
    weight = 2 if i == 0 else int(X.weights[i + 1, c])  # rows 0 and 1 are merged
    part["charges"][0][4] += weight * part["scale"] - spent + 1


def overprice(document):
    part = entry_of(document)["parts"][1]
    part["p"][0][2] = part["scale"] * 2 + 1


def share_a_cell(document):
    parts = entry_of(document)["parts"]
    inside, maps = part_of(X, [4], [2, 3])
    parts.append(best_cover(inside, K, [[0]]).document(maps, K))


def ring_of(m, **fields):
    return {"order": list(range(m)), "weights": [1] * m, "usual": [0] * m, **fields}


FALSE = {
    "p up": edit("p", lambda p: p[0].__setitem__(2, p[0][2] + 1)),
    "p down": edit("p", lambda p: p[0].__setitem__(2, p[0][2] - 1)),
    "last p of the other up": edit("p", lambda p: p[-1].__setitem__(2, p[-1][2] + 1), 1),
    "p above the box": settled(overprice),
    "p zero": settled(edit("p", lambda p: p[0].__setitem__(2, 0))),
    "p negative": settled(edit("p", lambda p: p[0].__setitem__(2, -1))),
    "p a float": edit("p", lambda p: p[0].__setitem__(2, 1.5)),
    "p twice": settled(edit("p", lambda p: p.append(p[0]))),
    "p on a zero": settled(edit("p", lambda p: p.append([0, 2, 1]))),
    "p on a missing entry": settled(edit("p", lambda p: p.append([3, 1, 1]), 1)),
    "p outside": settled(edit("p", lambda p: p.append([99, 0, 1]))),
    "p of a column left out": settled(edit("p", lambda p: p.append([0, 4, 1]))),
    "a price forgotten": edit("p", lambda p: p.pop()),
    "charges above the weight": settled(overcharge),
    "a charge of zero": edit("charges", lambda c: c[0].__setitem__(4, 0)),
    "a charge below zero": edit("charges", lambda c: c[0].__setitem__(4, -1)),
    "a charge true": edit("charges", lambda c: c[0].__setitem__(4, True)),
    "a charge twice": edit("charges", lambda c: c.append(c[0])),
    "a charge of a one": edit("charges", lambda c: c.append([0, 0, 0, 1, 1])),
    "a charge on a zero": edit("charges", lambda c: c[0].__setitem__(slice(2, 4), [0, 2])),
    "a charge of a missing entry": edit("charges", lambda c: c.append([3, 1, 3, 0, 1]), 1),
    "a charge across blocks": edit("charges", lambda c: c[0].__setitem__(slice(0, 2), [3, 0])),
    "a charge of four": edit("charges", lambda c: c[0].pop()),
    "charges forgotten": put("charges", [], 0),
    "no blocks": put("blocks", [], 0),
    "a row in two blocks": edit("blocks", lambda b: b[1].append(b[0][0])),
    "a row twice in a block": edit("blocks", lambda b: b[0].append(b[0][0])),
    "an empty block": edit("blocks", lambda b: b.append([])),
    "a block outside": edit("blocks", lambda b: b.append([99])),
    "blocks cut otherwise": put("blocks", [[0, 3], [1, 2]], 0),
    "omega up": shift("omega_bound", 1, 0),
    "omega down": shift("omega_bound", -1, 0),
    "omega down with its bound": settled(shift("omega_bound", -1, 0)),
    "omega of the other down with its bound": settled(shift("omega_bound", -1, 1)),
    "omega negative": settled(put("omega_bound", -1, 0)),
    "scale up": shift("scale", 1, 0),
    "scale down": shift("scale", -1, 0),
    "scale down with its bound": settled(shift("scale", -1, 0)),
    "scale zero": put("scale", 0, 0),
    "bound of a part up": shift("bound", 1, 0),
    "bound of a part up a little": shift("bound", Fraction(1, 64), 0),
    "bound of a part down a little": shift("bound", -Fraction(1, 64), 1),
    "bound up": shift("bound", 1),
    "bound down": shift("bound", -1),
    "rounded up": shift("rounded", 1),
    "rounded down": shift("rounded", -1),
    "on the objective": put("on", "objective"),
    "k up": lambda d: d.update(k=K + 1),
    "rows merged that differ": put("row_map", [0, 0, 0, 1, 2], 0),
    "rows merged no more": put("row_map", [0, 1, 2, 3, 4], 0),
    "a row left out": edit("row_map", lambda r: r.__setitem__(4, -1)),
    "rows swapped": put("row_map", [1, 1, 0, 2, 3], 0),
    "all rows left out": put("row_map", [-1] * 5, 0),
    "columns swapped": put("column_map", [1, 0, 2, -1, -1, -1], 0),
    "a column of the other part": put("column_map", [0, 1, -1, 2, -1, -1], 0),
    "a map too short": edit("column_map", lambda c: c.pop()),
    "a cell in two parts": settled(share_a_cell),
    "a part twice": settled(lambda d: entry_of(d)["parts"].append(entry_of(d)["parts"][0])),
    "a part forgotten": lambda d: entry_of(d)["parts"].pop(),
    "a part that is none": lambda d: entry_of(d)["parts"].append(3),
    "a field more": put("rho", "1"),
    "a field more in a part": put("rho", "1", 0),
    "parts missing": lambda d: entry_of(d).pop("parts"),
    "too large for 64 bits": settled(put("omega_bound", 2**62, 0)),
    "a bound of a million digits": put("bound", "1e1000000", 0),
    "a circle that is none": put("circle", None, 0),
    "a circle of a column too few": put("circle", ring_of(2), 0),
    "a circle of a column too many": put("circle", ring_of(4), 0),
    "a circle with a column twice": put("circle", ring_of(3, order=[0, 1, 1]), 0),
    "a circle with a weight of zero": put("circle", ring_of(3, weights=[1, 0, 1]), 0),
    "an order of a part with a block of two": put("circle", {"order": [0, 1, 2]}, 0),
    "an order with a column twice": put("circle", {"order": [0, 1, 1]}, 0),
    "a circle of weights alone": put("circle", {"weights": [1] * 3}, 0),
    "a circle of frequencies alone": put("circle", {"usual": [0] * 3}, 0),
    "a circle without frequencies": put("circle", {"order": [0, 1, 2], "weights": [1] * 3}, 0),
    "a circle without weights": put("circle", {"order": [0, 1, 2], "usual": [0] * 3}, 0),
    "a circle with a share too usual": put("circle", ring_of(3, usual=[0, 0, 1001]), 0),
}


@pytest.mark.parametrize("name", FALSE)
def test_an_altered_certificate_is_refused_even_if_sealed_again(certificate, name):
    document = altered(certificate, FALSE[name])
    assert document != certificate
    report = verify_certificate(sealed(document), X)
    assert not report.ok
    assert not report.bounds


MESSAGES = {
    "p above the box": "above weight times scale",
    "charges above the weight": "above weight times scale",
    "a charge across blocks": "in another block",
    "a cell in two parts": "part 3 shares a cell",
    "on the objective": "bounds the error, not the objective",
    "rows merged that differ": "merged rows differ in value",
    "p on a missing entry": "where there is none",
    "a row in two blocks": "in the blocks twice",
    "too large for 64 bits": "too large",
    "a circle with a column twice": "part 1: order of the circle has a column twice",
    "an order of a part with a block of two": "part 1: a circle with order alone is for single",
    "a circle of weights alone": "not so: order, usual",
    "a circle without weights": "not so: weights",
    "a circle with a weight of zero": "part 1: a number in weights of the circle must be at least",
}


@pytest.mark.parametrize("name", MESSAGES)
def test_it_is_refused_for_its_own_reason(certificate, name):
    report = verify_certificate(sealed(altered(certificate, FALSE[name])), X)
    assert MESSAGES[name] in report["bound 1: figures"].message


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_any_circle_proves_what_is_true_and_nothing_below(certificate, seed):
    rng = np.random.default_rng(seed)

    def around(document):
        for part in entry_of(document)["parts"]:
            part["circle"] = random_ring(rng, 3)

    document = altered(certificate, around)
    assert verify_certificate(sealed(document), X).complete
    for u in range(2):
        report = verify_certificate(
            sealed(altered(document, settled(shift("omega_bound", -1, u)))), X
        )
        assert report["bound 1: figures"].state is State.PASSED
        assert report[f"bound 1: omega of part {u + 1}"].state is State.FAILED


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_any_order_proves_what_is_true_of_single_rows_and_nothing_below(seed):
    """A circle that loses all but its order proves the same."""
    rng = np.random.default_rng(seed)
    parts = []
    for columns in ([0, 1, 2], [3, 4, 5]):
        inside, maps = part_of(X, range(5), columns)
        cover = best_cover(inside, K, [[i] for i in range(inside.shape[0])])
        ring = random_ring(rng, inside.shape[1])
        parts.append(cover.document(maps, K, circle=ring))
    certificate = certify(parts)

    def forget(document):
        for part in entry_of(document)["parts"]:
            part["circle"] = {"order": part["circle"]["order"]}

    assert verify_certificate(certificate, X).complete
    document = altered(certificate, forget)
    assert verify_certificate(sealed(document), X).complete
    for u in range(2):
        report = verify_certificate(
            sealed(altered(document, settled(shift("omega_bound", -1, u)))), X
        )
        assert report["bound 1: figures"].state is State.PASSED
        assert report[f"bound 1: omega of part {u + 1}"].state is State.FAILED


def test_rows_with_weights_out_of_proportion_are_not_merged():
    inside, maps = part_of(X, [0, 1], [0, 1])
    cover = best_cover(inside, K, [[0]])
    true = cover.document(maps, K)
    assert verify_certificate(certify([true]), X).complete
    # Rows 3 and 4 have ones in columns 2 and 3, of weights 1, 1 and 2, 1.
    false = {**true, "row_map": [-1, -1, -1, 0, 0], "column_map": [-1, -1, 0, 1, -1, -1]}
    report = verify_certificate(certify([false]), X)
    assert "weights of merged rows are not proportional" in report["bound 1: figures"].message


def test_blocks_are_not_too_large_to_try_all_subsets():
    matrix = BinaryMatrix(np.eye(13, dtype=np.int8))
    inside, maps = part_of(matrix, list(range(13)), list(range(13)))
    cover = random_cover(np.random.default_rng(0), inside, most=1, scale=1)
    document = cover.document(maps, 1, omega=13)
    report = verify_certificate(certify([document], matrix), matrix)
    assert report.complete
    document["blocks"] = [list(range(13))]
    report = verify_certificate(certify([document], matrix), matrix)
    assert "a block must have 1 to 12 rows, got 13" in report["bound 1: figures"].message


def test_figures_too_large_to_add_up_are_refused():
    matrix = BinaryMatrix(np.ones((1, 2), dtype=np.int8), np.full((1, 2), 2**40))
    inside, maps = part_of(matrix, [0], [0, 1], merge=False)
    cover = random_cover(np.random.default_rng(0), inside, scale=2**21)
    cover.prices.update({(0, 0): 2**61, (0, 1): 2**61})
    report = verify_certificate(certify([cover.document(maps, 1)], matrix), matrix)
    assert "the figures are too large" in report["bound 1: figures"].message


def test_a_huge_rank_does_not_matter(certificate):
    document = altered(certificate, lambda d: d.update(k=10**4000))
    assert not verify_certificate(sealed(document), X).ok


def test_a_charge_on_a_one_without_a_price_changes_nothing(certificate):
    def forget(document):
        part = entry_of(document)["parts"][0]
        charged = part["charges"][0][2:4]
        part["p"] = [x for x in part["p"] if x[:2] != charged]

    assert verify_certificate(sealed(altered(certificate, settled(forget))), X).complete


def test_a_larger_omega_with_its_weaker_bound_is_a_valid_certificate(certificate):
    change = settled(shift("omega_bound", 1, 0))
    assert verify_certificate(sealed(altered(certificate, change)), X).complete


def test_out_of_time_it_says_what_was_proved_and_claims_nothing(certificate, monkeypatch):
    clock = itertools.count()
    monkeypatch.setattr(search.time, "monotonic", lambda: next(clock))
    report = verify_certificate(certificate, X, time_limit=1.0)
    assert report.ok
    assert not report.complete
    check = report["bound 1: omega of part 1"]
    assert check.state is State.NOT_CHECKED
    assert "not confirmed in the time given: proved only omega <= " in check.message
    confirmed, claimed = report.bounds
    assert confirmed.confirmed
    assert confirmed.value == 0
    assert not claimed.confirmed
    assert claimed.value == Fraction(certificate["bounds"][0]["bound"])


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


def places(value, path=()):
    """Every place in a document that something else can be put at."""
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else ()
    items = enumerate(value) if isinstance(value, list) else items
    for key, inner in items:
        yield from places(inner, (*path, key))


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_garbage_anywhere_never_crashes(certificate, data):
    document = copy.deepcopy(certificate)
    entry = entry_of(document)
    for _ in range(data.draw(st.integers(1, 2))):
        path = data.draw(st.sampled_from(list(places(entry))))
        inner = entry
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = data.draw(GARBAGE)
    report = verify_certificate(sealed(document), X)
    best = naive.best_error(X.values, X.weights, K)
    assert all(bound.for_error() <= best for bound in report.bounds if bound.confirmed)
