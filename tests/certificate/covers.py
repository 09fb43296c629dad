"""Assigned covers for small matrices: random duals, and best ones by plain linear programming."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array

from boolfact.certificate.cover.part import Duals
from boolfact.model.bound import Bound, Quantity
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.reduction import keep_matrix, reduce_matrix

import naive


@dataclass(frozen=True)
class Cover:
    """Duals of one part, as plain as they can be written down."""

    shape: tuple[int, int]
    scale: int
    blocks: list
    prices: dict
    charges: dict

    def omega(self):
        return naive.largest_cover_worth(self.shape, self.blocks, self.prices, self.charges)

    def duals(self):
        place = {cell: e for e, cell in enumerate(self.prices)}
        ones = [[*cell, x] for cell, x in self.prices.items()]
        charges = [[*z, place[e], x] for (z, e), x in self.charges.items()]
        return Duals(
            self.shape,
            self.blocks,
            np.array(ones, dtype=np.int64).reshape(-1, 3),
            np.array(charges, dtype=np.int64).reshape(-1, 4),
        )

    def document(self, maps, k, omega=None, circle=None):
        """The part as it stands in a certificate; rows alone in a block are not named."""
        omega = self.omega() if omega is None else omega
        return {
            "row_map": [int(x) for x in maps[0]],
            "column_map": [int(x) for x in maps[1]],
            "scale": self.scale,
            "blocks": [list(block) for block in self.blocks if len(block) > 1],
            "p": [[*cell, x] for cell, x in self.prices.items()],
            "charges": [[*z, *e, x] for (z, e), x in self.charges.items()],
            "omega_bound": omega,
            "bound": str(Fraction(sum(self.prices.values()) - k * omega, self.scale)),
            **({} if circle is None else {"circle": circle}),
        }


@dataclass(frozen=True)
class Parts:
    documents: list

    def entry(self):
        return {
            "kind": "assigned_cover",
            "on": "error",
            "transposed": False,
            "parts": self.documents,
        }


def bound_of(documents, k):
    value = sum(max(0, math.ceil(Fraction(document["bound"]))) for document in documents)
    return Bound(Quantity.ERROR, Fraction(value), k, "assigned cover", Parts(documents))


def part_of(matrix, rows, columns, merge=True):
    """The matrix of a part, and its maps."""
    cells = np.ix_(rows, columns)
    inside = BinaryMatrix(matrix.values[cells], matrix.weights[cells])
    reduction = (reduce_matrix if merge else keep_matrix)(inside)
    maps = np.full(matrix.shape[0], -1), np.full(matrix.shape[1], -1)
    maps[0][rows], maps[1][columns] = reduction.row_map, reduction.column_map
    return reduction.matrix, maps


def random_blocks(rng, n, most=4):
    rows = [int(i) for i in rng.permutation(n)]
    blocks = []
    while rows:
        size = int(rng.integers(1, most + 1))
        blocks.append(rows[:size])
        rows = rows[size:]
    return blocks


def random_cover(rng, matrix, most=4, scale=None):
    """Any prices and charges in their boxes; full ones are frequent."""
    scale = int(rng.integers(1, 20)) if scale is None else scale
    blocks = random_blocks(rng, matrix.shape[0], most)
    values, weights = matrix.values, matrix.weights
    prices = {}
    for i, j in np.argwhere((values == 1) & (weights > 0)).tolist():
        top = int(weights[i, j]) * scale
        x = min(top, int(rng.integers(0, 3 * top // 2 + 1)))
        if x > 0:
            prices[i, j] = x
    charges = {}
    for block in blocks:
        ones = [cell for cell in prices if cell[0] in block]
        for i in block:
            for c in np.flatnonzero((values[i] == 0) & (weights[i] > 0)).tolist():
                rest = int(weights[i, c]) * scale
                for u in rng.permutation(len(ones)):
                    x = int(rng.integers(0, rest + 1))
                    if x > 0:
                        charges[(i, c), ones[u]] = x
                    rest -= x
    return Cover(matrix.shape, scale, blocks, prices, charges)


def random_ring(rng, m):
    """The circle of a part of m columns, as it stands in a certificate; even, or not at all so."""
    most = int(rng.choice([1, 3, 100, 10**6]))
    return {
        "order": [int(j) for j in rng.permutation(m)],
        "weights": [int(x) for x in rng.integers(1, most, m, endpoint=True)],
        "usual": [int(x) for x in rng.integers(0, rng.choice([0, 400, 1000]), m, endpoint=True)],
    }


def random_order(rng, m):
    """A circle for a search by size."""
    return {"order": [int(j) for j in rng.permutation(m)]}


def best_cover(matrix, k, blocks, scale=64):
    """max sum p - k mu, over all rectangles; rounded down, which stays in the boxes."""
    values, weights = matrix.values, matrix.weights
    n, m = matrix.shape
    ones = [tuple(e) for e in np.argwhere((values == 1) & (weights > 0)).tolist()]
    zeros = [tuple(z) for z in np.argwhere((values == 0) & (weights > 0)).tolist()]
    block_of = {i: u for u, block in enumerate(blocks) for i in block}
    pairs = [(z, e) for z in zeros for e in ones if block_of[z[0]] == block_of[e[0]]]
    at = {name: u for u, name in enumerate([*ones, *pairs, "mu"])}
    count = len(at)
    rows, limits = [], []
    for a, b in naive.all_rectangles(n, m):
        inside = [e for e in ones if a[e[0]] and b[e[1]]]
        for u, e in enumerate(inside):
            row = {at[e]: 1.0, count + u: -1.0}
            row.update({at[z, f]: -1.0 for z, f in pairs if f == e and a[z[0]] and b[z[1]]})
            rows.append(row)
            limits.append(0.0)
        rows.append({count + u: 1.0 for u in range(len(inside))} | {at["mu"]: -1.0})
        limits.append(0.0)
        count += len(inside)
    for z in zeros:
        rows.append({at[z, e]: 1.0 for y, e in pairs if y == z})
        limits.append(float(weights[z]))
    entries = [(r, c, x) for r, row in enumerate(rows) for c, x in row.items()]
    if not entries:
        return Cover(matrix.shape, scale, blocks, {}, {})
    r, c, x = (np.array(part) for part in zip(*entries, strict=True))
    cost = np.zeros(count)
    cost[: len(ones)] = -1
    cost[at["mu"]] = k
    boxes = [(0, float(weights[e])) for e in ones] + [(0, None)] * (count - len(ones))
    solution = linprog(cost, coo_array((x, (r, c)), (len(rows), count)), limits, bounds=boxes)
    assert solution.status == 0
    whole = {name: math.floor(solution.x[u] * scale + 1e-6) for name, u in at.items()}
    prices = {e: min(whole[e], int(weights[e]) * scale) for e in ones if whole[e] > 0}
    charges, spent = {}, dict.fromkeys(zeros, 0)
    for z, e in pairs:
        x = min(whole[z, e], int(weights[z]) * scale - spent[z])
        if x > 0 and e in prices:
            charges[z, e] = x
            spent[z] += x
    return Cover(matrix.shape, scale, blocks, prices, charges)
