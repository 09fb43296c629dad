"""What a run gives back: factors, their error and objective, proved bounds, status, trace."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.control.ending import Ending
from boolfact.control.trace import Trace
from boolfact.model.bound import Quantity
from boolfact.model.factors import Factors
from boolfact.model.labels import shown
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.notebook import capped, html_table
from boolfact.results.format import plain_number, shown_bound, shown_value
from boolfact.results.names import named_members, pattern_labels
from boolfact.results.pair import Pair, pair
from boolfact.results.status import Status
from boolfact.results.tally import Tally

__all__ = ["Result"]

_COUNTS_UNKNOWN = dict.fromkeys(("observed", "ones", "missed_ones", "false_ones"))
_MOST_NAMES = 12
"""Columns of a pattern that a notebook lists."""


@dataclass(frozen=True, eq=False)
class Result:
    """A factorisation and what is known of it.

    Attributes
    ----------
    A, B : ndarray of bool, shapes (n, k) and (k, m)
    error : int
        Weight of the observed entries in which the Boolean product differs from the data.
    error_lower_bound : float or None
        Proved, on the error of any solution of rank k; never above what was proved.
    error_bound_by : str or None
        The relaxation that proved it, for people; None where nothing had to be proved.
    gap : float or None
        (error - error_lower_bound) / error, 0 for an error of 0; None without a bound.
    objective : float
        The MIP(rho) objective of the solution; at least the error when rho is 1.
    objective_lower_bound : float or None
        Proved, on the objective of any solution of rank k; never above what was proved.
    objective_bound_by : str or None
        The relaxation that proved it.
    status : Status
        What is known of the answer.
    ending : Ending
        Why the run ended.
    trace : Trace
    seconds : float
    pattern_names : tuple of str or None
        What the user calls the patterns, see `named`.
    tally : Tally or None
        Observed entries, ones, and those of both kinds that are wrong, counted without prices.
    certificate : dict or None
        What proves the bounds; see `boolfact.certificate`.
    """

    A: NDArray[np.bool_]
    B: NDArray[np.bool_]
    error: int
    objective: float
    status: Status
    k: int
    method: str
    ending: Ending = Ending.DONE
    dataset: str | None = None
    error_lower_bound: float | None = None
    objective_lower_bound: float | None = None
    error_bound_by: str | None = None
    objective_bound_by: str | None = None
    seconds: float = 0.0
    seed: int = 0
    rho: Fraction = Fraction(1)
    iterations: int = 0
    settings: dict[str, Any] = field(default_factory=dict)
    row_names: tuple[str, ...] | None = None
    column_names: tuple[str, ...] | None = None
    pattern_names: tuple[str, ...] | None = None
    digest: str = ""
    trace: Trace = field(default_factory=Trace)
    tally: Tally | None = None
    certificate: dict[str, Any] | None = None

    def __repr__(self) -> str:
        n, m = self.shape
        name = "" if self.dataset is None else f"{shown(self.dataset)}, "
        known = self.pairs[0]
        proved = ""
        if known.lower_bound is not None:
            proved = f", proved at least {shown_bound(known.lower_bound)}"
        patterns = "1 pattern" if self.k == 1 else f"{self.k} patterns"
        return (
            f"<Result: {name}{n:,} x {m:,}, {patterns}, error {shown_value(known.value)}{proved}, "
            f"{self.status.value}>"
        )

    def _repr_html_(self) -> str:
        """What the run comes to and the patterns by name, for notebooks."""
        from boolfact.results.closing import closing_lines
        from boolfact.results.prices import price_lines

        facts = [*closing_lines(self), *(("prices", line) for line in price_lines(self))]
        labels = pattern_labels(self.k, self.pattern_names)
        patterns = [
            (label, f"{int(a.sum()):,}", capped(named_members(self.column_names, b), _MOST_NAMES))
            for label, a, b in zip(labels, self.A.T, self.B, strict=True)
        ]
        return html_table("Result", facts) + html_table(
            "Patterns", patterns, ("pattern", "rows", "columns")
        )

    @property
    def factors(self) -> Factors:
        """A and B as one object."""
        return Factors(self.A, self.B)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the data."""
        return self.factors.shape

    @property
    def gap(self) -> float | None:
        """How far the error can be from the least possible, relative to the error."""
        gap = self.pairs[0].gap
        return None if gap is None else float(gap)

    @property
    def pairs(self) -> tuple[Pair, Pair]:
        """The error with its bound, and the objective with its bound, as exact numbers."""
        parts = self.rho.denominator
        return (
            pair(Quantity.ERROR, self.error, self.error_lower_bound),
            pair(Quantity.OBJECTIVE, self.objective, self.objective_lower_bound, parts),
        )

    def as_dict(self) -> dict[str, Any]:
        """The figures of the run, ready for JSON."""
        n, m = self.shape
        return {
            "dataset": self.dataset,
            "n": n,
            "m": m,
            "k": self.k,
            "method": self.method,
            "error": self.error,
            **_COUNTS_UNKNOWN,
            **({} if self.tally is None else self.tally.as_dict()),
            "error_lower_bound": plain_number(self.error_lower_bound),
            "error_bound_by": self.error_bound_by,
            "gap": self.gap,
            "objective": plain_number(self.objective),
            "objective_lower_bound": plain_number(self.objective_lower_bound),
            "objective_bound_by": self.objective_bound_by,
            "status": self.status.value,
            "ending": self.ending.value,
            "seconds": round(self.seconds, 3),
            "seed": self.seed,
        }

    @property
    def proved(self) -> str | None:
        """What was proved and by which relaxation, in one sentence; None if nothing was.

        The objective is told of only where the run was asked about it.
        """
        from boolfact.results.closing import asks_objective

        names = (self.error_bound_by, self.objective_bound_by if asks_objective(self) else None)
        claims = [
            f"an {known.quantity.value} below {shown_bound(known.lower_bound)} (by {name})"
            for known, name in zip(self.pairs, names, strict=True)
            if known.lower_bound is not None and name is not None
        ]
        if not claims:
            return None
        return f"no factorisation of rank {self.k} has {' or '.join(claims)}"

    def summary(self) -> str:
        """The patterns by name, and then what the run comes to in a few lines.

        Of many columns the first are named; `boolfact.results.patterns` has all of them.

        Examples
        --------
        >>> import boolfact
        >>> result = boolfact.factorize([[1, 1, 0], [1, 1, 1], [0, 1, 1]], 2, time_limit=1)
        >>> print(result.summary())  # doctest: +ELLIPSIS
        pattern 1: 2 rows: ...
        pattern 2: 2 rows: ...
        <BLANKLINE>
        run        3 x 3, 2 patterns, method auto; ended after ... s: proved
        error      0: all 9 entries are right
        explained  100.0 % of the entries, 100.0 % of the ones
        proved     this is the least error: nothing is below 0
        """
        from boolfact.results.closing import closing_lines
        from boolfact.results.prices import price_lines

        lines = []
        for u, label in enumerate(pattern_labels(self.k, self.pattern_names)):
            rows = int(self.A[:, u].sum())
            names = named_members(self.column_names, self.B[u])
            counted = "1 row" if rows == 1 else f"{rows:,} rows"
            members = capped([shown(name) for name in names], _MOST_NAMES) if names else "empty"
            lines.append(f"{shown(label)}: {counted}: {members}")
        lines.append("")
        lines += [f"{label:<10} {shown(text)}" for label, text in closing_lines(self)]
        lines += map(shown, price_lines(self))
        return "\n".join(lines)

    def named(self, names: Sequence[str]) -> Result:
        """The same result with names for its patterns, in their order.

        Examples
        --------
        >>> import boolfact
        >>> result = boolfact.factorize([[1, 1, 0], [1, 1, 0], [0, 0, 1]], 2, time_limit=5)
        >>> result.named(["tea", "jazz"]).summary().splitlines()[0]
        'tea: 2 rows: 0, 1'
        """
        return replace(self, pattern_names=tuple(pattern_labels(self.k, names)))

    def complete(self, X: BinaryMatrix) -> BinaryMatrix:
        """The data with its missing entries filled by the patterns.

        Parameters
        ----------
        X : BinaryMatrix
            The data that was factorised (`boolfact.as_matrix` reads other kinds).

        Examples
        --------
        >>> import boolfact
        >>> X = boolfact.as_matrix([[1, 1, 0], [1, None, 0], [0, 0, 1]])
        >>> boolfact.factorize(X, 2, time_limit=5).complete(X).values.tolist()
        [[1, 1, 0], [1, 1, 0], [0, 0, 1]]
        """
        if not isinstance(X, BinaryMatrix):
            raise TypeError(f"X must be a BinaryMatrix (see boolfact.as_matrix), got {type(X)}")
        return self.factors.complete(X)

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Write result.json, A.csv, B.csv and, where there is one, certificate.json.

        The folder is made if it is not there; a failure leaves nothing half-written.
        """
        from boolfact.results.folder import save_result

        return save_result(self, folder)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Result:
        """Read what `save` wrote; a damaged file is refused and named."""
        from boolfact.results.folder import load_result

        return load_result(folder)
