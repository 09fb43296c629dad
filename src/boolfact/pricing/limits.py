"""What the caller of the exact pricing wants to know, and when it has to end."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Protocol

__all__ = ["Limits", "Stopping"]


class Stopping(Protocol):
    """Whatever can be asked whether to stop."""

    def now(self) -> bool:
        """Whether to stop."""
        ...


@dataclass
class Limits:
    """Limits of a search and the nodes it has taken so far; see `price_exact`."""

    cutoff: int | None = None
    first_above: int | None = None
    node_limit: int | None = None
    stop: Stopping | None = None
    nodes: int = 0

    @property
    def may_end_early(self) -> bool:
        """Whether the search may be cut short."""
        return self.stop is not None or self.node_limit is not None

    @property
    def nodes_left(self) -> int:
        """Nodes up to the limit, a very large number without one."""
        return sys.maxsize if self.node_limit is None else max(0, self.node_limit - self.nodes)

    def ended(self, value: int) -> bool:
        """Whether to return with what there is."""
        return (
            (self.first_above is not None and value > self.first_above)
            or (self.node_limit is not None and self.nodes >= self.node_limit)
            or (self.stop is not None and self.stop.now())
        )

    def floor(self, value: int) -> int:
        """Values up to this one need not be told apart."""
        return value if self.cutoff is None else max(value, self.cutoff)
