"""Yes and no in words: which two words are the answers to one question."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Any

from boolfact.io.cells import value_code

__all__ = ["PAIRS", "Answers", "answers_of"]

# Yes before no; what a spreadsheet in that language writes for true and false is here, too.
_SAID = """
y/n
ja/nein j/n wahr/falsch
ja/nee waar/onwaar
ja/nej ja/nei kyllä/ei
oui/non vrai/faux
sí/no si/no verdadero/falso
sì/no vero/falso
sim/não sim/nao verdadeiro/falso
da/nu da/ne ano/ne áno/nie
tak/nie prawda/fałsz
igen/nem
да/нет да/не так/ні истина/ложь
ναι/όχι
evet/hayır
"""
PAIRS = frozenset(tuple(pair.split("/")) for pair in _SAID.split())
_WORDS = frozenset(word for pair in PAIRS for word in pair)


class Answers:
    """How the cells of a column say yes and no.

    Parameters
    ----------
    yes, no : str
        The words, as they are written in the column; "yes" and "no" where it has several
        spellings that every reader of matrices takes (0, 1, true, false, yes, no).
    """

    def __init__(self, yes: str = "yes", no: str = "no") -> None:
        self.yes, self.no = yes, no
        self._plain = _folded(yes)

    @property
    def detail(self) -> str:
        """Which word is a one, where that is not plain."""
        return "" if self._plain == "yes" else f"{self.yes} = 1, {self.no} = 0"

    def is_yes(self, cell: Any) -> bool:
        """Whether a cell of the column says yes."""
        return value_code(str(cell)) == 1 or _folded(cell) == self._plain


def answers_of(cells: Iterable[Any]) -> Answers | None:
    """How a column says yes and no; None if its cells are not the two words of one pair.

    Examples
    --------
    >>> answers_of(["Ja", "nein", "JA"]).detail
    'Ja = 1, nein = 0'
    >>> answers_of(["1", "no"]).detail
    ''
    >>> answers_of(["ja", "no"]), answers_of(["ja", "ja"]), answers_of(["ja", "nein", "?!"])
    (None, None, None)
    """
    written: dict[str, str] = {}
    for cell in cells:
        word = _folded(cell)
        if word not in _WORDS and value_code(word) not in (0, 1):
            return None
        written.setdefault(word, str(cell))
    if all(value_code(word) in (0, 1) for word in written):
        return Answers()
    for pair in (tuple(written), tuple(written)[::-1]):
        if pair in PAIRS:
            return Answers(*(written[word] for word in pair))
    return None


def _folded(cell: Any) -> str:
    """Capitals and the two ways to write an accent do not count."""
    return unicodedata.normalize("NFC", str(cell).strip()).lower()
