"""Patterns of single cells, written into AnnData the way scanpy does.

`boolfact.anndata.fit(adata, k)` leaves the codes of the cells in `obsm`, the genes of the patterns
in `varm` and the figures in `uns`; `boolfact.anndata.load(adata)` gives the `Result` back.
"""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.control.ending import Ending
from boolfact.io.annotated import is_anndata
from boolfact.results.result import Result
from boolfact.results.status import Status
from boolfact.results.tally import Tally
from boolfact.solve.factorize import factorize

__all__ = ["fit", "load"]

_FIGURES = ("error", "objective", "method", "k", "seconds", "seed", "iterations", "digest")
_MAYBE = (
    "error_lower_bound",
    "objective_lower_bound",
    "error_bound_by",
    "objective_bound_by",
    "gap",
)


def fit(
    adata: Any,
    k: int,
    *,
    layer: str | None = None,
    raw: bool = False,
    mask_var: str | NDArray[np.bool_] | None = None,
    binarize: float | None = 0.0,
    key_added: str = "boolfact",
    copy: bool = False,
    **options: Any,
) -> Any:
    """Find k patterns of genes and cells, and write them into the object.

    Parameters
    ----------
    adata : AnnData
    k : int
        How many patterns.
    layer : str, optional
        Use this layer instead of X.
    raw : bool
        Use `adata.raw`, which may have more genes than `adata`.
    mask_var : str or array of bool, optional
        Use only some genes: a column of `var` such as "highly_variable", or flags.
    binarize : float or None
        Values above this count as 1; by default whatever was detected. None where the data are 0
        and 1 already. Negative values, as in scaled data, are warned about.
    key_added : str
        The name to write under.
    copy : bool
        Write into a copy and return it.
    **options
        Of `boolfact.factorize`, such as `time_limit`, `seed` or `from_below`.

    Returns
    -------
    AnnData or None
        None, unless a copy is asked for. These fields are written:

        `adata.obsm["X_boolfact"]` : which cells belong to each pattern, cells × k, 0 and 1;
        `adata.varm["boolfact"]` : which genes do, genes × k, 0 and 1, and 0 for genes left out;
        `adata.raw.varm["boolfact"]` : the same for the genes of raw, where these were used;
        `adata.uns["boolfact"]` : `params`, `error`, `error_lower_bound` where one was proved,
        `status` and the other figures.
    """
    if not is_anndata(adata):
        raise TypeError(f"adata must be an AnnData object, got {type(adata).__name__}")
    adata = adata.copy() if copy else adata
    chosen = _mask(adata, mask_var, raw)
    source = adata if chosen is None else adata[:, chosen]
    result = factorize(source, k, layer=layer, raw=raw, binarize=binarize, **options)
    columns = (adata.raw if raw else adata).var_names
    genes = np.zeros((len(columns), result.k), dtype=np.int8)
    genes[slice(None) if chosen is None else chosen] = result.B.T
    if raw:
        adata.raw.varm[key_added] = genes
        places = columns.get_indexer(adata.var_names)
        adata.varm[key_added] = np.where(places[:, None] >= 0, genes[places], 0).astype(np.int8)
    else:
        adata.varm[key_added] = genes
    adata.obsm[f"X_{key_added}"] = result.A.astype(np.int8)
    adata.uns[key_added] = _figures(result, layer, raw, binarize, key_added, chosen)
    return adata if copy else None


def load(adata: Any, key: str = "boolfact") -> Result:
    """The result that `fit` wrote, for plots and reports; its history over time is not kept.

    Parameters
    ----------
    adata : AnnData
        With all the cells and genes that it had then.
    key : str
        The `key_added` of `fit`.
    """
    if key not in adata.uns or f"X_{key}" not in adata.obsm:
        raise ValueError(f"there is no {key!r} in this object; boolfact.anndata.fit writes it")
    told = adata.uns[key]
    raw = bool(told["params"]["raw"])
    home = adata.raw if raw else adata
    names = [str(name) for name in home.var_names]
    genes = np.asarray(home.varm[key]) > 0
    if "genes" in told:
        used = np.isin(names, np.asarray(told["genes"], dtype=str))
        genes, names = genes[used], [name for name, kept in zip(names, used, strict=True) if kept]
    cells = np.asarray(adata.obsm[f"X_{key}"]) > 0
    if [len(cells), len(genes)] != [int(side) for side in told["shape"]]:
        n, m = (int(side) for side in told["shape"])
        raise ValueError(
            f"{key!r} was computed for {n} cells and {m} genes, and there are {len(cells)} and "
            f"{len(genes)} now: its error and bounds do not hold for them; fit again"
        )
    certificate, tally = told.get("certificate"), told.get("tally")
    known = {name: _plain(told[name]) for name in _FIGURES}
    known |= {name: _plain(told.get(name)) for name in _MAYBE if name != "gap"}
    return Result(
        A=cells,
        B=genes.T,
        status=Status(str(told["status"])),
        ending=Ending(str(told["ending"])),
        rho=Fraction(str(told["rho"])),
        settings=json.loads(str(told["settings"])),
        row_names=tuple(str(name) for name in adata.obs_names),
        column_names=tuple(names),
        tally=None if tally is None else Tally(**{k: int(v) for k, v in tally.items()}),
        certificate=None if certificate is None else json.loads(str(certificate)),
        **known,
    )


def _mask(adata: Any, mask_var: Any, raw: bool) -> NDArray[np.bool_] | None:
    if mask_var is None:
        return None
    if raw:
        raise ValueError("mask_var chooses among the variables of X; raw has variables of its own")
    if isinstance(mask_var, str):
        if mask_var not in adata.var:
            raise ValueError(f"there is no column {mask_var!r} in adata.var")
        mask_var = adata.var[mask_var]
    flags = np.asarray(mask_var)
    if flags.dtype != bool or flags.shape != (adata.shape[1],):
        raise ValueError(
            f"mask_var must have true or false for each of {adata.shape[1]} variables, got "
            f"{flags.dtype} of shape {flags.shape}"
        )
    if not flags.any():
        raise ValueError("mask_var leaves no variable")
    if not adata.var_names.is_unique:
        raise ValueError("names of variables are not unique; call adata.var_names_make_unique()")
    return flags


def _figures(
    result: Result,
    layer: str | None,
    raw: bool,
    binarize: float | None,
    key_added: str,
    chosen: NDArray[np.bool_] | None,
) -> dict[str, Any]:
    """What h5ad files can hold: numbers, text and arrays, and nothing in place of None."""
    params = {"k": result.k, "layer": layer, "raw": raw, "binarize": binarize}
    figures: dict[str, Any] = {
        "params": {name: value for name, value in params.items() if value is not None},
        "shape": np.array(result.shape),
        "status": result.status.value,
        "ending": result.ending.value,
        "rho": str(result.rho),
        "settings": json.dumps(result.settings),
    }
    figures |= {name: getattr(result, name) for name in _FIGURES}
    figures |= {name: getattr(result, name) for name in _MAYBE if getattr(result, name) is not None}
    if chosen is not None:
        figures["genes"] = np.array(result.column_names, dtype=object)
    if result.tally is not None:
        figures["tally"] = result.tally.as_dict()
    if result.certificate is not None:
        figures["certificate"] = json.dumps(result.certificate)
    return figures


def _plain(value: Any) -> Any:
    """A number or text as Python has it: files give those of NumPy."""
    return value.item() if isinstance(value, np.generic) else value
