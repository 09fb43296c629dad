"""One module per kind of proof: each reads the entry of a bound and proves it again."""

from __future__ import annotations

from boolfact.certificate.kinds.checker import Checker
from boolfact.certificate.kinds.mlp import check_mlp

__all__ = ["KINDS"]

KINDS: dict[str, Checker] = {"mlp": check_mlp}
"""By the kind that the entry declares."""
