"""Ways to divide the columns for pricing around a circle: not at all, or into a few large groups.

The fewer columns a group has, the smaller the slack with which it can be priced, and the more
errors are lost between the groups. Which of the two counts for more depends on the data, so the
ways race: each has a part of the time, and the one that proved most has the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from boolfact.colgen.cover.parts import Part
from boolfact.colgen.cover.proof import PartProof
from boolfact.colgen.cover.whole import Whole
from boolfact.control.stop import Stop

__all__ = ["Division", "race"]

_FIRST = 0.4
"""Of the time, for all ways together, before the best of them goes on alone."""


@dataclass(eq=False)
class Division:
    """The columns in groups, each on its way around a circle of its own.

    Attributes
    ----------
    parts : list of Part
    wholes : list of Whole
        One for each part.
    proofs : dict
        The best that was proved, by the number of the part.
    """

    parts: list[Part]
    wholes: list[Whole]
    proofs: dict[int, PartProof] = field(default_factory=dict)

    @property
    def proved(self) -> int:
        """By all parts together."""
        return sum(proof.rounded for proof in self.proofs.values())

    @property
    def is_done(self) -> bool:
        """Whether more time would prove no more."""
        return all(whole.is_done for whole in self.wholes)

    def note(self, place: int, proof: PartProof) -> None:
        """What was proved of a part."""
        known = self.proofs.get(place)
        if known is None or proof.value > known.value:
            self.proofs[place] = proof

    def run(self, stop: Stop) -> None:
        """Each part by its errors, the largest last: it has what the others leave of their time."""
        order = sorted(range(len(self.parts)), key=lambda u: self.parts[u].error)
        for place, u in enumerate(order):
            waiting = sum(self.parts[v].error for v in order[place:])
            share = self.parts[u].error / max(1, waiting)
            self.wholes[u].run(stop.child(share * stop.remaining(), stop.iteration_limit, None))
            if stop.now():
                return


def race(ways: Sequence[Division], stop: Stop, is_over: Callable[[], bool]) -> None:
    """Let each way run for a while, then the one that proved most for the time that is left."""
    share = _FIRST / len(ways) if len(ways) > 1 else 0.0
    seconds = stop.remaining()
    for way in ways:
        if share and not is_over():
            way.run(stop.child(share * seconds, stop.iteration_limit, None))
    for way in sorted(ways, key=lambda way: -way.proved):
        if not is_over() and not way.is_done:
            way.run(stop)
