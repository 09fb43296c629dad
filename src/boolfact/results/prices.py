"""What an error costs, in words: prices other than 1, and patterns that cover no zero."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from boolfact.model.matrix import BinaryMatrix
from boolfact.results.format import shown_share
from boolfact.results.result import Result
from boolfact.results.tally import Tally, tally_of

__all__ = ["error_noun", "is_from_below", "is_priced", "price_lines"]

_EXAMPLES = 5


def is_from_below(result: Result) -> bool:
    """Whether no zero was to be covered."""
    return bool(result.settings.get("from_below"))


def is_priced(result: Result) -> bool:
    """Whether the error is no plain count of entries: a price that was given is not 1."""
    names = ("missed_one_cost",) if is_from_below(result) else ("false_one_cost", "missed_one_cost")
    return any(result.settings.get(name, 1) != 1 for name in names)


def error_noun(result: Result) -> str:
    """What the error of a result counts, for an axis or a title."""
    if is_priced(result):
        return "wrong entries in the prices given"
    return "ones left out" if is_from_below(result) else "wrong entries"


def price_lines(result: Result, matrix: BinaryMatrix | None = None) -> list[str]:
    """What the figures of a result mean where zeros and ones do not cost the same.

    Parameters
    ----------
    result : Result
    matrix : BinaryMatrix, optional
        The data; without them, as large data are kept, it is not said what is proved of the ones.

    Returns
    -------
    list of str
        Nothing where every entry costs 1.

    Examples
    --------
    >>> import boolfact
    >>> X = boolfact.as_matrix([[1, 1, 0], [1, 1, 0], [0, 1, 1]])
    >>> result = boolfact.factorize(X, 1, from_below=True, time_limit=5)
    >>> for line in price_lines(result, X):
    ...     print(line)
    from below: 1 pattern (role) covers 4 of 6 ones (rights), 66.6 %; 2 are left out
    no zero is covered: no row (user) gets a right that it does not have
    proved: 1 pattern from below covers at most 4 of these ones
    rows (users) without a pattern (role): 1 of 3 (2), 1 of them with ones
    """
    missed_cost = int(result.settings.get("missed_one_cost", 1))
    if not is_from_below(result):
        if not is_priced(result):
            return []
        return [
            f"prices: covering a zero costs {int(result.settings.get('false_one_cost', 1)):,}, "
            f"leaving out a one costs {missed_cost:,}; error, objective and their bounds are in "
            "these prices"
        ]
    lines = []
    if missed_cost != 1:
        lines.append(
            f"prices: leaving out a one costs {missed_cost:,}; error, objective and their bounds "
            "are in these prices"
        )
    count = result.tally if matrix is None else tally_of(result.factors, matrix)
    if count is None:
        return ["from below: no zero may be covered; the error counts ones left out", *lines]
    return lines + _coverage(result, count, matrix)


def _coverage(result: Result, count: Tally, matrix: BinaryMatrix | None) -> list[str]:
    total, covered = count.ones, count.ones - count.missed_ones
    added = count.false_ones
    several = "patterns (roles)" if result.k != 1 else "pattern (role)"
    cover = "cover" if result.k != 1 else "covers"
    # Rounded down: 100 % is said only of all of them.
    share = math.floor(1000 * covered / total) / 1000 if total else math.nan
    lines = [
        f"from below: {result.k} {several} {cover} {covered:,} of {total:,} ones (rights), "
        f"{shown_share(share, 1)}; {total - covered:,} are left out",
        "no zero is covered: no row (user) gets a right that it does not have"
        if added == 0
        else f"{added:,} zeros are covered all the same: this method does not keep to the ones",
    ]
    most = None
    if matrix is not None and added == 0:
        most = _most_covered(result, matrix, total, covered)
    if most is not None:
        plain = "patterns" if result.k != 1 else "pattern"
        lines.append(
            f"proved: {result.k} {plain} from below {cover} at most {most:,} of these ones"
        )
    lines.append(_without(result, matrix))
    return lines


def _most_covered(result: Result, matrix: BinaryMatrix, total: int, covered: int) -> int | None:
    """How many ones can be covered at most, by the bound on the error; None without one."""
    bound = result.pairs[0].lower_bound
    weights = matrix.weights[matrix.ones & (matrix.weights > 0)]
    if bound is None or covered == total or weights.min() != weights.max():
        return None
    # The data may be without the prices of the run: what a one cost is seen in the error.
    price = Fraction(result.error, total - covered)
    return total - math.ceil(bound / price)


def _without(result: Result, matrix: BinaryMatrix | None) -> str:
    without = np.asarray(~(result.A & result.B.any(axis=1)).any(axis=1))
    count = int(without.sum())
    line = f"rows (users) without a pattern (role): {count:,} of {len(without):,}"
    if not count:
        return line
    places = np.flatnonzero(without)
    with_ones = ""
    if matrix is not None:
        # Those first that have something to lose.
        has_ones = np.asarray((matrix.ones & (matrix.weights > 0)).any(axis=1))
        places = places[np.argsort(~has_ones[places], kind="stable")]
        with_ones = f", {int((without & has_ones).sum()):,} of them with ones"
    known = result.row_names if matrix is None else matrix.row_names
    names = ", ".join(str(i) if known is None else known[i] for i in places[:_EXAMPLES])
    more = f" and {count - _EXAMPLES:,} more" if count > _EXAMPLES else ""
    return f"{line} ({names}{more}){with_ones}"
