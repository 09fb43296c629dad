"""The method `colgen`: the procedure of the paper, with bounds."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from boolfact.baselines.asso_plus_plus import asso_plus_plus
from boolfact.baselines.k_greedy import k_greedy
from boolfact.control.ending import Ending
from boolfact.solve.engines import (
    bound_error,
    bound_objective,
    offer,
    recombine,
    search,
    why_it_ended,
)
from boolfact.solve.reporter import Reporter
from boolfact.solve.state import State
from boolfact.solve.task import Task

__all__ = ["PaperSettings", "run_paper"]


@dataclass(frozen=True)
class PaperSettings:
    """How the paper's procedure shares its time, and from what it starts.

    Attributes
    ----------
    start_share : float
        For ASSO++, which takes a fraction of a second on the paper's data.
    columns_share : float
        The bounds come from here, and the integer master chooses from what is generated.
    integer_share : float
        Of what is left then, once for each rho.
    polish_share : float
        The local search that polishes the solutions of the integer master soon ends in an
        optimum of its own.
    second_rho : Fraction
        Solved besides rho = 1, as in the paper: it often finds a lower error.
    most_columns_for_asso : int
        Beyond this the association rules, one for each pair of columns, take too long.
    """

    start_share: float = 0.1
    columns_share: float = 0.75
    integer_share: float = 0.5
    polish_share: float = 0.05
    second_rho: Fraction = Fraction(19, 20)
    most_columns_for_asso: int = 2000


def run_paper(
    task: Task, state: State, reporter: Reporter, settings: PaperSettings | None = None
) -> Ending:
    """Starts from ASSO++ and k-greedy; then columns, the integer master, and a polish."""
    settings = settings or PaperSettings()
    stop, seconds = task.stop, task.stop.remaining()
    if task.matrix.shape[1] <= settings.most_columns_for_asso:
        share = stop.share(settings.start_share, seconds)
        found = asso_plus_plus(task.matrix, task.k, seed=task.seed, stop=share)
        offer(task, state, found, reporter)
    offer(task, state, k_greedy(task.matrix, task.k, seed=task.seed), reporter)
    bound_objective(task, state, stop.share(settings.columns_share, seconds), reporter)
    recombine(task, state, stop.share(settings.integer_share), reporter)
    if task.rho == 1:
        share = stop.share(settings.integer_share)
        recombine(task, state, share, reporter, settings.second_rho)
    if task.bound == "error":
        bound_error(task, state, stop.share(1.0, seconds), reporter)
    if state.is_optimal:
        return Ending.PROVED
    last = search(task, state, stop.share(settings.polish_share, seconds), reporter)
    return why_it_ended(task, state, last)
