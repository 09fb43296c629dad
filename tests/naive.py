"""Slow, obvious twins of the kernels, for comparison. No Numba, no packing, no cleverness."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np

# --- the problem -------------------------------------------------------------------------


def product(A, B):
    n, k = A.shape
    m = B.shape[1]
    out = np.zeros((n, m), dtype=bool)
    for i in range(n):
        for j in range(m):
            out[i, j] = any(A[i, u] and B[u, j] for u in range(k))
    return out


def error(values, weights, A, B):
    Z = product(A, B)
    total = 0
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            if values[i, j] != -1 and (values[i, j] == 1) != Z[i, j]:
                total += int(weights[i, j])
    return total


def objective(values, weights, A, B, rho):
    total = 0
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            covers = sum(bool(A[i, u] and B[u, j]) for u in range(A.shape[1]))
            if values[i, j] == 1 and covers == 0:
                total += int(weights[i, j])
            if values[i, j] == 0:
                total += rho * covers * int(weights[i, j])
    return total


def pack(matrix):
    n, m = matrix.shape
    words = np.zeros((n, (m + 63) // 64), dtype=object)
    for i in range(n):
        for j in range(m):
            if matrix[i, j]:
                words[i, j // 64] += 1 << (j % 64)
    return words


def binary_vectors(length):
    return [np.array(bits, dtype=bool) for bits in itertools.product([0, 1], repeat=length)]


def best_error(values, weights, k):
    """The least error of any rank-k factorisation, by trying every B and every code."""
    n, m = values.shape
    best = None
    for rows in itertools.combinations_with_replacement(binary_vectors(m), k):
        unions = {
            tuple(np.any([rows[u] for u in range(k) if S >> u & 1] or [np.zeros(m, bool)], axis=0))
            for S in range(1 << k)
        }
        total = 0
        for i in range(n):
            total += min(
                sum(
                    int(weights[i, j])
                    for j in range(m)
                    if values[i, j] != -1 and (values[i, j] == 1) != union[j]
                )
                for union in unions
            )
        best = total if best is None else min(best, total)
    return best


# --- greedy pricing ----------------------------------------------------------------------


def greedy(H, order):
    """Algorithm 1 of the paper's appendix, word for word."""
    n, m = H.shape
    a, s = np.zeros(n, dtype=bool), np.zeros(m)
    for i in order:
        f0 = sum(max(0.0, s[j]) for j in range(m))
        f1 = sum(max(0.0, s[j] + H[i, j]) for j in range(m))
        if f0 < f1:
            a[i] = True
            s = s + H[i]
    return a, s > 0


# --- certificates ------------------------------------------------------------------------


def largest_worth(H):
    """max a'Hb: for every b, a row joins if it gains."""
    best = 0
    for b in binary_vectors(H.shape[1]):
        best = max(best, sum(max(0, sum(int(h) for h in row[b])) for row in H))
    return best


def chord_bound(bases, G, t):
    """An upper bound, in fractions, on sum_i max(0, base_i + sum_{j in b} g_ij), |b| = t.

    The chord of every row runs from its least to its greatest sum that follow from the total
    and the largest entry of the row alone.
    """
    m = G.shape[1]
    constant, c = Fraction(0), [Fraction(0)] * m
    for base, row in zip(bases, G, strict=True):
        base, row = Fraction(int(base)), [Fraction(int(g)) for g in row]
        greatest = min(sum(row), t * max(row))
        least = max(Fraction(0), sum(row) - (m - t) * max(row))
        if base + greatest <= 0:
            continue
        if base + least >= 0:
            slope = Fraction(1)
            constant += base
        else:
            slope = (base + greatest) / (greatest - least)
            constant -= slope * least
        c = [x + slope * g for x, g in zip(c, row, strict=True)]
    return constant + sum(sorted(c)[-t:])


# --- baselines ---------------------------------------------------------------------------


def confidence(values, weights, j, to):
    """Share of the ones of column j, by weight, whose row has a one in column `to` as well."""
    together = possible = 0
    for i in range(values.shape[0]):
        if values[i, j] == 1 and weights[i, to] > 0:
            possible += int(weights[i, j])
            if values[i, to] == 1:
                together += int(weights[i, j])
    return together / possible if possible else 0.0


def rank_one_relaxation(worth):
    """Least value of the linear relaxation of the rank-one error, by a general LP solver."""
    from scipy.optimize import linprog

    n, m = worth.shape
    entries = [(i, j) for i in range(n) for j in range(m) if worth[i, j] != 0]
    size = n + m + len(entries)
    cost, rows, limits = np.zeros(size), [], []
    for u, (i, j) in enumerate(entries):
        e = n + m + u
        cost[e] = abs(worth[i, j])
        if worth[i, j] > 0:  # e >= 1 - a_i and e >= 1 - b_j
            for v in (i, n + j):
                row = np.zeros(size)
                row[e], row[v] = -1, -1
                rows.append(row)
                limits.append(-1)
        else:  # e >= a_i + b_j - 1
            row = np.zeros(size)
            row[e], row[i], row[n + j] = -1, 1, 1
            rows.append(row)
            limits.append(1)
    if not entries:
        return 0.0
    return linprog(cost, A_ub=np.array(rows), b_ub=np.array(limits), bounds=(0, 1)).fun


def rank_one_error(worth, a, b):
    """Weight of the ones outside the rectangle and of the zeros inside."""
    total = 0
    for i in range(worth.shape[0]):
        for j in range(worth.shape[1]):
            if worth[i, j] > 0 and not (a[i] and b[j]):
                total += int(worth[i, j])
            if worth[i, j] < 0 and a[i] and b[j]:
                total -= int(worth[i, j])
    return total


# --- the integer master ------------------------------------------------------------------


def rectangle_worth(H, a, b):
    return sum(int(H[i, j]) for i in range(H.shape[0]) for j in range(H.shape[1]) if a[i] and b[j])


def best_choice(rectangles, k, value):
    """The least value of at most k of the rectangles, by trying every subset."""
    return min(
        value(chosen)
        for size in range(min(k, len(rectangles)) + 1)
        for chosen in itertools.combinations(rectangles, size)
    )
