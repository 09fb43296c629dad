"""One module per kind of proof: each reads the entry of a bound and proves it again."""

from __future__ import annotations

from boolfact.certificate.kinds.assigned_cover import check_assigned_cover
from boolfact.certificate.kinds.checker import Checker
from boolfact.certificate.kinds.column_search import check_column_search
from boolfact.certificate.kinds.enumeration import check_enumeration
from boolfact.certificate.kinds.mlp import check_mlp
from boolfact.certificate.kinds.tree import check_tree

__all__ = ["KINDS"]

KINDS: dict[str, Checker] = {
    "mlp": check_mlp,
    "assigned_cover": check_assigned_cover,
    "tree": check_tree,
    "column_search": check_column_search,
    "enumeration": check_enumeration,
}
"""By the kind that the entry declares."""
