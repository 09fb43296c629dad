"""Random matrices in blocks with prices inside their boxes, and both written out plainly."""

import numpy as np

from boolfact.colgen.cover.layout import make_layout
from boolfact.colgen.cover.prices import Prices
from boolfact.model.matrix import BinaryMatrix


def random_matrix(rng, n, m, weights=True, missing=True, most=4):
    """With at least one one that counts."""
    share = rng.choice([0.2, 0.5, 0.8, 1.0])
    values = (rng.random((n, m)) < share).astype(np.int8)
    if missing and rng.random() < 0.5:
        values[rng.random((n, m)) < 0.2] = -1
    w = rng.integers(0, most + 1, (n, m)) if weights and rng.random() < 0.5 else None
    matrix = BinaryMatrix(values, w)
    if matrix.ones_weight:
        return matrix
    values, w = values.copy(), matrix.weights.copy()
    i, j = rng.integers(n), rng.integers(m)
    values[i, j], w[i, j] = 1, 1
    return BinaryMatrix(values, w)


def random_blocks(rng, n, most=4):
    """Some of the rows in blocks, in any order; the others are named by nobody."""
    rows = [int(i) for i in rng.permutation(n)][: int(rng.integers(0, n + 1))]
    blocks = []
    while rows:
        size = int(rng.integers(1, most + 1))
        blocks.append(rows[:size])
        rows = rows[size:]
    return blocks


def random_layout(rng, n, m, most=4, **options):
    return make_layout(random_matrix(rng, n, m, **options), random_blocks(rng, n, most))


def charged_by(layout, i, c):
    """The ones that the zero (i, c) may charge: along (one, column), then across (one, slot)."""
    first = layout.block_start[layout.block_of[i]]
    last = layout.block_start[layout.block_of[i] + 1]
    along = [(e, c) for e in range(len(layout.one_row)) if layout.one_row[e] == i]
    across = [
        (e, i - first)
        for e in range(len(layout.one_row))
        if layout.one_column[e] == c and first <= layout.one_row[e] < last
    ]
    return along, across


def random_prices(rng, layout):
    """Inside the boxes; full ones are frequent, and so are charges to few."""
    ones, m = len(layout.one_row), layout.shape[1]
    p = layout.one_weights * np.minimum(1.0, 1.5 * rng.random(ones))
    along, across = np.zeros((ones, m)), np.zeros((ones, layout.slots))
    for i, c in np.argwhere(layout.zeros):
        rows, columns = charged_by(layout, i, c)
        shares = rng.random(len(rows) + len(columns)) ** 4
        shares *= layout.weights[i, c] * min(1.0, 1.5 * rng.random()) / max(shares.sum(), 1e-9)
        for (e, at), x in zip(rows, shares, strict=False):
            along[e, at] = x
        for (e, at), x in zip(columns, shares[len(rows) :], strict=True):
            across[e, at] = x
    return Prices(p, along, across)


def cells(layout):
    """The ones as entries of the matrix."""
    return list(zip(layout.rows[layout.one_row].tolist(), layout.one_column.tolist(), strict=True))


def across_rows(layout, across):
    """Charges across by the row of the matrix, not by the place in a block."""
    out = np.zeros((len(across), layout.shape[0]), dtype=across.dtype)
    for e, i in enumerate(layout.one_row):
        first = layout.block_start[layout.block_of[i]]
        last = layout.block_start[layout.block_of[i] + 1]
        out[e, layout.rows[first:last]] = across[e, : last - first]
    return out


def written_out(layout, x):
    """Prices and charges as the dictionaries that `naive.cover_worth` takes."""
    ones, rows = cells(layout), across_rows(layout, x.across)
    prices = {cell: x.p[e] for e, cell in enumerate(ones)}
    charges = {}
    for e, (i, j) in enumerate(ones):
        for c in np.flatnonzero(x.along[e]).tolist():
            charges[(i, c), (i, j)] = x.along[e, c]
        for z in np.flatnonzero(rows[e]).tolist():
            charges[(z, j), (i, j)] = rows[e, z]
    return prices, charges


def all_set_arguments(point):
    """What `naive.worths_of_all_sets` takes, in 64 bits."""
    layout = point.layout
    return (
        cells(layout),
        point.p.astype(np.int64),
        point.along.astype(np.int64),
        across_rows(layout, point.across.astype(np.int64)),
        layout.blocks,
        layout.shape[1],
    )
