"""What a search has proved, as a bound with its entry for the certificate."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from boolfact.exact.search import Search
from boolfact.model.bound import Bound, Quantity

__all__ = ["TreeProof", "tree_bound"]


@dataclass(frozen=True, eq=False)
class TreeProof:
    """The nodes of a tree as `boolfact.exact.tree.Tree.document` gives them."""

    nodes: list[dict[str, Any]]
    on: Quantity
    bound: Fraction
    rho: Fraction | None

    def entry(self) -> dict[str, Any]:
        """Ready for JSON; equal lists of prices are stored once, and leaves have their number."""
        arrays: list[list[int]] = []
        numbers: dict[tuple[int, ...], int] = {}
        nodes = []
        for node in self.nodes:
            proof = node.get("proof")
            if proof is not None and proof["kind"] == "mlp":
                key = tuple(proof["p"])
                if key not in numbers:
                    numbers[key] = len(arrays)
                    arrays.append(list(key))
                node = {"proof": {**proof, "p": numbers[key]}}
            nodes.append(node)
        entry: dict[str, Any] = {
            "kind": "tree",
            "on": self.on.value,
            "bound": str(self.bound),
            "arrays": arrays,
            "nodes": nodes,
        }
        if self.rho is not None:
            entry["rho"] = str(self.rho)
        return entry


def tree_bound(search: Search, k: int, relaxation: str, rho: Fraction | None) -> Bound | None:
    """The bound that a search has proved; None where it is nothing.

    Parameters
    ----------
    search : Search
    k : int
    relaxation : str
        What bounds the nodes, for people.
    rho : Fraction or None
        Of the objective; None for the error.
    """
    bound = search.bound
    if bound <= 0:
        return None
    nodes = search.tree.document(bound)
    count = "1 node" if search.nodes == 1 else f"{search.nodes} nodes"
    name = f"branch and bound on {relaxation}, {count}"
    proof = TreeProof(nodes, search.problem.on, bound, rho)
    return Bound(search.problem.on, bound, k, name, proof, rho=rho)
