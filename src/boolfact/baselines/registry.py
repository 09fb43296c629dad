"""The baselines by name, ready for `boolfact.factorize`."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from boolfact.control.stop import Stop
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix

__all__ = ["BASELINES", "Baseline"]


@dataclass(frozen=True)
class Baseline:
    """A published heuristic and what it can be given.

    Attributes
    ----------
    name : str
        Of the function, and of the module in `boolfact.baselines` that holds it.
    takes_weights, takes_missing : bool
        Whether it accepts weights other than 1, and missing entries; otherwise it refuses.
    merges : bool
        Whether it may be given the reduced matrix: merging equal rows and columns into
        weights then leaves what it does the same. If not, it gets the original matrix.
    uses : tuple of str
        Which of `seed` and `stop` the function has as parameters.
    """

    name: str
    takes_weights: bool = True
    takes_missing: bool = True
    merges: bool = True
    uses: tuple[str, ...] = ()

    def run(self, matrix: BinaryMatrix, k: int, seed: int, stop: Stop) -> Factors:
        """Factors of rank k; imports the method only now."""
        module = importlib.import_module(f"boolfact.baselines.{self.name}")
        function: Callable[..., Factors] = getattr(module, self.name)
        given: dict[str, Any] = {"seed": seed, "stop": stop}
        return function(matrix, k, **{name: given[name] for name in self.uses})


BASELINES: dict[str, Baseline] = {
    baseline.name: baseline
    for baseline in (
        # Merged rows come first in its orderings, which the published runs did not know.
        Baseline("k_greedy", merges=False, uses=("seed",)),
        Baseline("asso"),
        Baseline("asso_plus_plus", uses=("seed", "stop")),
        # Merged weights vary widely, and its one schedule of lambda suits only some of them.
        Baseline("penalty", merges=False, uses=("seed", "stop")),
        Baseline(
            "nmf",
            takes_weights=False,
            takes_missing=False,
            merges=False,
            uses=("seed", "stop"),
        ),
        # The median row of distinct rows is not the median of all of them.
        Baseline("mebf", merges=False),
        Baseline("proximus", merges=False, uses=("seed",)),
        Baseline("grecond", uses=("stop",)),
    )
}
