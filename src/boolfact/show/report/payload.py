"""What the page's script needs to draw the matrix, packed small."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.model.factors import Factors
from boolfact.model.labels import shown
from boolfact.model.matrix import BinaryMatrix
from boolfact.show import colours
from boolfact.show.ordering import order_by_factors

__all__ = ["MOST_CELLS", "as_json", "matrix_payload"]

MOST_CELLS = 25_000_000
"""Above this a browser would take too long to draw the matrix, and the page does not try."""


def matrix_payload(factors: Factors, matrix: BinaryMatrix) -> dict[str, Any]:
    """Names, orders and bits; a bit of cell (i, j) stands at place i * m + j."""
    n, m = matrix.shape
    rows, columns = order_by_factors(factors)
    return {
        "n": n,
        "m": m,
        "k": factors.rank,
        "ones": _packed(matrix.ones),
        "missing": _packed(matrix.missing) if matrix.n_missing else None,
        "A": _packed(factors.A),
        "B": _packed(factors.B),
        "rows": [shown(matrix.row_label(i)) for i in range(n)],
        "columns": [shown(matrix.column_label(j)) for j in range(m)],
        "rowOrder": rows.tolist(),
        "columnOrder": columns.tolist(),
        "costs": _costs(matrix),
        "palette": {
            "patterns": list(colours.PATTERN_COLOURS),
            "zero": colours.ZERO,
            "one": colours.ONE,
            "missing": colours.MISSING,
            "falseOne": colours.FALSE_ONE,
            "missedOne": colours.MISSED_ONE,
            "rightOne": colours.RIGHT_ONE,
        },
    }


def as_json(document: Any) -> str:
    """JSON that can stand inside a script element: no text in it can end the element."""
    text = json.dumps(document, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _packed(flags: NDArray[np.bool_]) -> str:
    bits = np.packbits(np.ascontiguousarray(flags).ravel(), bitorder="little")
    return base64.b64encode(bits.tobytes()).decode("ascii")


def _costs(matrix: BinaryMatrix) -> dict[str, int] | None:
    """What a missed one and a covered zero cost, where all ones and all zeros cost the same."""
    costs = {}
    for name, cells in (("missedOne", matrix.ones), ("falseOne", matrix.values == 0)):
        weights = matrix.weights[cells]
        if len(weights) and weights.min() != weights.max():
            return None
        costs[name] = int(weights[0]) if len(weights) else 1
    return costs
