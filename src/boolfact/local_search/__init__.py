"""Local search in the true error: exact refits, chains over local optima, recombination."""

from boolfact.local_search.population import Population
from boolfact.local_search.refit import refit_columns, refit_rows
from boolfact.local_search.search import LocalSearchResult, local_search
from boolfact.local_search.settings import PopulationSettings
from boolfact.local_search.state import Member, PopulationState

__all__ = [
    "LocalSearchResult",
    "Member",
    "Population",
    "PopulationSettings",
    "PopulationState",
    "local_search",
    "refit_columns",
    "refit_rows",
]
