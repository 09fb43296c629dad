"""What the page's script needs to draw the matrix, packed small."""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.model.labels import shown
from boolfact.model.matrix import BinaryMatrix
from boolfact.results.patterns import Pattern
from boolfact.results.result import Result
from boolfact.show.colours import PATTERN_COLOURS, line_kinds
from boolfact.show.ordering import order_by_factors

__all__ = ["MOST_CELLS", "as_json", "matrix_payload"]

MOST_CELLS = 25_000_000
"""Above this a browser would take too long to draw the matrix, and the page does not try."""


def matrix_payload(
    result: Result, matrix: BinaryMatrix, patterns: Sequence[Pattern]
) -> dict[str, Any]:
    """Names, orders and bits; a bit of cell (i, j) stands at place i * m + j."""
    n, m = matrix.shape
    factors = result.factors
    # An entry that costs nothing counts as missing, see `BinaryMatrix`.
    missing = matrix.weights == 0
    rows, columns = order_by_factors(factors)
    names = result.pattern_names
    return {
        "n": n,
        "m": m,
        "k": factors.rank,
        "ones": _packed(matrix.ones),
        "missing": _packed(missing) if missing.any() else None,
        "A": _packed(factors.A),
        "B": _packed(factors.B),
        "rows": [shown(matrix.row_label(i)) for i in range(n)],
        "columns": [shown(matrix.column_label(j)) for j in range(m)],
        "rowOrder": rows.tolist(),
        "columnOrder": columns.tolist(),
        "lines": line_kinds(-(-factors.rank // len(PATTERN_COLOURS))),
        "costs": _costs(matrix),
        "patternNames": None if names is None else [shown(name) for name in names],
        "figures": [_figures(pattern) for pattern in patterns],
        "stem": _stem(result),
    }


def as_json(document: Any) -> str:
    """JSON that can stand inside a script element: no text in it can end the element."""
    text = json.dumps(document, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _packed(flags: NDArray[np.bool_]) -> str:
    bits = np.packbits(np.ascontiguousarray(flags).ravel(), bitorder="little")
    return base64.b64encode(bits.tobytes()).decode("ascii")


def _figures(pattern: Pattern) -> list[float | None]:
    """Ones, zeros, gain, precision and recall; None for a share of nothing."""
    shares = (pattern.precision, pattern.recall)
    return [
        pattern.ones,
        pattern.zeros,
        pattern.gain,
        *(None if math.isnan(share) else round(share, 6) for share in shares),
    ]


def _stem(result: Result) -> str:
    """How the names of downloaded files begin: what every system allows in a file name."""
    name = Path(result.dataset).stem if result.dataset else "matrix"
    return re.sub(r"[^\w-]+", "-", name, flags=re.ASCII).strip("-")[:60] or "matrix"


def _costs(matrix: BinaryMatrix) -> dict[str, int] | None:
    """What a missed one and a covered zero cost, where all ones and all zeros cost the same."""
    costs = {}
    for name, cells in (("missedOne", matrix.ones), ("falseOne", matrix.values == 0)):
        weights = matrix.weights[cells]
        if len(weights) and weights.min() != weights.max():
            return None
        costs[name] = int(weights[0]) if len(weights) else 1
    return costs
