"""Parameters of the loop of column generation."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DEFAULTS", "LoopSettings"]


@dataclass(frozen=True)
class LoopSettings:
    """Parameters of the loop; the defaults were chosen on the bundled matrices.

    Parameters
    ----------
    proved : float
        The value of the master counts as proved if the bound is this near, relative to it. The
        master itself is not solved further.
    first_tolerance, last_tolerance : float
        Of the restricted master, relative. Early prices are thrown away soon, so a rough
        solution does; beyond the last one a master in double precision gets no further.
    share_of_gap : float
        In between the master is solved to this share of the guessed gap: its own gap then
        neither hides progress nor costs steps that nobody sees.
    after_nothing : float
        The tolerance is multiplied by this where no rectangle came in.
    negative : float
        A reduced cost counts as negative below this, relative to mu: less is rounding.
    pool_kept, pool_growth : float
        A purge leaves this share of the limit, so there is room for some iterations; the limit
        is multiplied by the growth where a purge did harm.
    purge_progress : float
        A purge did harm if the guess has since covered less than this share of the gap.
    starts : int
        Rectangles of the heuristic with which exact pricing begins: more save no nodes.
    many_nodes : int
        After an exact pricing with more nodes than this, the next one ends at the first
        rectangle that rules its prices out.
    nodes_per_iteration : int
        Limit of a proof on the way, times the iterations so far: a proof then takes about as
        long as the iterations before it.
    nodes_at_last : int
        Limit of the proof at an iteration limit: seconds.
    first_proof : float
        No bound is proved on the way before the guessed gap is below this share of the value.
    gap_shrinks : float
        The next proof on the way is due when the gap is this many times smaller.
    reserve : float
        Share of the time that is kept for proofs.
    guess_margin : float
        A guess counts as enough to end the loop if it is above what is needed by this: it is
        rounded to fixed point before it is proved.
    fine_bits : int
        Of the fixed point, where the usual one may be too coarse to prove the value.
    seconds_between_events : float
    """

    proved: float = 1e-6
    first_tolerance: float = 0.1
    last_tolerance: float = 1e-7
    share_of_gap: float = 0.3
    after_nothing: float = 0.1
    negative: float = 1e-7
    pool_kept: float = 0.8
    pool_growth: float = 1.6
    purge_progress: float = 0.2
    starts: int = 20
    many_nodes: int = 20_000_000
    nodes_per_iteration: int = 500_000
    nodes_at_last: int = 20_000_000
    first_proof: float = 0.02
    gap_shrinks: float = 3.0
    reserve: float = 0.3
    guess_margin: float = 2.0**-20
    fine_bits: int = 26
    seconds_between_events: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.last_tolerance <= self.first_tolerance:
            raise ValueError(
                "last_tolerance must be positive and at most first_tolerance, got "
                f"{self.last_tolerance} and {self.first_tolerance}"
            )
        for name in ("share_of_gap", "after_nothing", "pool_kept", "reserve"):
            if not 0 < getattr(self, name) < 1:
                raise ValueError(f"{name} must be between 0 and 1, got {getattr(self, name)}")
        for name in ("pool_growth", "gap_shrinks"):
            if getattr(self, name) <= 1:
                raise ValueError(f"{name} must be above 1, got {getattr(self, name)}")


DEFAULTS = LoopSettings()
