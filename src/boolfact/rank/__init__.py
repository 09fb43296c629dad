"""How many patterns: bounds on the Boolean rank, and the path of ranks with a recommended k."""

from boolfact.rank.bounds import RankBounds, rank_bounds

__all__ = ["RankBounds", "rank_bounds"]
