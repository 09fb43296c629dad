"""The checker in C and the verifier in Python say the same of groups of columns of large data."""

import copy
import dataclasses
import hashlib
import re
from fractions import Fraction

import numpy as np
import pytest

import boolfact
from boolfact.certificate import certify_rows, verify_result
from boolfact.certificate.document import entry_of
from boolfact.certificate.text import write_text
from boolfact.model.bound import Quantity
from boolfact.model.costs import with_costs
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.packed import PackedMatrix
from boolfact.results.status import Status
from boolfact.solve import large_bound
from checker.claims import claim, random_choices, random_mlp, random_parts, resealed

import naive


def random_data(rng):
    """Rows that repeat, missing entries, costs."""
    n, m = int(rng.integers(2, 9)), int(rng.integers(2, 6))
    values = (rng.random((n, m)) < 0.5).astype(np.int8)[rng.integers(0, n, n)]
    values[rng.random((n, m)) < rng.choice([0, 0, 0.1])] = -1
    costs = [int(cost) for cost in rng.choice([1, 1, 2, 3], 2)]
    return with_costs(BinaryMatrix(values), false_one_cost=costs[0], missed_one_cost=costs[1])


def random_groups(rng, matrix, k, transposed):
    """A certificate of groups with a proof of any kind; all that it claims is true."""
    side = matrix.T if transposed else matrix
    cuts = np.sort(rng.integers(0, side.shape[1] + 1, int(rng.integers(0, 3))))
    parts = []
    for columns in np.split(rng.permutation(side.shape[1]), cuts):
        part = random_group(rng, side, columns, k) if len(columns) else None
        if part is not None and rng.random() < 0.9:
            parts.append(part)
    total = str(sum(Fraction(part["proof"]["rounded"]) for part in parts))
    entry = {
        "kind": "column_groups", "on": "error", "relaxation": "groups", "transposed": transposed,
        "parts": parts, "bound": total, "rounded": total,
    }  # fmt: skip
    packed = PackedMatrix.from_binary(matrix)
    frame = certify_rows(packed, packed.digest(), k, [])
    return resealed({**frame, "bounds": [entry]})


def random_group(rng, side, columns, k):
    """Distinct rows without a missing entry, some of them; now and then one that is no row."""
    values, weights = side.values[:, columns], side.weights[:, columns]
    texts = ["".join(map(str, row)) for row in values.tolist() if min(row) >= 0]
    rows = sorted({text for text in texts if rng.random() < 0.9})
    if rng.random() < 0.3:
        rows = sorted({*rows, "".join(rng.choice(["0", "1"], len(columns)))})
    if not rows:
        return None
    rows = [rows[u] for u in rng.permutation(len(rows))]
    sums = np.zeros((len(rows), len(columns)), dtype=np.int64)
    for i, row in enumerate(values.tolist()):
        text = "".join(map(str, row))
        if text in rows:
            sums[rows.index(text)] += weights[i]
    here = np.array([[int(sign) for sign in text] for text in rows], dtype=np.int8)
    data = BinaryMatrix(np.where(sums > 0, here, -1), sums)
    kind = rng.random()
    bound = None
    if kind < 0.4 and len(columns) * k <= 9:
        bound = random_choices(rng, data, k)
    elif kind < 0.6:
        bound = random_mlp(rng, data, k, Fraction(1, k))
        bound = bound if bound.on is Quantity.ERROR else None
    if bound is None:
        bound = random_parts(rng, data, k)
    proof = entry_of(bound, k)
    return {"columns": [int(j) for j in columns], "rows": rows, "proof": proof}


def result_of(rng, matrix, k, certificate):
    n, m = matrix.shape
    factors = Factors(rng.random((n, k)) < 0.3, rng.random((k, m)) < 0.4)
    return dataclasses.replace(
        claim(matrix, factors, Fraction(1), certificate), digest=certificate["digest"]
    )


def both_say(checker, result, matrix, folder):
    """Whether it holds; both must have decided everything, and alike."""
    report = verify_result(result, matrix, time_limit=None)
    assert report.complete or not report.ok
    code, output = checker.of(result, matrix, folder)
    assert (code == 0) == report.ok, (code, output, report.checks)
    return report.ok, output


@pytest.mark.parametrize("seed", range(6))
def test_groups_prove_what_is_true_and_no_more(watched, tmp_path, seed):
    rng = np.random.default_rng(seed)
    kinds, raised = set(), 0
    for _ in range(20):
        matrix, k = random_data(rng), int(rng.integers(1, 3))
        certificate = random_groups(rng, matrix, k, transposed=bool(rng.random() < 0.4))
        entry = certificate["bounds"][0]
        least = naive.best_error(matrix.values, matrix.weights, k)
        assert Fraction(entry["rounded"]) <= least
        result = result_of(rng, matrix, k, certificate)
        holds, output = both_say(watched, result, matrix, tmp_path)
        assert holds, output
        kinds |= {part["proof"]["kind"] for part in entry["parts"]}
        wrong = copy.deepcopy(certificate)
        for part in wrong["bounds"][0]["parts"]:
            if part["proof"]["kind"] == "column_search":
                raised += 1
                break
        else:
            continue
        for figures in (part["proof"], wrong["bounds"][0]):
            figures["bound"] = figures["rounded"] = str(int(figures["rounded"]) + 1)
        # One more in one group: what both say of it depends on whether it is true there.
        both_say(
            watched, dataclasses.replace(result, certificate=resealed(wrong)), matrix, tmp_path
        )
    assert kinds == {"mlp", "assigned_cover", "column_search"}
    assert raised > 3


@pytest.fixture(scope="module", params=["searches", "covers", "transposed", "one price"])
def case(request):
    """Results as the solver writes them; the last has the least error of one group."""
    options = {"false_one_cost": 2, "missed_one_cost": 3} if request.param != "one price" else {}
    k = 3 if request.param == "covers" else 1
    values = boolfact.planted(30, 9, 3, noise=0.1, seed=1).matrix.values
    values = np.ascontiguousarray(values.T if request.param == "transposed" else values)
    matrix = with_costs(BinaryMatrix(values), **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(large_bound, "_WIDTH", 5)
        patch.setattr(large_bound, "_WIDEST", 5)
        patch.setattr(large_bound, "_WIDEST_COVER", 5)
        result = boolfact.factorize(
            PackedMatrix.from_binary(matrix), k, bound="error", time_limit=None, iteration_limit=10
        )
    assert result.certificate["bounds"][0]["kind"] == "column_groups"
    return matrix, result


def test_results_of_the_solver_pass(case, watched, tmp_path):
    matrix, result = case
    assert 0 < result.error_lower_bound <= result.error
    holds, output = both_say(watched, result, matrix, tmp_path)
    assert holds
    assert "groups that share no entry" in output
    assert "reduction" not in output


def figures(value, path=()):
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inside in items:
        if isinstance(inside, dict | list):
            yield from figures(inside, (*path, key))
        elif isinstance(inside, int) or re.fullmatch(r"[0-9/]+", str(inside)):
            yield (*path, key)


def altered(document, path, step):
    """A figure a unit more or less, or a sign of a row turned over."""
    document = copy.deepcopy(document)
    at = document
    for key in path[:-1]:
        at = at[key]
    value = at[path[-1]]
    if isinstance(value, bool):
        at[path[-1]] = not value
    elif isinstance(value, int):
        at[path[-1]] = value + step
    elif path[-2] == "rows":
        place = step % len(value)
        at[path[-1]] = f"{value[:place]}{'10'[int(value[place])]}{value[place + 1 :]}"
    else:
        at[path[-1]] = str(Fraction(value) + step)
    return resealed(document)


def test_a_unit_altered_is_refused_by_both_or_by_none(case, watched, tmp_path):
    matrix, result = case
    everywhere = [path for path in figures(result.certificate) if path != ("format",)]
    some = np.random.default_rng(0).permutation(len(everywhere))[:40]
    first = [u for u, path in enumerate(everywhere) if {"columns", "transposed", "k"} & {*path}]
    refused = 0
    for u in {*some.tolist(), *first[:12]}:
        for step in (1, -1):
            wrong = altered(result.certificate, everywhere[u], step)
            other = dataclasses.replace(result, certificate=wrong)
            refused += not both_say(watched, other, matrix, tmp_path)[0]
    assert refused > len(some) // 2


def swapped(entry):
    entry["parts"][0]["columns"][:2] = entry["parts"][0]["columns"][1::-1]


def again(entry):
    entry["parts"].append(copy.deepcopy(entry["parts"][0]))
    total = sum(Fraction(part["proof"]["rounded"]) for part in entry["parts"])
    entry["bound"] = entry["rounded"] = str(total)


def within(change):
    return lambda entry: change(entry["parts"][0])


ALTERED = {
    "a group twice": (again, "in the groups twice"),
    "columns swapped": (swapped, ""),
    "a column that is not there": (within(lambda g: g["columns"].append(999)), "not there"),
    "no columns": (within(lambda g: g["columns"].clear()), ""),
    "too many columns": (within(lambda g: g.update(columns=[*range(70)])), ""),
    "a row twice": (within(lambda g: g["rows"].append(g["rows"][0])), "twice"),
    "no rows": (within(lambda g: g["rows"].clear()), ""),
    "a row too long": (within(lambda g: g["rows"].__setitem__(0, "0" * 40)), ""),
    "a row with a hole": (within(lambda g: g["rows"].__setitem__(0, "?" * len(g["rows"][0]))), ""),
    "a kind inside itself": (within(lambda g: g["proof"].update(kind="column_groups")), None),
    "on the objective": (within(lambda g: g["proof"].update(on="objective")), "on the error"),
    "the whole on the objective": (lambda entry: entry.update(on="objective"), ""),
    "without its groups": (lambda entry: entry["parts"].clear(), "add up"),
}


@pytest.mark.parametrize("change", ALTERED)
def test_what_no_unit_changes_is_refused_too(case, watched, tmp_path, change):
    matrix, result = case
    wrong = copy.deepcopy(result.certificate)
    change, message = ALTERED[change]
    change(wrong["bounds"][0])
    other = dataclasses.replace(result, certificate=resealed(wrong))
    if message is None:
        # It has no such fields, so it has no text.
        assert not verify_result(other, matrix).ok
        with pytest.raises(ValueError, match="not a certificate"):
            write_text(other, matrix, tmp_path)
        return
    holds, output = both_say(watched, other, matrix, tmp_path)
    assert not holds
    assert message in output


def sealed(path, text):
    path.write_text(f"{text}seal {hashlib.sha256(text.encode()).hexdigest()}\n")


@pytest.mark.parametrize("kind", ["mlp", "column_groups"])
def test_large_data_have_a_kind_of_their_own(case, watched, tmp_path, kind):
    """Neither inside a group nor in place of one."""
    matrix, result = case
    write_text(result, matrix, tmp_path)
    path = tmp_path / "certificate.txt"
    text = path.read_text()
    text = text[: text.rindex("seal ")]
    outer = text.replace("kind column_groups", f"kind {kind}", 1)
    inner = re.sub(r"kind (?!column_groups)\w+", f"kind {kind}", text, count=1)
    wrong = outer if kind == "mlp" else inner
    sealed(path, wrong)
    code, output = watched(tmp_path)
    assert code == 1
    assert "kind of proof is not known here" in output


def test_cut_or_absurd_groups_are_refused_with_a_message(case, watched, tmp_path):
    matrix, result = case
    write_text(result, matrix, tmp_path)
    path = tmp_path / "certificate.txt"
    text = path.read_text()
    text = text[: text.rindex("seal ")]
    for end in range(text.index("kind column_groups"), len(text), max(1, len(text) // 30)):
        sealed(path, text[:end])
        assert watched(tmp_path)[0] in (1, 2), end
    words = [word for word in re.finditer(r"[^\s]+", text) if word.start() > text.index("groups ")]
    rng = np.random.default_rng(1)
    for place in [*range(12), *rng.permutation(len(words))[:20]]:
        for absurd in ("", "-1", "x", "99999999", str(2**62 - 1), "9" * 40):
            start, end = words[place].span()
            sealed(path, text[:start] + absurd + text[end:])
            code, output = watched(tmp_path)
            assert code in (0, 1, 2), output
            assert output.rstrip().splitlines()[-1].startswith(("VERIFIED", "REFUSED", "MALFORMED"))


def test_the_digest_of_large_data_is_that_of_their_blocks(checker, tmp_path):
    """More cells than a block has, and missing entries in the second block alone."""
    values = (np.random.default_rng(0).random((2100, 2003)) < 0.1).astype(np.int8)
    values[-1, 5] = -1
    matrix = BinaryMatrix(values)
    packed = PackedMatrix.from_binary(matrix)
    empty = Factors.empty(matrix.shape, 1)
    result = dataclasses.replace(
        claim(matrix, empty, Fraction(1), {"bounds": []}),
        digest=packed.digest(), certificate=None, status=Status.HEURISTIC,
        error_lower_bound=None, objective_lower_bound=None,
    )  # fmt: skip
    code, output = checker.of(result, matrix, tmp_path)
    assert code == 0, output
    assert packed.digest() in output
    text = (tmp_path / "data.txt").read_text()
    (tmp_path / "data.txt").write_text(("1" if text[0] == "0" else "0") + text[1:])
    code, output = checker(tmp_path)
    assert code == 1
    assert "other data" in output


def test_data_with_more_than_two_prices_have_no_such_digest(checker, tmp_path):
    matrix = BinaryMatrix(np.array([[1, 0], [1, 1]]), np.array([[1, 1], [2, 1]]))
    result = dataclasses.replace(
        claim(matrix, Factors.empty((2, 2), 1), Fraction(1), {"bounds": []}),
        digest="rows:" + "0" * 64, certificate=None,
    )  # fmt: skip
    code, output = checker.of(result, matrix, tmp_path)
    assert code == 1
    assert "weigh differently" in output
    assert not verify_result(result, matrix).ok
