"""Groups of columns: each check has a case, right in all else, that only this check refuses."""

import dataclasses
import itertools
import re
from fractions import Fraction

import numpy as np
import pytest

from boolfact.certificate.kinds import KINDS, column_groups
from boolfact.certificate.kinds.checker import Checked
from boolfact.certificate.kinds.column_groups import GroupsRequest, check_column_groups
from boolfact.certificate.reading import MOST_WHOLE, CertificateError
from boolfact.certificate.verdict import Check, ProvedBound, State
from boolfact.control.progress import silent
from boolfact.model.bound import Quantity
from boolfact.model.packed import PackedMatrix

VALUES = np.array(
    [
        [1, 0, 1, 1, 0],
        [0, 1, 1, 0, 1],
        [1, 0, 0, 1, 0],
        [1, -1, 1, 0, 1],
        [0, 1, 0, 0, 1],
        [1, 1, 0, 1, 0],
        [0, 0, 1, 1, 1],
    ],
    dtype=np.int8,
)
DATA = PackedMatrix.from_dense(VALUES)
COSTLY = dataclasses.replace(
    DATA,
    row_weights=np.array([1, 2, 1, 3, 1, 2, 1]),
    column_weights=np.array([2, 1, 3, 1, 1]),
    false_one_cost=2,
    missed_one_cost=3,
)


def proof_of(columns, rows, data, k, **more):
    """Prices of ones for what a group is, added up here in the plainest way; omega by trying."""
    values = data.values(slice(None))
    heights = np.ones(len(values), dtype=int) if data.row_weights is None else data.row_weights
    widths = np.ones(values.shape[1], int) if data.column_weights is None else data.column_weights
    shape = (len(rows), len(columns))
    H, p = np.zeros(shape, dtype=object), []
    for (r, text), (c, j) in itertools.product(enumerate(rows), enumerate(columns)):
        times = sum(
            int(heights[i])
            for i in range(len(values))
            if values[i, columns].tolist() == [int(sign) for sign in text]
        )
        one = text[c] == "1"
        weight = times * int(widths[j]) * (data.missed_one_cost if one else data.false_one_cost)
        H[r, c] = k * weight if one else -weight
        if one and weight:
            p.append([r, c, k * weight])
    best = 0
    for b in itertools.product([0, 1], repeat=len(columns)):
        best = max(best, sum(max(0, x) for x in H @ np.array(b, dtype=object)))
    value = Fraction(sum(x for *_, x in p) - k * best, k)
    rounded = max(0, -(-value.numerator // value.denominator))
    return {
        "kind": "mlp", "on": "error", "relaxation": "by hand", "rho": str(Fraction(1, k)),
        "scale": k, "p": p, "omega_bound": best, "bound": str(value), "rounded": str(rounded),
        **more,
    }  # fmt: skip


GROUPS = [([0, 1], ["10", "01", "11", "00"]), ([4, 2, 3], ["011", "110", "001", "101"])]


def group(columns, rows, data=DATA, k=1):
    return {"columns": columns, "rows": rows, "proof": proof_of(columns, rows, data, k)}


def entry(parts, **more):
    total = str(sum(Fraction(part["proof"]["rounded"]) for part in parts if part["proof"]))
    return {
        "kind": "column_groups", "on": "error", "relaxation": "by hand", "transposed": False,
        "parts": parts, "bound": total, "rounded": total, **more,
    }  # fmt: skip


def check(document, data=DATA, k=1, seconds=60.0):
    return check_column_groups(GroupsRequest("bound 1", document, k, data, seconds, silent), KINDS)


@pytest.mark.parametrize("data", [DATA, COSTLY], ids=["plain", "costly"])
@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("cells", [1, 11, 10**6], ids=["rows", "blocks", "all"])
def test_weights_of_equal_rows_are_added_up(monkeypatch, data, k, cells):
    """The proofs hold for these weights and for none below: every one is priced to its limit."""
    blocks = column_groups.blocks_of
    monkeypatch.setattr(column_groups, "blocks_of", lambda shape: blocks(shape, cells))
    document = entry([group(*each, data, k) for each in GROUPS])
    checked = check(document, data, k)
    assert {c.state for c in checked.checks} == {State.PASSED}
    (bound,) = checked.bounds
    assert bound.value == Fraction(document["bound"])
    assert (bound.on, bound.rho, bound.k, bound.confirmed) == (Quantity.ERROR, None, k, True)
    assert k == 2 or bound.value > 0
    proof = document["parts"][1]["proof"]
    proof["p"][0][2] += 1
    proof["bound"] = str(Fraction(proof["bound"]) + Fraction(1, k))
    proof["rounded"] = str(max(0, -(-Fraction(proof["bound"]) // 1)))
    document = entry(document["parts"])
    with pytest.raises(CertificateError, match=r"group 2: p is .* above weight times scale"):
        check(document, data, k)


def test_groups_of_rows():
    turned = DATA.T
    document = entry([group(*each) for each in GROUPS], transposed=True)
    assert {c.state for c in check(document, turned).checks} == {State.PASSED}
    assert "groups of rows that share none" in check(document, turned).checks[0].message
    assert (
        "groups of columns that share none"
        in check({**document, "transposed": False}).checks[0].message
    )
    for wrong in (1, 0, None, "true"):
        with pytest.raises(CertificateError, match="transposed must be true or false, got"):
            check({**document, "transposed": wrong})


def with_part(**more):
    parts = [group(*each) for each in GROUPS]
    parts[1].update(more)
    return entry(parts)


def proved(**more):
    return with_part(proof={**group(*GROUPS[1])["proof"], **more})


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (entry([], note="x"), "fields that kind column_groups does not have: note"),
        ({**entry([]), "on": "objective"}, "groups of columns bound the error, not the objective"),
        ({**entry([]), "parts": None}, "parts must be a list"),
        ({**entry([]), "parts": [3]}, "group 1: it must be an object"),
        (with_part(note="x"), "group 2: fields that a group does not have: note"),
        (with_part(columns=[4, 5, 3]), "group 2: it has column 5, the data have 5"),
        (with_part(columns=[4, -1, 3]), "group 2: a column must be at least 0, got -1"),
        (with_part(columns=[4, 0, 3]), "group 2: column 0 is in the groups twice"),
        (with_part(columns=[4, 4, 3]), "group 2: column 4 is in the groups twice"),
        (with_part(columns=[]), "group 2: it must have 1 to 64 columns, got 0"),
        (with_part(columns=None), "group 2: columns must be a list"),
        (with_part(rows=["01", "110"]), "group 2: a row must be a text of 3 signs, 0 or 1"),
        (with_part(rows=["012", "110"]), "group 2: a row must be a text of 3 signs, 0 or 1"),
        (with_part(rows=[["0", "1", "1"]]), "group 2: a row must be a text of 3 signs"),
        (with_part(rows=[]), "group 2: rows must be there, and each of them once"),
        (with_part(rows=["011", "011"]), "group 2: rows must be there, and each of them once"),
        (with_part(proof=None), "group 2: a bound must be an object"),
        (proved(kind="magic"), "group 2: kind must be one that can be checked (mlp"),
        (proved(kind="column_groups"), "group 2: kind must be one that can be checked (mlp"),
        (proved(on="objective"), "group 2: its proof must be on the error"),
        (proved(rounded="-1"), "group 2: rounded must be whole and not negative, got -1"),
        (proved(rounded="1/2"), "group 2: rounded must be whole and not negative, got 1/2"),
        (proved(note="x"), "group 2: fields that kind mlp does not have: note"),
    ],
)
def test_what_is_not_a_group_is_refused(document, message):
    with pytest.raises(CertificateError, match=f"^{re.escape(message)}"):
        check(document)


def test_the_groups_add_up():
    document = entry([group(*each) for each in GROUPS])
    for name in ("bound", "rounded"):
        for by in (1, -1, Fraction(1, 2)):
            wrong = {**document, name: str(Fraction(document[name]) + by)}
            with pytest.raises(CertificateError, match=f"{name} must be what the groups add up to"):
                check(wrong)


def test_nothing_is_proved_by_no_group():
    (bound,) = check(entry([])).bounds
    assert bound.value == 0


def test_a_group_that_is_refuted_leaves_no_bound():
    parts = [group(*each) for each in GROUPS]
    proof = parts[0]["proof"]
    proof["omega_bound"] -= 1
    for name in ("bound", "rounded"):
        proof[name] = str(Fraction(proof[name]) + 1)
    checked = check(entry(parts))
    assert State.FAILED in {c.state for c in checked.checks}
    assert checked.bounds == ()


def test_without_time_nothing_is_sure(monkeypatch):
    wide = [group(*each) for each in GROUPS]
    document = entry(wide)
    checked = check(document, seconds=0.0)
    assert State.NOT_CHECKED in {c.state for c in checked.checks}
    sure, claimed = checked.bounds
    assert (sure.confirmed, claimed.confirmed) == (True, False)
    assert sure.value < claimed.value == Fraction(document["bound"])


def test_the_most_columns():
    values = np.zeros((2, 66), dtype=np.int8)
    values[0] = 1
    data = PackedMatrix.from_dense(values)
    proof = {
        "kind": "mlp", "on": "error", "relaxation": "by hand", "rho": "1", "scale": 1, "p": [],
        "omega_bound": 0, "bound": "0", "rounded": "0",
    }  # fmt: skip
    for width in (64, 65):
        part = {"columns": list(range(width)), "rows": ["1" * width, "0" * width], "proof": proof}
        if width == 64:
            assert {c.state for c in check(entry([part]), data).checks} == {State.PASSED}
        else:
            with pytest.raises(CertificateError, match="it must have 1 to 64 columns, got 65"):
                check(entry([part]), data)


def test_rows_of_64_columns_are_told_apart():
    """Every column is a bit of its own, the last one too."""
    rng = np.random.default_rng(0)
    values = rng.integers(0, 2, (8, 64)).astype(np.int8)
    values[4:] = values[:4]
    values[4:, 63] ^= 1
    keys = column_groups._keys(values)
    assert len(set(keys.tolist())) == 8
    assert [f"{key:064b}"[::-1] for key in keys.tolist()] == ["".join(map(str, r)) for r in values]


def test_weights_fit_into_64_bits():
    half = MOST_WHOLE // 2
    part = {
        "columns": [0, 1], "rows": ["11"],
        "proof": {
            "kind": "mlp", "on": "error", "relaxation": "by hand", "rho": "1", "scale": 1, "p": [],
            "omega_bound": 0, "bound": "0", "rounded": "0",
        },
    }  # fmt: skip
    values = np.ones((2, 3), dtype=np.int8)
    # Both columns and both rows count, and so does what a missed one costs.
    for last, cost, fits in (
        (half // 2 - 1, 1, True),
        (half // 2, 1, False),
        (half // 2 - 1, 2, False),
    ):
        data = dataclasses.replace(
            PackedMatrix.from_dense(values),
            row_weights=np.array([half // 2, last]),
            false_one_cost=1,
            missed_one_cost=cost,
        )
        if fits:
            assert {c.state for c in check(entry([part]), data).checks} == {State.PASSED}
        else:
            with pytest.raises(CertificateError, match="the weights are too large"):
                check(entry([part]), data)


def test_a_group_may_have_one_column():
    checked = check(entry([group([2], ["1", "0"]), group([0], ["1"])]))
    assert {c.state for c in checked.checks} == {State.PASSED}


@pytest.mark.parametrize(
    ("bounds", "claimed", "sure"),
    [
        # Nothing is known of the group: then its error is at least 0, and no more is proved.
        ([], 0, 0),
        # Only of smaller ranks, of the objective, or not yet.
        ([(Quantity.ERROR, 1, 3, True)], 0, 0),
        ([(Quantity.OBJECTIVE, 2, 3, True)], 0, 0),
        ([(Quantity.ERROR, 2, 3, False)], 3, 0),
        ([(Quantity.ERROR, 2, 1, True), (Quantity.ERROR, 3, 3, False)], 3, 1),
        ([(Quantity.ERROR, 3, 3, True), (Quantity.ERROR, 2, 1, True)], 3, 3),
    ],
)
def test_what_a_group_proves(bounds, claimed, sure):
    proved = tuple(ProvedBound(on, None, k, Fraction(v), is_sure) for on, k, v, is_sure in bounds)

    def checker(request):
        return Checked((Check("x", State.NOT_CHECKED, "open"),), proved)

    for value in (claimed, claimed + 1):
        part = group([0], ["1"], k=2)
        part["proof"]["rounded"] = str(value)
        request = GroupsRequest("bound 1", entry([part]), 2, DATA, 1.0, silent)
        if value != claimed:
            with pytest.raises(CertificateError, match=f"the groups prove {claimed}, not {value}"):
                check_column_groups(request, {"mlp": checker})
            continue
        first, second = check_column_groups(request, {"mlp": checker}).bounds
        assert (first.value, first.confirmed) == (sure, True)
        assert (second.value, second.confirmed) == (claimed, False)
