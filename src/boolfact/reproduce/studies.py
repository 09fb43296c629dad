"""The tables and the figure of the paper: which cells each needs, and how they are shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from boolfact.model.bound import Quantity
from boolfact.reproduce import published
from boolfact.reproduce.cells import Budget, Cell
from boolfact.reproduce.render import Entry
from boolfact.results.format import shown_bound
from boolfact.results.pair import pair

__all__ = ["STUDIES", "Study"]

Figures = dict[str, dict[str, Any]]

PAPER_ROWS = {
    "auto": "CG",
    "colgen": "CG",
    "compact": "IP_exact",
    "asso_plus_plus": "ASSO++",
    "k_greedy": "k-greedy",
    "penalty": "pymf",
    "asso": "ASSO",
    "nmf": "NMF",
    "mebf": "MEBF",
    "proximus": "",
    "grecond": "",
}
"""Our methods and their rows in the paper's table of errors."""
_PRICING = ("exact", "heur", "heur_multi")
"""Names of pricing strategies, as in the paper's figure."""


@dataclass(frozen=True)
class Study:
    """A table or figure.

    Attributes
    ----------
    name, title, remark : str
        The remark says what the figures are and whose.
    datasets, ranks, methods : tuple
        What the paper has; a user may choose some of them, or other datasets and ranks.
    cells : callable
        From datasets, ranks and methods to the cells.
    entries : callable
        From cells and their figures to the entries of the table.
    is_figure : bool
    time_limit : float
        Seconds per cell, unless the user says otherwise.
    """

    name: str
    title: str
    remark: str
    datasets: tuple[str, ...]
    ranks: tuple[int, ...]
    methods: tuple[str, ...]
    cells: Callable[[Sequence[str], Sequence[int], Sequence[str]], list[Cell]]
    entries: Callable[[Sequence[Cell], Figures], list[Entry]]
    is_figure: bool = False
    time_limit: float = 10.0


# The engines are imported when a cell runs, so asking for help does not load them.


def _dimensions(dataset: str, budget: Budget) -> dict[str, Any]:
    from boolfact.reproduce.runs import dimensions

    return dimensions(dataset, budget)


def _factorized(dataset: str, k: int, method: str, budget: Budget) -> dict[str, Any]:
    from boolfact.reproduce.runs import factorized

    return factorized(dataset, k, method, budget)


def _master(dataset: str, k: int, one_over_k: bool, budget: Budget) -> dict[str, Any]:
    from boolfact.reproduce.runs import master_value

    return master_value(dataset, k, one_over_k, budget)


def _integer(dataset: str, k: int, budget: Budget) -> dict[str, Any]:
    from boolfact.reproduce.runs import integer_value

    return integer_value(dataset, k, budget)


def _compact(dataset: str, k: int, formulation: Any, budget: Budget) -> dict[str, Any]:
    from boolfact.reproduce.runs import compact_gap

    return compact_gap(dataset, k, formulation, budget)


def _curve(dataset: str, k: int, strategy: str, budget: Budget) -> dict[str, Any]:
    from boolfact.reproduce.runs import master_curve

    return master_curve(dataset, k, strategy, budget)


def _paper(row: published.Row | None, dataset: str) -> float | None:
    if row is None or dataset not in published.DATASETS:
        return None
    return row[published.DATASETS.index(dataset)]


def _table1_cells(
    datasets: Sequence[str], ranks: Sequence[int], methods: Sequence[str]
) -> list[Cell]:
    return [Cell(d, None, "dimensions", partial(_dimensions, d)) for d in datasets]


def _table1_entries(cells: Sequence[Cell], figures: Figures) -> list[Entry]:
    entries = []
    for row in published.DIMENSIONS:
        for cell in cells:
            known = figures[cell.name]
            low, high = known["isolation_lower"], known["isolation_upper"]
            ours = {
                "n": known["n"],
                "m": known["m"],
                "i(X)": low,
                "% ones": round(known["percent"], 1),
            }[row]
            note = f"at most {high}" if row == "i(X)" and high > low else ""
            paper = _paper(published.DIMENSIONS[row], cell.dataset)
            entries.append(Entry(cell.dataset, None, row, ours, paper, known["seconds"], note))
    for cell in cells:
        known = figures[cell.name]
        low, high = known["rank_lower"], known["rank_upper"]
        note = f"at most {high}" if high > low else ""
        entries.append(Entry(cell.dataset, None, "Boolean rank", low, note=note))
    return entries


def _table2_cells(
    datasets: Sequence[str], ranks: Sequence[int], methods: Sequence[str]
) -> list[Cell]:
    works: dict[str, Callable[[str, int], Callable[[Budget], dict[str, Any]]]] = {
        "MIP(1)": lambda d, k: partial(_integer, d, k),
        "KGH17": lambda d, k: partial(_compact, d, k, "kgh17"),
        "LVA08": lambda d, k: partial(_compact, d, k, "lva08"),
    }
    return [
        Cell(d, k, method, works[method](d, k))
        for k in ranks
        for method in methods
        for d in datasets
    ]


def _table2_entries(cells: Sequence[Cell], figures: Figures) -> list[Entry]:
    entries = []
    for cell in cells:
        known = figures[cell.name]
        assert cell.k is not None
        note = "does not fit into memory" if "refused" in known else ""
        if cell.method == "MIP(1)":
            # Ours is proved: the bound is checked in integers.
            gap = _gap(known["objective"], known["objective_lower_bound"])
        else:
            gap = known["gap"]
        paper = published.GAPS.get((cell.dataset, cell.k), {}).get(cell.method)
        seconds = known["seconds"]
        entries.append(Entry(cell.dataset, cell.k, cell.method, gap, paper, seconds, note))
    return entries


def _gap(objective: float, objective_lower_bound: float | None) -> float:
    gap = pair(Quantity.OBJECTIVE, objective, objective_lower_bound or 0.0).gap
    return 100 * float(gap or 0)


def _table3_cells(
    datasets: Sequence[str], ranks: Sequence[int], methods: Sequence[str]
) -> list[Cell]:
    cells = []
    for k in ranks:
        for method in methods:
            for d in datasets:
                if method == "MIP(1)":
                    work = partial(_integer, d, k)
                else:
                    work = partial(_master, d, k, method == "MLP(1 over k)")
                cells.append(Cell(d, k, method, work))
    return cells


def _table3_entries(cells: Sequence[Cell], figures: Figures) -> list[Entry]:
    entries = []
    for cell in cells:
        known = figures[cell.name]
        assert cell.k is not None
        row = cell.method.replace(" over ", "/")
        paper = _paper(published.VALUES.get(cell.k, {}).get(row), cell.dataset)
        if row == "MIP(1)":
            error, value = known["error"], known["objective"]
            note = f"error {error}" if error != value else ""
        else:
            value = known["master"]
            proved = _proved(known["objective_lower_bound"])
            note = "proved" if known["is_optimal"] else proved
        entries.append(Entry(cell.dataset, cell.k, row, value, paper, known["seconds"], note))
    return entries


def _proved(bound: float | None) -> str:
    if bound is None or bound <= 0:
        return "nothing proved"
    return f"proved at least {shown_bound(bound)}"


def _table4_cells(
    datasets: Sequence[str], ranks: Sequence[int], methods: Sequence[str]
) -> list[Cell]:
    return [
        Cell(d, k, method, partial(_factorized, d, k, method))
        for k in ranks
        for method in methods
        for d in datasets
    ]


def _table4_entries(cells: Sequence[Cell], figures: Figures) -> list[Entry]:
    entries = []
    for cell in cells:
        known = figures[cell.name]
        assert cell.k is not None
        row = PAPER_ROWS.get(cell.method, "")
        paper = _paper(published.ERRORS.get(cell.k, {}).get(row), cell.dataset)
        shown = f"{cell.method} (paper: {row})" if row else cell.method
        entries.append(Entry(cell.dataset, cell.k, shown, known["error"], paper, known["seconds"]))
    return entries


def _figure1_cells(
    datasets: Sequence[str], ranks: Sequence[int], methods: Sequence[str]
) -> list[Cell]:
    return [
        Cell(d, k, strategy, partial(_curve, d, k, strategy))
        for k in ranks
        for strategy in methods
        for d in datasets
    ]


def _figure1_entries(cells: Sequence[Cell], figures: Figures) -> list[Entry]:
    entries = []
    for cell in cells:
        known = figures[cell.name]
        assert cell.k is not None
        paper = _paper(published.VALUES.get(cell.k, {}).get("MLP(1)"), cell.dataset)
        proved = "proved" if known["is_optimal"] else _proved(known["objective_lower_bound"])
        note = f"{proved}, {known['iterations']} iterations, {known['seconds']:.1f} s"
        seconds, row = known["seconds"], f"MLP(1), {cell.method} pricing"
        entries.append(Entry(cell.dataset, cell.k, row, known["master"], paper, seconds, note))
    return entries


_ALL, _RANKS = published.DATASETS, published.RANKS
STUDIES: dict[str, Study] = {
    study.name: study
    for study in (
        Study(
            "table1",
            "Table 1: the datasets and their isolation numbers",
            "i(X) is proved where no upper limit is given in square brackets.",
            _ALL,
            (),
            (),
            _table1_cells,
            _table1_entries,
            time_limit=60.0,
        ),
        Study(
            "table2",
            "Table 2: percent optimality gap under the objective MIP(1)",
            "MIP(1) is column generation, its bound proved in integers; KGH17 and LVA08 are "
            "integer programs on HiGHS, started from k-greedy, with the bound that HiGHS claims.",
            ("zoo", "tumor"),
            _RANKS,
            ("MIP(1)", "KGH17", "LVA08"),
            _table2_cells,
            _table2_entries,
        ),
        Study(
            "table3",
            "Table 3: values of MLP(1/k), MLP(1) and MIP(1)",
            "MLP is the value of the restricted master at the end, an upper bound on the "
            "relaxation, and what is proved of the relaxation in square brackets; MIP(1) is the "
            "least objective found over the columns of MLP(1), with its error where that differs.",
            _ALL,
            _RANKS,
            ("MLP(1 over k)", "MLP(1)", "MIP(1)"),
            _table3_cells,
            _table3_entries,
        ),
        Study(
            "table4",
            "Table 4: errors of all methods",
            "Errors are recomputed from A and B.",
            _ALL,
            _RANKS,
            tuple(PAPER_ROWS),
            _table4_cells,
            _table4_entries,
        ),
        Study(
            "figure1",
            "Figure 1: pricing strategies for MLP(1)",
            "From no columns, with a simplex master: the value of the restricted master falls, the "
            "proved bound rises, in jumps where pricing was exact.",
            ("zoo",),
            (5, 10),
            _PRICING,
            _figure1_cells,
            _figure1_entries,
            is_figure=True,
            # Each curve ends when its value is proved.
            time_limit=300.0,
        ),
    )
}
