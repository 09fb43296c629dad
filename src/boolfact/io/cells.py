"""What counts as 0, 1 and missing, and the one message for everything else."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.io.text import read_number
from boolfact.model.matrix import MISSING

__all__ = [
    "ACCEPTED",
    "NeedsThresholdError",
    "NoMatrixError",
    "NotUnderstoodError",
    "is_value",
    "parse_array",
    "parse_text",
    "value_code",
]

_TRUE = frozenset({"1", "1.0", "true", "yes"})
_FALSE = frozenset({"0", "0.0", "false", "no"})
_MISSING = frozenset({"", "?", "na", "n/a", "nan", "null", "none", "<na>"})
ACCEPTED = "expected 0, 1, true, false, yes, no or missing (empty, ?, NA, nan)"

Where = Callable[[int, int], str]
"""Says in words where entry (i, j) stands in the user's own terms."""


class NotUnderstoodError(ValueError):
    """A cell is neither 0, 1 nor missing.

    Parameters
    ----------
    plain : str
        What is wrong, and where.
    hint : str
        What helps in Python.
    """

    def __init__(self, plain: str, hint: str = "") -> None:
        self.plain = plain
        super().__init__(plain + hint)


class NeedsThresholdError(NotUnderstoodError):
    """A matrix of single cells holds values, and no threshold was given for them.

    Parameters
    ----------
    plain : str
        What is wrong, and where.
    """

    def __init__(self, plain: str) -> None:
        super().__init__(plain, ". Give a threshold: binarize=0 makes a one of what was detected")


class NoMatrixError(NotUnderstoodError):
    """A file does not look like a matrix, and may be a list of pairs or items.

    Parameters
    ----------
    plain : str
        What is wrong, and where.
    """

    def __init__(self, plain: str) -> None:
        hint = "; boolfact.read_pairs reads pairs and lists of items, of files with any ending"
        super().__init__(plain, hint)


def value_code(text: str) -> int | None:
    """0, 1 or missing, or None for anything else."""
    text = text.strip().lower()
    if text in _TRUE:
        return 1
    if text in _FALSE:
        return 0
    if text in _MISSING:
        return MISSING
    return None


def is_value(text: str) -> bool:
    """Whether a cell of a text file can be read as 0, 1 or missing."""
    return value_code(text) is not None


def parse_text(
    cells: NDArray[np.str_] | NDArray[np.object_],
    where: Where,
    binarize: float | None = None,
    decimal: str | None = None,
) -> NDArray[np.int8]:
    """Read a two-dimensional array of text or mixed objects; numbers may have decimal commas."""
    for place, cell in enumerate(cells.flat):
        # NumPy takes a NUL at the end of a text for its end: "1\0" would be 1, "\0" missing.
        if isinstance(cell, str) and "\0" in cell:
            i, j = divmod(place, cells.shape[1])
            raise NotUnderstoodError(f"{where(i, j)}: value {cell!r} is not understood; {ACCEPTED}")
    known, inverse = np.unique(np.array(cells, dtype=str), return_inverse=True)
    codes = np.zeros(len(known), dtype=np.int8)
    refused = np.zeros(len(known), dtype=bool)
    for u, text in enumerate(known):
        code = value_code(text) if binarize is None else _threshold(text, binarize, decimal)
        if code is None:
            refused[u] = True
        else:
            codes[u] = code
    inverse = inverse.reshape(cells.shape)
    if refused.any():
        i, j = np.argwhere(refused[inverse])[0]
        if not isinstance(cells[i, j], str | bytes | numbers.Number | np.generic):
            raise TypeError(
                f"{where(int(i), int(j))}: argument must be a string or a number, "
                f"got {cells[i, j]!r}"
            )
        raise NotUnderstoodError(
            f"{where(int(i), int(j))}: value {str(cells[i, j])!r} is not understood; "
            f"{ACCEPTED if binarize is None else 'expected a number'}",
            "; boolfact.binarize makes 0/1 columns of categories, numbers and answers in words",
        )
    return codes[inverse]


def _threshold(text: str, binarize: float, decimal: str | None) -> int | None:
    code = value_code(text)
    if code == MISSING:
        return MISSING
    if decimal == ",":
        value = read_number(text, decimal, thousands=True)
        return None if value is None else int(value > binarize)
    try:
        return int(float(text) > binarize)
    except ValueError:
        return None if code is None else int(code > binarize)


def parse_array(
    array: NDArray[Any], where: Where, binarize: float | None = None
) -> NDArray[np.int8]:
    """Read a two-dimensional array of any dtype."""
    if isinstance(array, np.ma.MaskedArray):
        values = parse_array(np.asarray(array.filled(0)), where, binarize)
        values[np.ma.getmaskarray(array)] = MISSING
        return values
    if array.dtype == bool and binarize is None:
        return array.astype(np.int8)
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {ACCEPTED}")
    if array.dtype.kind not in "buif":
        try:
            cells = array.astype(object)
        except (SystemError, ValueError) as error:
            raise ValueError(f"an array of text that is not Unicode: {error}") from error
        return parse_text(cells, where, binarize)
    missing = np.isnan(array) if array.dtype.kind == "f" else np.zeros(array.shape, dtype=bool)
    if binarize is not None:
        if array.dtype.kind == "f" and np.isinf(array).any():
            i, j = np.argwhere(np.isinf(array))[0]
            raise ValueError(f"{where(int(i), int(j))}: value is infinity; expected a number")
        return _marked(array > binarize, missing)
    bad = np.argwhere(~missing & (array != 0) & (array != 1))
    if len(bad):
        i, j = bad[0]
        raise NotUnderstoodError(
            f"{where(int(i), int(j))}: value {array[i, j]} is not understood; {ACCEPTED}",
            " (or give a threshold with binarize=)",
        )
    return _marked(array == 1, missing)


def _marked(ones: NDArray[np.bool_], missing: NDArray[np.bool_]) -> NDArray[np.int8]:
    values = ones.astype(np.int8)
    values[missing] = MISSING
    return values
