"""`boolfact datasets`: the bundled matrices."""

from __future__ import annotations

import json

from boolfact.cli.common import AsJson, examples

__all__ = ["EXAMPLES", "datasets"]

EXAMPLES = examples("boolfact datasets", "boolfact datasets --json")


def datasets(as_json: AsJson = False) -> None:
    """List the bundled datasets."""
    from boolfact.datasets import describe_dataset, list_datasets, load_dataset
    from boolfact.show import terminal as display

    rows = []
    for name in list_datasets():
        matrix, info = load_dataset(name), describe_dataset(name)
        n, m = matrix.shape
        rows.append(
            {
                "name": name,
                "n": n,
                "m": m,
                "ones": matrix.n_ones,
                "missing": matrix.n_missing,
                "rows": info.rows,
                "columns": info.columns,
                "credit": info.credit,
            }
        )
    if as_json:
        print(json.dumps(rows))
    else:
        display.print_datasets(rows)
