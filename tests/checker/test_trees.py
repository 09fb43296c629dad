"""The checker in C and the verifier in Python say the same of search trees."""

import copy
import dataclasses
import hashlib
import re
from fractions import Fraction

import numpy as np
import pytest

import boolfact
from boolfact.certificate import make_certificate, verify_result
from boolfact.certificate.text import write_text
from boolfact.control.stop import Stop
from boolfact.exact.error import ErrorProblem
from boolfact.exact.mip import MipProblem
from boolfact.exact.proof import tree_bound
from boolfact.exact.search import Limits, Search
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.reduction import keep_matrix
from boolfact.results.status import Status
from checker.claims import claim, resealed

from exact_instances import reduced_instance


def result_of(matrix, k, rho, *, on_error=False, nodes=None):
    """What a search from nothing proves, all splits its own; None where that is nothing."""
    problem = ErrorProblem(matrix, k) if on_error else MipProblem(matrix, k, rho)
    search = Search(problem, Factors.empty(matrix.shape, k))
    search.run(Stop(), limits=Limits(nodes=nodes))
    bound = tree_bound(search, k, "a relaxation", None if on_error else rho)
    if bound is None:
        return None
    certificate = make_certificate(keep_matrix(matrix), k, [bound])
    return claim(matrix, Factors.empty(matrix.shape, k), rho, certificate)


def tree(result):
    return result.certificate["bounds"][0]


def both_say(checker, result, matrix, folder):
    """Whether it holds; both must have decided everything, and alike."""
    report = verify_result(result, matrix, time_limit=None)
    assert report.complete or not report.ok
    code, output = checker.of(result, matrix, folder)
    assert (code == 0) == report.ok, (code, output, report.checks)
    return report.ok, output


@pytest.mark.parametrize("on_error", [False, True])
def test_trees_of_small_matrices_pass(watched, tmp_path, on_error):
    seen = set()
    given = [reduced_instance(seed) for seed in range(100)]
    cases = [(one[0].matrix, *one[1:]) for one in given if one is not None]
    cases += [(crown(4, zero), k, Fraction(1)) for zero in (1, 2) for k in (2, 3)]
    for u, (matrix, k, rho) in enumerate(cases):
        nodes = [None, None, 3, 9][u % 4]
        result = result_of(matrix, k, rho, on_error=on_error, nodes=nodes)
        if result is None:
            continue
        holds, output = both_say(watched, result, matrix, tmp_path)
        assert holds, output
        assert "leaves, which leave out nothing" in output
        seen |= splits(result)
        seen |= {node["proof"]["kind"] for node in tree(result)["nodes"] if "proof" in node}
    expected = {"assigned_cover", "entry"} if on_error else {"mlp", "owner", "row", "column"}
    assert seen >= expected


def crown(size, zero=2):
    """All but a diagonal: its relaxation is far below, and rectangles have to be named."""
    values = np.ones((size, size), dtype=np.int8)
    np.fill_diagonal(values, 0)
    return BinaryMatrix(values, np.where(values == 1, 1, zero))


def splits(result):
    return {node["split"][0] for node in tree(result)["nodes"] if "split" in node}


@pytest.fixture(scope="module", params=["objective", "error", "by hand"])
def case(request):
    """Trees of some nodes, with every kind of split and of leaf among them."""
    if request.param == "objective":
        result = result_of(crown(5), 2, Fraction(1))
        assert splits(result) >= {"owner", "row"}
        return crown(5), result
    if request.param == "error":
        matrix = BinaryMatrix((np.random.default_rng(88).random((6, 6)) < 0.6).astype(np.int8))
        result = result_of(matrix, 2, Fraction(1), on_error=True)
        assert "entry" in splits(result)
        return matrix, result
    matrix = BinaryMatrix(np.array([[1, 0], [1, 1]], dtype=np.int8))
    return matrix, by_hand(matrix)


def sealed_result(matrix, k, rho, entry):
    n, m = matrix.shape
    certificate = resealed({
        "format": 2, "digest": matrix.digest(), "k": k, "shape": [n, m],
        "row_map": list(range(n)), "column_map": list(range(m)), "bounds": [entry],
    })  # fmt: skip
    return claim(matrix, Factors.empty(matrix.shape, k), rho, certificate)


def leaf(p, omegas, bound, rho="1", scale=1):
    return {"proof": {"kind": "mlp", "rho": rho, "scale": scale, "p": p, "omegas": omegas,
                      "bound": bound}}  # fmt: skip


def by_hand(matrix):
    """Of the error at k = 1: the one at (1, 1) is covered, or paid for."""
    nodes = [
        {"split": ["entry", 1, 1], "children": [1, 2]},
        leaf(0, [3], "1"),
        {"split": ["entry", 1, 1], "children": [3, 4]},
        {"proof": {"kind": "contradiction"}},
        leaf(1, [2], "1"),
    ]
    entry = {"kind": "tree", "on": "error", "relaxation": "by hand", "bound": "1", "rounded": "1",
             "arrays": [[1, 1, 2], [1, 1, 0]], "nodes": nodes}  # fmt: skip
    return sealed_result(matrix, 1, Fraction(1), entry)


def places(document, path=()):
    """Where whole numbers and fractions stand."""
    if isinstance(document, dict | list):
        items = document.items() if isinstance(document, dict) else enumerate(document)
        for name, value in items:
            yield from places(value, (*path, name))
    elif isinstance(document, int) or (
        isinstance(document, str) and set(document) <= set("0123456789/-")
    ):
        yield path


def altered(result, path, by):
    """A figure changed, and sealed again; what it claims is nothing but the certificate."""
    certificate = copy.deepcopy(result.certificate)
    inside = certificate["bounds"][0]
    for step in path[:-1]:
        inside = inside[step]
    value = inside[path[-1]]
    inside[path[-1]] = str(Fraction(value) + by) if isinstance(value, str) else value + by
    return dataclasses.replace(
        result, certificate=resealed(certificate), status=Status.HEURISTIC,
        error_lower_bound=None, objective_lower_bound=None,
    )  # fmt: skip


def test_a_unit_altered_is_refused_by_both_or_by_none(case, watched, tmp_path):
    matrix, result = case
    assert both_say(watched, result, matrix, tmp_path)[0]
    everywhere = list(places(tree(result)))
    some = np.random.default_rng(0).permutation(len(everywhere))[:40]
    refused = 0
    for u in some:
        for by in (1, -1):
            refused += not both_say(watched, altered(result, everywhere[u], by), matrix, tmp_path)[
                0
            ]
    assert refused > len(some)


def test_an_omega_too_small_is_refused_by_the_search(case, watched, tmp_path):
    """With every figure that follows from it right."""
    matrix, result = case
    refused = 0
    for u, node in enumerate(tree(result)["nodes"]):
        proof = node.get("proof", {})
        if proof.get("kind") != "mlp":
            continue
        for place in range(len(proof["omegas"])):
            certificate = copy.deepcopy(result.certificate)
            changed = certificate["bounds"][0]["nodes"][u]["proof"]
            named = len(proof["omegas"]) - 1
            times = 1 if place < named else result.k - named
            if not times:
                continue
            changed["omegas"][place] -= 1
            changed["bound"] = str(Fraction(changed["bound"]) + Fraction(times, proof["scale"]))
            _, output = both_say(watched, with_least(result, certificate), matrix, tmp_path)
            refused += "worth more" in output or "less than what" in output
    assert refused or all("omegas" not in n.get("proof", {}) for n in tree(result)["nodes"])


def with_least(result, certificate):
    """The bound of the tree made to follow from its leaves, where they all have prices."""
    entry = certificate["bounds"][0]
    bounds = [Fraction(n["proof"]["bound"]) for n in entry["nodes"]
              if "bound" in n.get("proof", {})]  # fmt: skip
    least = max(Fraction(0), Fraction(-(-min(bounds) // 1)))
    entry["bound"] = entry["rounded"] = str(least)
    return dataclasses.replace(
        result, certificate=resealed(certificate), status=Status.HEURISTIC,
        error_lower_bound=None, objective_lower_bound=None,
    )  # fmt: skip


def test_children_left_out_or_repeated_are_refused(case, watched, tmp_path):
    matrix, result = case
    for u, node in enumerate(tree(result)["nodes"]):
        if "children" not in node:
            continue
        for change in (lambda c: c.pop(), lambda c: c.append(c[0]), lambda c: c.reverse()):
            certificate = copy.deepcopy(result.certificate)
            change(certificate["bounds"][0]["nodes"][u]["children"])
            other = dataclasses.replace(result, certificate=resealed(certificate))
            assert not both_say(watched, other, matrix, tmp_path)[0]
    for cut in (slice(None, -1), slice(1, None)):
        certificate = copy.deepcopy(result.certificate)
        certificate["bounds"][0]["nodes"] = certificate["bounds"][0]["nodes"][cut]
        other = dataclasses.replace(result, certificate=resealed(certificate))
        assert not both_say(watched, other, matrix, tmp_path)[0]


@pytest.mark.parametrize("word", ["", "-1", "x", "99999999", str(2**62 - 1), "9" * 40, "split"])
def test_absurd_words_are_refused_with_a_message(case, watched, tmp_path, word):
    matrix, result = case
    write_text(result, matrix, tmp_path)
    path = tmp_path / "certificate.txt"
    text = path.read_text()
    text = text[: text.rindex("seal ")]
    body = text.index("kind tree")
    words = list(re.finditer(r"[^\s]+", text[body:]))
    for place in np.random.default_rng(1).permutation(len(words))[:25]:
        start, end = (body + x for x in words[place].span())
        wrong = text[:start] + word + text[end:]
        seal = hashlib.sha256(wrong.encode()).hexdigest()
        path.write_text(f"{wrong}seal {seal}\n")
        code, output = watched(tmp_path)
        if word != text[start:end]:
            assert code in (0, 1, 2), output
            last = output.rstrip().splitlines()[-1]
            assert last.startswith(("VERIFIED", "REFUSED", "MALFORMED"))


def test_truncated_trees_are_refused(case, watched, tmp_path):
    matrix, result = case
    write_text(result, matrix, tmp_path)
    path = tmp_path / "certificate.txt"
    text = path.read_text()
    text = text[: text.rindex("seal ")]
    for end in range(text.index("kind tree"), len(text), max(1, len(text) // 60)):
        seal = hashlib.sha256(text[:end].encode()).hexdigest()
        path.write_text(f"{text[:end]}seal {seal}\n")
        assert watched(tmp_path)[0] in (1, 2), end


def test_the_tree_of_lymp_is_proved_again(checker, tmp_path):
    X = boolfact.load_dataset("lymp")
    result = boolfact.factorize(X, 2, method="exact", objective="mip", time_limit=None)
    assert result.objective == result.objective_lower_bound == 1191
    assert tree(result)["kind"] == "tree"
    holds, output = both_say(checker, result, X, tmp_path)
    assert holds, output
    assert "status: objective optimal" in output or "status: optimal" in output
