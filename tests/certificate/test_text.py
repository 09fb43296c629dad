import dataclasses
import hashlib
from fractions import Fraction

import numpy as np
import pytest

from boolfact.certificate.text import as_text, write_text
from boolfact.model.matrix import BinaryMatrix
from checker.claims import random_claims

from sample_results import sample


@pytest.fixture
def case():
    """A result with proofs of every kind, and its weighted data."""
    rng = np.random.default_rng(0)
    while True:
        matrix, result = random_claims(rng)
        kinds = {entry["kind"] for entry in result.certificate["bounds"]}
        if kinds == {"mlp", "assigned_cover", "column_search"} and matrix.is_weighted:
            return matrix, result


def test_data_is_written_as_it_is():
    X = BinaryMatrix(
        np.array([[0, 1, -1], [1, 0, 1]], dtype=np.int8), np.array([[1, 2, 9], [0, 1, 1]])
    )
    result = dataclasses.replace(sample(2, 3, 1)[0], digest=X.digest())
    texts = as_text(result, X)
    assert texts["data.txt"] == "01?\n101\n"
    assert texts["weights.txt"] == "1 2 0\n0 1 1\n"
    assert "certificate.txt" not in texts


def test_weights_of_one_are_not_written():
    result, X = sample()
    assert set(as_text(result, X)) == {"data.txt", "factors.txt"}


def test_a_seal_is_of_everything_before_it(case):
    matrix, result = case
    texts = as_text(result, matrix)
    for name in ("factors.txt", "certificate.txt"):
        before, _, digest = texts[name].rpartition("seal ")
        assert digest.strip() == hashlib.sha256(before.encode()).hexdigest()


def test_a_circle_stands_between_charges_and_omega():
    """Only parts that have one have the lines; by size it has its order alone."""
    rng = np.random.default_rng(0)
    seen = set()
    while seen != {"", "order", "order weights usual"}:
        matrix, result = random_claims(rng)
        lines = as_text(result, matrix)["certificate.txt"].splitlines()
        parts = [
            part
            for entry in result.certificate["bounds"]
            for part in entry.get("parts", [])
            if entry["kind"] == "assigned_cover"
        ]
        places = [at for at, line in enumerate(lines) if line.startswith("charges ")]
        for part, at in zip(parts, places, strict=True):
            behind = at + 1 + len(part["charges"])
            seen.add(" ".join(part.get("circle", [])))
            if "circle" in part:
                wanted = ["circle"]
                for name, numbers in part["circle"].items():
                    wanted.append(" ".join(map(str, [name, *numbers])))
                assert lines[behind : behind + len(wanted)] == wanted
                behind += len(wanted)
            assert lines[behind] == f"omega_bound {part['omega_bound']}"


def test_figures_are_exact(case):
    """Floats stand for multiples of 1/20; a float that is none is not made one."""
    matrix, result = case
    rho = Fraction(19, 20)
    fields = {
        "rho": rho,
        "objective": 127.05,
        "objective_lower_bound": 7.35,
        "error_lower_bound": 6.0,
    }
    lines = as_text(dataclasses.replace(result, **fields), matrix)["factors.txt"].splitlines()
    assert {"objective 2541/20", "objective_lower_bound 147/20", "error_lower_bound 6"} <= set(
        lines
    )
    odd = dataclasses.replace(result, objective=127.01, rho=rho, error_lower_bound=5.5)
    lines = as_text(odd, matrix)["factors.txt"].splitlines()
    assert f"objective {Fraction(127.01)}" in lines
    assert "error_lower_bound 6" in lines


def test_a_folder_has_nothing_of_an_earlier_result(case, tmp_path):
    matrix, result = case
    assert len(write_text(result, matrix, tmp_path)) == 4
    plain, X = sample()
    write_text(plain, X, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.txt", "factors.txt"]


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ({"kind": "magic"}, "kind 'magic', which has no text form"),
        ({"scale": "1 2"}, "expected a number or a word"),
        ({"p": 7}, "not a certificate"),
        ({"rounded": ""}, "expected a number or a word"),
    ],
)
def test_a_damaged_certificate_is_refused_and_nothing_is_written(case, tmp_path, damage, message):
    matrix, result = case
    entries = [
        {**entry, **damage} if entry["kind"] == "mlp" else entry
        for entry in result.certificate["bounds"]
    ]
    other = dataclasses.replace(result, certificate={**result.certificate, "bounds": entries})
    with pytest.raises(ValueError, match=message):
        write_text(other, matrix, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_file_in_the_place_of_the_folder_is_kept(case, tmp_path):
    matrix, result = case
    (tmp_path / "out").write_text("mine")
    with pytest.raises(NotADirectoryError, match="is a file"):
        write_text(result, matrix, tmp_path / "out")
    assert (tmp_path / "out").read_text() == "mine"
