"""Input that nobody would write: refused with a message, and never an error of memory."""

import hashlib
import re
import shutil
from fractions import Fraction

import numpy as np
import pytest

from boolfact.certificate import make_certificate
from boolfact.certificate.text import write_text
from boolfact.model.bound import Bound, Quantity
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.reduction import keep_matrix
from certificate.circles import Circle, ones_weight, random_search
from certificate.covers import Cover
from checker.claims import Turned, claim, random_claims

import naive

ABSURD = ["", "-1", "-0", "x", "1e9", "99999999", str(2**31), str(2**62 - 1), str(2**62), "9" * 40]
FILES = ["factors.txt", "certificate.txt"]


@pytest.fixture(scope="module")
def template(watched, tmp_path_factory):
    """A folder with several kinds of proofs, weights and blocks."""
    folder = tmp_path_factory.mktemp("template")
    rng = np.random.default_rng(0)
    while True:
        matrix, result = random_claims(rng, most=6)
        kinds = {entry["kind"] for entry in result.certificate["bounds"]}
        every = {"mlp", "assigned_cover", "column_search", "enumeration"}
        if kinds == every and matrix.is_weighted and min(matrix.shape) > 2:
            code, output = watched.of(result, matrix, folder)
            if re.search(r"\ncharges [1-9]", (folder / "certificate.txt").read_text()):
                assert code == 0, output
                return folder


@pytest.fixture
def written(template, tmp_path):
    """A copy of it, to be spoilt."""
    shutil.copytree(template, tmp_path, dirs_exist_ok=True)
    return tmp_path


def sealed(text):
    return f"{text}seal {hashlib.sha256(text.encode('latin-1')).hexdigest()}\n"


def unsealed(path):
    text = path.read_text("latin-1")
    return text[: text.rindex("seal ")]


@pytest.mark.parametrize("name", FILES)
def test_absurd_numbers(written, watched, name):
    path = written / name
    text = unsealed(path)
    numbers = list(re.finditer(r"-?\d+", text))
    rng = np.random.default_rng(1)
    codes = set()
    for place in rng.permutation(len(numbers))[:15]:
        number = numbers[place]
        for word in ABSURD:
            path.write_text(sealed(text[: number.start()] + word + text[number.end() :]))
            code, output = watched(written)
            codes.add(code)
            assert output.rstrip().splitlines()[-1].startswith(("VERIFIED", "REFUSED", "MALFORMED"))
    assert codes >= {1, 2}


@pytest.mark.parametrize("name", ["data.txt", "weights.txt", *FILES])
def test_truncated_files(written, watched, name):
    """With a seal of their own where there is one, so it is the rest that is missed."""
    path = written / name
    text = unsealed(path) if name in FILES else path.read_text()
    for end in range(0, len(text), max(1, len(text) // 20)):
        path.write_text(sealed(text[:end]) if name in FILES else text[:end])
        assert watched(written)[0] in (1, 2), end
        path.write_text(text[:end])
        assert watched(written)[0] in (1, 2), end


@pytest.mark.parametrize("name", ["data.txt", "weights.txt", *FILES])
def test_bytes_at_random(written, watched, name):
    path = written / name
    text = unsealed(path) if name in FILES else path.read_text()
    rng = np.random.default_rng(2)
    for _ in range(40):
        place, byte = int(rng.integers(len(text))), chr(int(rng.integers(256)))
        wrong = text[:place] + byte + text[place + int(rng.integers(2)) :]
        data = (sealed(wrong) if name in FILES else wrong).encode("latin-1")
        path.write_bytes(data)
        watched(written)


@pytest.mark.parametrize("name", ["data.txt", "factors.txt"])
def test_a_file_that_is_missing_is_named(written, watched, name):
    (written / name).unlink()
    code, output = watched(written)
    assert code == 2
    assert name in output


def test_without_its_certificate_a_bound_is_not_proved(written, watched):
    (written / "certificate.txt").unlink()
    text = unsealed(written / "factors.txt")
    text = re.sub(r"error_lower_bound .*", "error_lower_bound 1", text)
    (written / "factors.txt").write_text(sealed(text))
    assert watched(written)[0] == 1


CIRCLES = {
    "no order": (r"order .*\n", "", 2, "expected order"),
    "a column twice": (r"order \d+ \d+", "order 1 1", 1, "order has a column twice"),
    "a column beyond": (r"order \d+", "order 40", 1, "a number in order is above 39"),
    "a column below": (r"order \d+", "order -1", 2, "expected at least 0"),
    "too few": (r"order (.*) \d+\n", r"order \1\n", 2, "expected a space"),
    "too many": (r"order (.*)\n", r"order \1 3\n", 2, "expected the end of the line"),
    "weight zero": (r"weights \d+", "weights 0", 2, "expected at least 1"),
    "weight above": (r"weights \d+", "weights 1000001", 1, "in weights is above 1000000"),
    "weight huge": (r"weights \d+", f"weights {2**63}", 2, "expected a number below 2"),
    "usual above": (r"usual \d+", "usual 1001", 1, "a number in usual is above 1000"),
    "usual below": (r"usual \d+", "usual -1", 2, "expected at least 0"),
    "usual a share": (r"usual \d+", "usual 0.5", 2, "expected a space"),
    "circle twice": (r"(circle\n)", r"\1circle\n", 2, "expected order"),
}


@pytest.mark.parametrize("name", CIRCLES)
def test_what_is_not_a_circle_is_refused(watched, tmp_path, name):
    write_large(tmp_path, circle={"order": list(range(40)), "weights": [5] * 40, "usual": [9] * 40})
    pattern, replacement, code, message = CIRCLES[name]
    text, changed = re.subn(
        rf"^{pattern}", replacement, unsealed(tmp_path / "certificate.txt"), flags=re.MULTILINE
    )
    assert changed == 1
    (tmp_path / "certificate.txt").write_text(sealed(text))
    answer, output = watched(tmp_path, 0.5)
    assert answer == code, output
    assert message in output


ORDERS = {
    "a column twice": (r"order \d+ \d+", "order 1 1", 1, "order has a column twice"),
    "a column beyond": (r"order \d+", "order 40", 1, "a number in order is above 39"),
    "a column below": (r"order \d+", "order -1", 2, "expected at least 0"),
    "too few": (r"order (.*) \d+\n", r"order \1\n", 2, "expected a space"),
    "too many": (r"order (.*)\n", r"order \1 3\n", 2, "expected the end of the line"),
    "weights alone": (r"order ", "weights ", 2, "expected order"),
    "usual alone": (r"order ", "usual ", 2, "expected order"),
    "nothing": (r"order .*\n", "", 2, "expected order"),
    "without usual": (r"(order .*\n)", rf"\1weights{' 5' * 40}\n", 2, "expected usual"),
    "without weights": (r"(order .*\n)", rf"\1usual{' 5' * 40}\n", 2, "expected omega_bound"),
    "a block of two": (r"blocks 0\n", "blocks 1\n2 0 1\n", 1, "order alone is for single rows"),
}


@pytest.mark.parametrize("name", ORDERS)
def test_what_is_not_an_order_is_refused(watched, tmp_path, name):
    write_large(tmp_path, pairs=False, circle={"order": list(range(40))})
    pattern, replacement, code, message = ORDERS[name]
    text, changed = re.subn(
        rf"^{pattern}", replacement, unsealed(tmp_path / "certificate.txt"), flags=re.MULTILINE
    )
    assert changed == 1
    (tmp_path / "certificate.txt").write_text(sealed(text))
    answer, output = watched(tmp_path, 0.5)
    assert answer == code, output
    assert message in output


def test_an_order_of_figures_that_may_not_fit_is_left_open(watched, tmp_path):
    """64 bits hold the prices, yet not what the search would add up."""
    x = 2**59
    matrix = BinaryMatrix(np.ones((1, 2), dtype=np.int8), np.full((1, 2), x))
    cover = Cover((1, 2), 1, [[0]], {(0, 0): x, (0, 1): 1}, {})
    part = cover.document((range(1), range(2)), 1, x + 1, circle={"order": [1, 0]})
    lower = cover.document((range(1), range(2)), 1, x, circle={"order": [1, 0]})
    factors = Factors(np.zeros((1, 1), dtype=bool), np.zeros((1, 2), dtype=bool))
    for document, code in ((part, 0), (lower, 3)):
        bound = Turned([document], False).bound(1)
        certificate = make_certificate(keep_matrix(matrix), 1, [bound])
        write_text(claim(matrix, factors, Fraction(1), certificate), matrix, tmp_path)
        answer, output = watched(tmp_path)
        assert answer == code, output


def test_an_unknown_kind_is_refused(written, watched):
    text = unsealed(written / "certificate.txt").replace("kind mlp", "kind magic", 1)
    (written / "certificate.txt").write_text(sealed(text))
    code, output = watched(written)
    assert code == 1
    assert "kind" in output


def write_large(folder, pairs=True, **fields):
    """Prices at random on a matrix of some size, with blocks of two rows or single ones."""
    rng = np.random.default_rng(0)
    n, m, k = 60, 40, 1
    matrix = BinaryMatrix((rng.random((n, m)) < 0.5).astype(np.int8))
    prices = {(int(i), int(j)): int(rng.integers(1, 9)) for i, j in np.argwhere(matrix.ones)}
    charges = {}
    for i, c in np.argwhere(~matrix.ones).tolist():
        j = int(rng.choice(np.flatnonzero(matrix.ones[i])))
        charges[(i, c), (i, j)] = 8
    size = 2 if pairs else 1
    blocks = [list(range(i, i + size)) for i in range(0, n, size)]
    cover = Cover((n, m), 8, blocks, prices, charges)
    omega = sum(prices.values()) // 2
    parts = Turned([cover.document((range(n), range(m)), k, omega, **fields)], False)
    certificate = make_certificate(keep_matrix(matrix), k, [parts.bound(k)])
    factors = Factors(np.zeros((n, k), dtype=bool), np.zeros((k, m), dtype=bool))
    write_text(claim(matrix, factors, Fraction(1), certificate), matrix, folder)


@pytest.mark.parametrize("around", ["no circle", "a circle", "by size"])
def test_a_search_that_is_not_finished_is_not_a_proof(checker, tmp_path, around):
    circle = {"order": list(range(40))}
    if around == "a circle":
        circle.update(weights=[5] * 40, usual=[300] * 40)
    circle = None if around == "no circle" else circle
    write_large(tmp_path, pairs=around != "by size", circle=circle)
    code, output = checker(tmp_path, 1e-9)
    assert code == 3, output
    assert "not checked" in output
    assert "OPEN" in output


@pytest.mark.parametrize(("k", "seconds"), [(2, 1e-9), (17, None)], ids=["no time", "too large"])
def test_a_search_over_columns_that_is_not_finished_is_not_a_proof(checker, tmp_path, k, seconds):
    rng = np.random.default_rng(0)
    n, m = 60, 40
    matrix = BinaryMatrix((rng.random((n, m)) < 0.5).astype(np.int8))
    bound = random_search(rng, matrix, k, ones_weight(matrix) * 6 // 10, False)
    certificate = make_certificate(keep_matrix(matrix), k, [bound])
    factors = Factors(np.zeros((n, k), dtype=bool), np.zeros((k, m), dtype=bool))
    write_text(claim(matrix, factors, Fraction(1), certificate), matrix, tmp_path)
    code, output = checker(tmp_path, seconds)
    assert code == 3, output
    assert "not checked" in output
    assert "OPEN" in output


@pytest.mark.parametrize("more", [0, 1])
def test_shares_and_weights_near_the_largest_do_not_overflow(watched, tmp_path, more):
    """Their product is beyond 128 bits."""
    values = (np.arange(24).reshape(6, 4) % 5 > 1).astype(np.int8)
    values[0] = 1
    matrix = BinaryMatrix(values, np.full((6, 4), 2**50))
    error = naive.best_error(matrix.values, matrix.weights, 1) + more
    share = 2**62 - 2**55
    scale = -(-4 * share // (ones_weight(matrix) - error + 1))
    circle = Circle(range(4), [share] * 4, [1000] * 4, scale, False)
    bound = Bound(Quantity.ERROR, Fraction(error), 1, "search over columns", circle)
    certificate = make_certificate(keep_matrix(matrix), 1, [bound])
    factors = Factors(np.zeros((6, 1), dtype=bool), np.zeros((1, 4), dtype=bool))
    write_text(claim(matrix, factors, Fraction(1), certificate), matrix, tmp_path)
    code, output = watched(tmp_path)
    assert code == more, output
