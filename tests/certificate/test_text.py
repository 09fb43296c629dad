import dataclasses
import hashlib
from fractions import Fraction

import numpy as np
import pytest

from boolfact.certificate.text import _certificate_lines, as_text, write_text
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


PART = {
    "row_map": [0, 1], "column_map": [0, -1], "scale": 2, "blocks": [[0, 1]], "p": [[0, 0, 2]],
    "charges": [[1, 0, 0, 0, 1]], "omega_bound": 2, "bound": "-1/2",
}  # fmt: skip
PART_LINES = [
    "part", "row_map 0 1", "column_map 0 -1", "scale 2", "blocks 1", "2 0 1", "p 1", "0 0 2",
    "charges 1", "1 0 0 0 1", "omega_bound 2", "bound -1/2",
]  # fmt: skip
FRAME = {"shape": [2, 2], "digest": "abc", "k": 2, "row_map": [0, 1], "column_map": [1, 0]}
FRAME_LINES = [
    "boolfact certificate 1", "digest abc", "rows 2", "columns 2", "k 2", "row_map 0 1",
    "column_map 1 0", "bounds 1",
]  # fmt: skip


@pytest.mark.parametrize("rho", [None, "3/4"])
def test_a_tree_is_written_node_by_node(rho):
    cover = {
        "kind": "assigned_cover", "on": "error", "relaxation": "x", "transposed": True,
        "parts": [PART], "bound": "0", "rounded": "1",
    }  # fmt: skip
    prices = {
        "kind": "mlp", "rho": "1/2", "scale": 4, "p": 0, "omegas": [3, -2], "bound": "5/4",
    }  # fmt: skip
    entry = {
        "kind": "tree", "on": "error", "relaxation": "x", "arrays": [[1, 2], []],
        "nodes": [
            {"split": ["owner", 0, 1], "children": [1, 2, 3]},
            {"proof": prices},
            {"proof": cover},
            {"proof": {"kind": "contradiction"}},
        ],
        "bound": "0", "rounded": "1",
    }  # fmt: skip
    if rho is not None:
        entry["rho"] = rho
    assert list(_certificate_lines({**FRAME, "bounds": [entry]})) == [
        *FRAME_LINES, "kind tree", "on error", *([f"rho {rho}"] if rho else []),
        "arrays 2", "2 1 2", "0", "nodes 4",
        "split owner 0 1", "children 3 1 2 3",
        "leaf mlp", "rho 1/2", "scale 4", "p 0", "omegas 2 3 -2", "bound 5/4",
        "leaf assigned_cover", "on error", "transposed 1", "parts 1", *PART_LINES, "bound 0",
        "rounded 1",
        "leaf contradiction",
        "bound 0", "rounded 1",
    ]  # fmt: skip


def test_groups_are_written_one_by_one():
    proof = {
        "kind": "mlp", "on": "error", "rho": "1/2", "scale": 2, "p": [[0, 1, 2]], "omega_bound": 1,
        "bound": "0", "rounded": "0",
    }  # fmt: skip
    entry = {
        "kind": "column_groups", "on": "error", "transposed": False, "bound": "0", "rounded": "0",
        "parts": [{"columns": [3, 1], "rows": ["01", "11"], "proof": proof}],
    }  # fmt: skip
    frame = {name: value for name, value in FRAME.items() if not name.endswith("_map")}
    lines = list(_certificate_lines({**frame, "bounds": [entry]}))
    assert lines == [
        *(line for line in FRAME_LINES if "_map" not in line), "kind column_groups", "on error",
        "transposed 0", "groups 1", "group", "columns 2 3 1", "rows 2", "01", "11",
        "kind mlp", "on error", "rho 1/2", "scale 2", "p 1", "0 1 2", "omega_bound 1",
        "bound 0", "rounded 0", "bound 0", "rounded 0",
    ]  # fmt: skip
    proof["kind"] = "magic"
    with pytest.raises(ValueError, match="the proof of group 1 is of kind 'magic', which has no"):
        list(_certificate_lines({**frame, "bounds": [entry]}))
