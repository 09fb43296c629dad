"""What a verification says: named checks, each passed, failed or not checked."""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from boolfact.model.bound import Quantity

__all__ = ["Check", "ProvedBound", "State", "Verification", "rounded_up"]


class State(enum.Enum):
    """How a check ended."""

    PASSED = "passed"
    FAILED = "FAILED"
    NOT_CHECKED = "not checked"


@dataclass(frozen=True)
class Check:
    """One check and what it found."""

    name: str
    state: State
    message: str


@dataclass(frozen=True)
class ProvedBound:
    """A bound of a certificate, for every solution of rank at most k.

    Attributes
    ----------
    on : Quantity
        As declared, and found true.
    rho : Fraction or None
        If there is one, the value is a bound on MIP(rho), whatever else it is on.
    k : int
    value : Fraction
    confirmed : bool
        Whether the search for what would refute it was finished; until then it is a claim.
    """

    on: Quantity
    rho: Fraction | None
    k: int
    value: Fraction
    confirmed: bool

    @property
    def rounded(self) -> Fraction:
        """The value rounded up to what the quantity that it is on can be."""
        return rounded_up(self.value, self.on, self.rho)

    def for_objective(self, rho: Fraction) -> Fraction | None:
        """What it says of MIP(rho) for another rho; None if nothing.

        MIP(rho) grows with rho, and from rho = 1 on it is at least the error.
        """
        if self.on is Quantity.ERROR and rho >= 1:
            return self.rounded
        if self.rho is None or rho < self.rho:
            return None
        return self.rounded if self.on is Quantity.OBJECTIVE else self.value

    def for_error(self) -> Fraction | None:
        """What it says of the error; None if nothing."""
        return self.rounded if self.on is Quantity.ERROR else None


def rounded_up(value: Fraction, on: Quantity, rho: Fraction | None) -> Fraction:
    """The least that a quantity can be if it is not below the value.

    Weights are whole, so the error is whole, and the objective is a multiple of
    1 / (denominator of rho); neither is negative.

    Examples
    --------
    >>> print(rounded_up(Fraction(7, 3), Quantity.OBJECTIVE, Fraction(19, 20)))
    47/20
    """
    parts = 1 if on is Quantity.ERROR or rho is None else rho.denominator
    return max(Fraction(0), Fraction(math.ceil(value * parts), parts))


@dataclass(frozen=True)
class Verification:
    """All checks of a verification, and the bounds that they leave.

    Examples
    --------
    >>> passed = Check("error", State.PASSED, "271")
    >>> open_check = Check("bound", State.NOT_CHECKED, "out of time")
    >>> report = Verification((passed, open_check))
    >>> report.ok, report.complete
    (True, False)
    """

    checks: tuple[Check, ...]
    bounds: tuple[ProvedBound, ...] = field(default=())

    @property
    def ok(self) -> bool:
        """Whether nothing failed."""
        return all(check.state is not State.FAILED for check in self.checks)

    @property
    def complete(self) -> bool:
        """Whether everything was checked and passed."""
        return all(check.state is State.PASSED for check in self.checks)

    def __iter__(self) -> Iterator[Check]:
        return iter(self.checks)

    def __getitem__(self, name: str) -> Check:
        for check in self.checks:
            if check.name == name:
                return check
        raise KeyError(
            f"there is no check {name!r}; there are "
            f"{', '.join(check.name for check in self.checks)}"
        )

    def failed(self) -> list[Check]:
        """The checks that failed."""
        return [check for check in self.checks if check.state is State.FAILED]

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "ok": self.ok,
            "complete": self.complete,
            "checks": [
                {"name": check.name, "state": check.state.value.lower(), "message": check.message}
                for check in self.checks
            ],
        }

    @classmethod
    def of(cls, checks: Iterable[Check], bounds: Iterable[ProvedBound] = ()) -> Verification:
        """From any iterables."""
        return cls(tuple(checks), tuple(bounds))
