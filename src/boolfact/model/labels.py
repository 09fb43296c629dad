"""Names and messages made fit to be shown: nothing in them can move a cursor or turn a line."""

from __future__ import annotations

import unicodedata

__all__ = ["shown"]

_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that change the direction of the text around them."""
_UNSEEN = frozenset({"Cc", "Cs", "Zl", "Zp"})
"""Control characters, halves of characters, separators of lines and of paragraphs."""


def shown(text: str) -> str:
    """A text with what is not to be seen, or acts on its surroundings, written as an escape.

    Data come from anywhere, and so do their names: a terminal obeys escape sequences, and a mark
    of direction turns what follows it.

    Examples
    --------
    >>> shown("Zürich"), shown("a\\x1b[2J"), shown("two\\nlines"), shown("\\u202egnp.exe")
    ('Zürich', 'a\\\\x1b[2J', 'two\\\\nlines', '\\\\u202egnp.exe')
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        char.encode("unicode_escape").decode("ascii")
        if char in _TURNING or unicodedata.category(char) in _UNSEEN
        else char
        for char in text
    )
