"""Altered certificates: both checkers refuse them, or agree that they still prove it."""

import copy
import dataclasses
import hashlib
import re
from fractions import Fraction

import numpy as np
import pytest

from boolfact.certificate import make_certificate, verify_certificate, verify_result
from boolfact.model.bound import Quantity
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.reduction import reduce_matrix
from certificate.circles import random_search
from certificate.covers import best_cover, part_of, random_blocks, random_order, random_ring
from certificate.enumerations import enumeration
from certificate.proofs import dual_bound
from checker.claims import Turned, claim, resealed

import naive

K = 2
VALUES = [
    [1, 1, 0, 0, 1],
    [1, 0, 1, 0, 0],
    [0, 1, 1, 1, -1],
    [1, 0, 1, 0, 0],
    [0, 1, 0, 1, 1],
    [0, 0, 1, 1, 1],
    [0, 0, 0, 0, 0],
]
PROOFS = [
    "objective",
    "error",
    "cover",
    "cover in parts",
    "cover of the transpose",
    "cover around a circle",
    "cover by size",
    "search",
    "search of the transpose",
    "enumeration",
    "enumeration of the transpose",
]


@pytest.fixture(scope="module", params=PROOFS)
def case(request):
    """A matrix with equal rows, and a result with one bound on it, tight enough to break."""
    matrix = BinaryMatrix(np.array(VALUES, dtype=np.int8))
    reduction = reduce_matrix(matrix)
    small = reduction.matrix
    if request.param == "objective":
        bound = dual_bound(small, K, Fraction(1))
    elif request.param == "error":
        bound = dual_bound(small, K, Fraction(1, K), on=Quantity.ERROR)
    elif request.param.startswith("search"):
        best = naive.best_error(matrix.values, matrix.weights, K)
        turned = request.param == "search of the transpose"
        bound = random_search(np.random.default_rng(0), small, K, best, turned)
    elif request.param.startswith("enumeration"):
        best = naive.best_error(matrix.values, matrix.weights, K)
        turned = request.param == "enumeration of the transpose"
        side = small.T if turned else small
        rng = np.random.default_rng(1)
        covers = [best_cover(side, K, random_blocks(rng, side.shape[0], 2)) for _ in range(2)]
        bound = enumeration(small, K, best, covers, turned=turned)
    else:
        turned = request.param == "cover of the transpose"
        side = small.T if turned else small
        n, m = side.shape
        groups = [range(2), range(2, m)] if request.param == "cover in parts" else [range(m)]
        documents = []
        for columns in groups:
            inside, maps = part_of(side, range(n), columns)
            rows = inside.shape[0]
            blocks = [list(range(rows))[u : u + 2] for u in range(0, rows, 2)]
            ring = None
            if request.param == "cover around a circle":
                ring = random_ring(np.random.default_rng(0), inside.shape[1])
            elif request.param == "cover by size":
                blocks = [[i] for i in range(rows)]
                ring = random_order(np.random.default_rng(0), inside.shape[1])
            documents.append(best_cover(inside, K, blocks).document(maps, K, circle=ring))
        bound = Turned(documents, turned).bound(K)
    rng = np.random.default_rng(0)
    factors = Factors(
        rng.random((matrix.shape[0], K)) < 0.5, rng.random((K, matrix.shape[1])) < 0.5
    )
    result = claim(matrix, factors, Fraction(1), make_certificate(reduction, K, [bound]))
    return matrix, result


def leaves(value, path=()):
    """Where a certificate has a number, a fraction or a truth value."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inside in items:
        if isinstance(inside, dict | list):
            yield from leaves(inside, (*path, key))
        elif isinstance(inside, int) or (
            isinstance(inside, str) and re.fullmatch(r"-?\d+(/\d+)?", inside)
        ):
            yield (*path, key)


def altered(document, path, step):
    """A copy in which one leaf is a unit more or less; a fraction, in its last place."""
    document = copy.deepcopy(document)
    at = document
    for key in path[:-1]:
        at = at[key]
    value = at[path[-1]]
    if isinstance(value, bool):
        at[path[-1]] = not value
    elif isinstance(value, int):
        at[path[-1]] = value + step
    else:
        fraction = Fraction(value)
        at[path[-1]] = str(fraction + Fraction(step, fraction.denominator))
    return document


def test_a_unit_altered_breaks_the_seal(case, checker, tmp_path):
    matrix, result = case
    assert checker.of(result, matrix, tmp_path)[0] == 0
    assert verify_result(result, matrix).complete
    for path in leaves(result.certificate):
        wrong = altered(result.certificate, path, 1)
        assert not verify_certificate(wrong, matrix).ok
    text = (tmp_path / "certificate.txt").read_text()
    found = list(re.finditer(r"\d+", text[: text.rindex("seal")]))
    assert len(found) > 30
    for number in found[::2]:
        wrong = f"{text[: number.start()]}{int(number[0]) + 1}{text[number.end() :]}"
        (tmp_path / "certificate.txt").write_text(wrong)
        code, output = checker(tmp_path)
        assert code in (1, 2), output


def test_a_unit_altered_and_sealed_again_is_refused_by_both_or_proves_it_still(
    case, checker, tmp_path
):
    matrix, result = case
    refused = []
    for path in leaves(result.certificate):
        if path == ("format",):
            continue
        for step in (1, -1):
            certificate = resealed(altered(result.certificate, path, step))
            other = dataclasses.replace(result, certificate=certificate)
            report = verify_result(other, matrix, time_limit=None)
            code, output = checker.of(other, matrix, tmp_path)
            assert report.complete or not report.ok
            assert (code == 0) == report.ok, (path, step, output)
            if not report.ok:
                refused.append(path)
    # What is left is slack: a charge, or a block of a row by itself, that the proof can spare.
    searched = result.certificate["bounds"][0]["kind"] == "column_search"
    assert len(refused) >= (40 if searched else 60)
    for name in ("k", "bound", "rounded", "omega_bound", "scale", "rho", "shape", "order"):
        asked = {path for path in leaves(result.certificate) if name in path}
        assert asked <= set(refused), name
    if searched:
        # Less of a share is enough, more is too much.
        shares = [path for path in leaves(result.certificate) if "shares" in path]
        assert [path for path in refused if "shares" in path] == shares


def test_factors_and_claims_altered_are_refused(case, checker, tmp_path):
    """Sealed again, so it is the figures that are refused."""
    matrix, result = case
    checker.of(result, matrix, tmp_path)
    lines = (tmp_path / "factors.txt").read_text().splitlines()[:-1]
    changed = 0
    for place, text in enumerate(lines):
        if not re.match(r"(rows|columns|k|error|objective|\w+_lower_bound) \d+", text):
            continue
        name, value = text.split()
        other = [*lines]
        other[place] = f"{name} {Fraction(value) + 1}"
        write_sealed(tmp_path / "factors.txt", other)
        code, output = checker(tmp_path)
        assert code in (1, 2), output
        changed += 1
    assert changed >= 6


def test_each_entry_of_the_data_is_tied_to_the_claims(case, checker, tmp_path):
    matrix, result = case
    checker.of(result, matrix, tmp_path)
    text = (tmp_path / "data.txt").read_text()
    for place, sign in enumerate(text):
        if sign != "\n":
            other = "0" if sign == "1" else "1"
            (tmp_path / "data.txt").write_text(text[:place] + other + text[place + 1 :])
            code, output = checker(tmp_path)
            assert code == 1
            assert "other data" in output


def write_sealed(path, lines):
    text = "\n".join(lines) + "\n"
    path.write_text(f"{text}seal {hashlib.sha256(text.encode()).hexdigest()}\n")
