"""What a verification says: named checks, each passed, failed or not checked."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

__all__ = ["Check", "ProvedBound", "State", "Verification"]


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
    """A bound of a certificate: for every solution of rank at most k, value <= MIP(rho).

    `confirmed` says whether the search for a rectangle that would refute it was finished;
    until then the bound is a claim. `rounded` is the value rounded up to what the quantity
    named by `on` can be.
    """

    on: str
    rho: Fraction
    k: int
    value: Fraction
    rounded: Fraction
    confirmed: bool

    def for_objective(self, rho: Fraction) -> Fraction | None:
        """What it says of MIP(rho) for another rho; None if nothing.

        MIP(rho) grows with rho, and from rho = 1 on it is at least the error.
        """
        if self.on == "error" and rho >= 1:
            return self.rounded
        if rho < self.rho:
            return None
        return self.rounded if self.on == "objective" else self.value

    def for_error(self) -> Fraction | None:
        """What it says of the error; None if nothing."""
        if self.on == "error":
            return self.rounded
        return self.value if self.rho * self.k <= 1 else None


@dataclass(frozen=True)
class Verification:
    """The outcome of a verification.

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
