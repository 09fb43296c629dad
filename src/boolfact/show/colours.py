"""Colours and kinds of line that plots and the report share."""

from __future__ import annotations

__all__ = [
    "FALSE_ONE",
    "MISSED_ONE",
    "MISSING",
    "ONE",
    "PATTERN_COLOURS",
    "RIGHT_ONE",
    "ZERO",
    "line_kinds",
    "pattern_line",
]

# Told apart by colour-blind eyes too, with a contrast of 3:1 to white at least; from the ninth
# pattern on they come round again, with another kind of line.
PATTERN_COLOURS = (
    "#D55E00", "#0072B2", "#009E73", "#CC79A7", "#C48600", "#3796CE", "#6A3D9A", "#B15928",
)  # fmt: skip
ZERO, ONE, MISSING = "#FFFFFF", "#37474F", "#FFE9A8"
FALSE_ONE, MISSED_ONE, RIGHT_ONE = "#E53935", "#37474F", "#D5DDE1"

_PIECES = ((7.0, 3.0), (2.0, 3.0))
"""A long dash and a short one, each with the gap after it."""


def line_kinds(count: int) -> list[tuple[float, ...]]:
    """Kinds of line, each with lengths of dashes and gaps in turn; the first is solid.

    Dashes come round again and again, so the words that they spell are Lyndon words: none is a
    rotation of another, and none repeats a shorter one.

    Examples
    --------
    >>> line_kinds(4)
    [(), (7.0, 3.0), (2.0, 3.0), (7.0, 3.0, 2.0, 3.0)]
    """
    kinds: list[tuple[float, ...]] = [()]
    length = 0
    while len(kinds) < count:
        length += 1
        kinds += [sum((_PIECES[piece] for piece in word), ()) for word in _lyndon_words(length)]
    return kinds[:count]


def pattern_line(u: int) -> tuple[float, ...]:
    """The kind of line of a pattern: one for each round of the colours."""
    turn = u // len(PATTERN_COLOURS)
    return line_kinds(turn + 1)[turn]


def _lyndon_words(length: int) -> list[tuple[int, ...]]:
    """Words of zeros and ones of this length that are below all their rotations, by Duval."""
    words, word = [], [-1]
    while word:
        word[-1] += 1
        if len(word) == length:
            words.append(tuple(word))
        word = [word[place % len(word)] for place in range(length)]
        while word and word[-1] == 1:
            word.pop()
    return words
