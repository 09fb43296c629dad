import re
import unicodedata
from pathlib import Path

import pytest

from boolfact.io.answers import PAIRS, answers_of


@pytest.mark.parametrize(
    ("yes", "no"),
    [
        ("ja", "nein"),
        ("Oui", "Non"),
        ("SÍ", "NO"),
        ("si", "no"),
        ("tak", "nie"),
        ("Да", "нет"),
        ("VRAI", "FAUX"),
        ("WAHR", "FALSCH"),
        ("y", "N"),
        (unicodedata.normalize("NFD", "não"), "sim"),
    ],
)
def test_two_words_of_one_language_are_yes_and_no(yes, no):
    if no == "sim":
        yes, no = no, yes
    for cells in ([yes, no, no], [no, yes]):
        answers = answers_of(cells)
        assert [answers.is_yes(cell) for cell in cells] == [cell == yes for cell in cells]
        assert answers.detail == f"{yes} = 1, {no} = 0"


@pytest.mark.parametrize(
    "cells",
    [
        ["ja", "no"],
        ["oui", "nein"],
        ["ja", "vrai"],
        ["ja", "nein", "1"],
        ["ja", "nein", "weiß nicht"],
        ["ja", "ja"],
        ["nein"],
        ["nie", "nein"],
    ],
)
def test_words_that_are_not_the_two_of_one_pair_are_no_answers(cells):
    assert answers_of(cells) is None


def test_what_a_matrix_may_hold_is_yes_and_no_in_any_mixture():
    answers = answers_of(["1", "no", True, "False"])
    assert [answers.is_yes(cell) for cell in ("1", "no", True, "False")] == [1, 0, 1, 0]
    assert (answers.yes, answers.no, answers.detail) == ("yes", "no", "")


def test_the_documentation_names_every_pair():
    page = Path(__file__).parents[2] / "docs" / "howto" / "data.md"
    (told,) = re.findall(r"The pairs are (.*?)\. A column", page.read_text("utf-8"), flags=re.S)
    words = set(re.findall(r"\w+", told))
    assert {word for pair in PAIRS for word in pair} <= words
