"""What the duals of MLP(rho) prove, as declared bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from boolfact.colgen.mlp.duals import DualBound
from boolfact.model.bound import Bound, Quantity

__all__ = ["MlpProof", "declared_bounds"]


@dataclass(frozen=True, eq=False)
class MlpProof:
    """Prices in fixed point, and a number that no rectangle's worth exceeds."""

    dual: DualBound

    def entry(self) -> dict[str, Any]:
        """See `boolfact.model.bound.Proof`."""
        point = self.dual.point
        return {
            "kind": "mlp",
            "rho": str(point.rho),
            "scale": int(point.scale),
            "p": [[int(i), int(j), int(point.p[i, j])] for i, j in np.argwhere(point.p)],
            "omega_bound": int(self.dual.omega_bound),
        }


def declared_bounds(dual: DualBound) -> list[Bound]:
    """A bound on MIP(rho), and one on the error where rho is small enough.

    A zero covered by up to k rectangles costs at most k * rho <= 1 in MIP(rho) if rho <= 1/k,
    and 1 in the error; so MIP(rho) does not exceed the error.
    """
    rho, name, proof = dual.point.rho, f"MLP({dual.point.rho})", MlpProof(dual)
    bounds = [Bound(Quantity.OBJECTIVE, dual.value, dual.k, name, proof, rho)]
    if rho * dual.k <= 1:
        bounds.append(Bound(Quantity.ERROR, dual.value, dual.k, name, proof))
    return bounds
