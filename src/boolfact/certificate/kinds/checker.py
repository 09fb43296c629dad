"""What the checker of a kind is given and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from boolfact.certificate.reading import Reduced
from boolfact.certificate.verdict import Check, ProvedBound
from boolfact.control.progress import Progress

__all__ = ["Checked", "Checker", "Request"]


@dataclass(frozen=True, eq=False)
class Request:
    """One bound to check.

    Attributes
    ----------
    name : str
        What the checks begin with: "bound 1".
    entry : dict
        As it stands in the certificate; nothing of it is trusted.
    k : int
        The rank of the certificate.
    reduced : Reduced
        The data with duplicates merged.
    seconds : float
        How long the check may take.
    progress : callable
    """

    name: str
    entry: dict[str, Any]
    k: int
    reduced: Reduced
    seconds: float
    progress: Progress


@dataclass(frozen=True)
class Checked:
    """What was checked, and the bounds that hold or are at least not refuted."""

    checks: tuple[Check, ...]
    bounds: tuple[ProvedBound, ...] = ()


class Checker(Protocol):
    """Proves the bound of one entry again; raises CertificateError where its figures are false."""

    def __call__(self, request: Request) -> Checked: ...
