"""The Boolean rank and what bounds it: isolated sets, fractional and exact covers."""

from boolfact.rank.bounds import RankBounds, rank_bounds

__all__ = ["RankBounds", "rank_bounds"]
