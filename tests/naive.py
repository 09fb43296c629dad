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


def sum_of_positive(vectors):
    """f of the sum of some vectors."""
    return sum(max(0, sum(int(v[i]) for v in vectors)) for i in range(len(vectors[0])))


def good_starts(columns, chosen, shares):
    """Places on the circle from which every arc of a choice is worth its shares."""
    m = len(columns)
    brought = [columns[j] if chosen[j] else [0] * len(columns[0]) for j in range(m)]
    starts = []
    for place in range(m):
        arcs = [[(place + s) % m for s in range(size)] for size in range(1, m + 1)]
        if all(
            sum_of_positive([brought[j] for j in arc]) >= sum(shares[j] for j in arc)
            for arc in arcs
        ):
            starts.append(place)
    return starts


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


# --- column generation -------------------------------------------------------------------


def all_rectangles(n, m):
    return [(a, b) for a in binary_vectors(n) for b in binary_vectors(m) if a.any() and b.any()]


def mlp(values, weights, k, rho, rectangles):
    """MLP(rho) over the given rectangles, written down as it stands in the paper."""
    from scipy.optimize import linprog

    ones = [tuple(e) for e in np.argwhere((values == 1) & (weights > 0))]
    zeros = [tuple(e) for e in np.argwhere(values == 0)]
    covers = [{(i, j) for i in np.flatnonzero(a) for j in np.flatnonzero(b)} for a, b in rectangles]
    cost = [float(rho) * sum(int(weights[z]) for z in zeros if z in cover) for cover in covers]
    cost += [float(weights[e]) for e in ones]
    rows, limits = [], []
    for u, e in enumerate(ones):
        row = [-1.0 if e in cover else 0.0 for cover in covers] + [0.0] * len(ones)
        row[len(covers) + u] = -1.0
        rows.append(row)
        limits.append(-1.0)
    rows.append([1.0] * len(covers) + [0.0] * len(ones))
    limits.append(float(k))
    if not cost:
        return 0.0
    return float(linprog(cost, rows, limits, method="highs").fun)


def mlp_exact(values, weights, k, rectangles):
    """The relaxation of MIP_exact: every zero has its own variable and constraint."""
    from scipy.optimize import linprog

    ones = [tuple(e) for e in np.argwhere((values == 1) & (weights > 0))]
    zeros = [tuple(e) for e in np.argwhere((values == 0) & (weights > 0))]
    covers = [{(i, j) for i in np.flatnonzero(a) for j in np.flatnonzero(b)} for a, b in rectangles]
    entries = ones + zeros
    cost = [0.0] * len(covers) + [float(weights[e]) for e in entries]
    rows, limits = [], []
    for u, e in enumerate(entries):
        sign = -1.0 if e in ones else 1.0
        row = [sign if e in cover else 0.0 for cover in covers] + [0.0] * len(entries)
        row[len(covers) + u] = -1.0 if e in ones else -float(k)
        rows.append(row)
        limits.append(-1.0 if e in ones else 0.0)
    rows.append([1.0] * len(covers) + [0.0] * len(entries))
    limits.append(float(k))
    if not cost:
        return 0.0
    return float(linprog(cost, rows, limits, method="highs").fun)


def best_objective(values, weights, k, rho):
    """The least MIP(rho) objective: every choice of k column sets, every row on its own."""
    n, m = values.shape
    best = None
    for sets in itertools.combinations_with_replacement(binary_vectors(m), k):
        total = 0
        for i in range(n):
            options = []
            for chosen in itertools.product([False, True], repeat=k):
                cost = 0
                for j in range(m):
                    covers = sum(c and s[j] for c, s in zip(chosen, sets, strict=True))
                    if values[i, j] == 1 and not covers:
                        cost += int(weights[i, j])
                    if values[i, j] == 0:
                        cost += rho * int(covers) * int(weights[i, j])
                options.append(cost)
            total += min(options)
        best = total if best is None else min(best, total)
    return best


def climb(H, b):
    """Refits until they stand still, then the best flip of a column, else of a row; again."""

    def worth_of_columns(b):
        return sum(max(0, sum(H[i, j] for j in np.flatnonzero(b))) for i in range(H.shape[0]))

    def worth_of_rows(a):
        return sum(max(0, sum(H[i, j] for i in np.flatnonzero(a))) for j in range(H.shape[1]))

    def flipped(x, u):
        return x ^ (np.arange(len(x)) == u)

    value = -1
    while True:
        while True:
            a = np.array([sum(H[i, j] for j in np.flatnonzero(b)) > 0 for i in range(len(H))])
            b = np.array([sum(H[i, j] for i in np.flatnonzero(a)) > 0 for j in range(H.shape[1])])
            if worth_of_rows(a) <= value:
                break
            value = worth_of_rows(a)
        options = [worth_of_columns(flipped(b, j)) for j in range(len(b))]
        if max(options) > value:
            b = flipped(b, int(np.argmax(options)))
            continue
        options = [worth_of_rows(flipped(a, i)) for i in range(len(a))]
        if max(options) <= value:
            return value
        a = flipped(a, int(np.argmax(options)))
        b = np.array([sum(H[i, j] for i in np.flatnonzero(a)) > 0 for j in range(H.shape[1])])


# --- the Boolean rank --------------------------------------------------------------------


def _all_rectangles_of_ones(values, weights):
    n, m = values.shape
    zero = (values == 0) & (weights > 0)
    for a in binary_vectors(n):
        for b in binary_vectors(m):
            if a.any() and b.any() and not zero[np.ix_(a, b)].any():
                yield np.outer(a, b)


def isolation_number(values, weights):
    """Size of the largest set of ones of which no two share a rectangle, by trying all."""
    zero = (values == 0) & (weights > 0)
    ones = [tuple(e) for e in np.argwhere((values == 1) & (weights > 0))]

    def grow(chosen, rest):
        best = len(chosen)
        for u, (i, j) in enumerate(rest):
            if all(zero[i, c] or zero[r, j] for r, c in chosen):
                best = max(best, grow([*chosen, (i, j)], rest[u + 1 :]))
        return best

    return grow([], ones)


def fractional_cover(values, weights):
    """Least total weight of rectangles of ones that covers every one, by a general LP solver."""
    from scipy.optimize import linprog

    ones = (values == 1) & (weights > 0)
    if not ones.any():
        return 0.0
    columns = [r[ones] for r in _all_rectangles_of_ones(values, weights)]
    covers = np.array(columns, dtype=float).T
    return linprog(np.ones(covers.shape[1]), A_ub=-covers, b_ub=-np.ones(len(covers))).fun


def boolean_rank(values, weights):
    """Least number of rectangles of ones that covers every one."""
    ones = (values == 1) & (weights > 0)
    columns = {tuple(r[ones]) for r in _all_rectangles_of_ones(values, weights)}
    reached, rank = {tuple(np.zeros(int(ones.sum()), dtype=bool))}, 0
    everything = tuple(np.ones(int(ones.sum()), dtype=bool))
    while everything not in reached:
        reached = {tuple(np.logical_or(s, c)) for s in reached for c in columns}
        rank += 1
    return rank


# --- exact pricing -----------------------------------------------------------------------


def worth(columns, b):
    """Sum of the positive parts of the sum of the columns in b."""
    sums = [
        sum(int(c[i]) for c, taken in zip(columns, b, strict=True) if taken)
        for i in range(columns.shape[1])
    ]
    return sum(s for s in sums if s > 0)


def prefixes_worth_their_share(steps, weights, target):
    """Every choice for the first r < m columns whose prefixes are all worth their share."""
    m = steps.shape[1]
    passing, layer = 0, [()]
    for r in range(1, m + 1):
        passing += len(layer)
        longer = [(*path, choice) for path in layer for choice in (0, 1)]
        layer = [
            path for path in longer if prefix_worth(steps, path) * weights[m] >= weights[r] * target
        ]
    return passing, layer


def prefix_worth(steps, path):
    """Path holds 0 for a column that is taken and 1 for one that is not."""
    n = steps.shape[2]
    sums = [sum(int(steps[choice, r, i]) for r, choice in enumerate(path)) for i in range(n)]
    return sum(s for s in sums if s > 0)


def climb_by_flips(columns, b):
    """Flip the first of the columns that raise the worth most until none does."""
    b = np.array(b)
    while True:
        options = [worth(columns, b ^ (np.arange(len(b)) == j)) for j in range(len(b))]
        if max(options) <= worth(columns, b):
            return worth(columns, b), b
        b = b ^ (np.arange(len(b)) == int(np.argmax(options)))


# --- local search ------------------------------------------------------------------------


def row_costs_of_all_codes(ones, weights, B):
    """Error of each row for each of the 2^k codes, in the order of itertools.product."""
    k, m = B.shape
    table = []
    for i in range(ones.shape[0]):
        costs = []
        for code in itertools.product([False, True], repeat=k):
            covered = [any(code[u] and B[u, j] for u in range(k)) for j in range(m)]
            costs.append(
                sum(int(weights[i, j]) for j in range(m) if covered[j] != bool(ones[i, j]))
            )
        table.append(costs)
    return table


def error_with_best_rows(ones, weights, B):
    return sum(min(costs) for costs in row_costs_of_all_codes(ones, weights, B))


def weighted_error(ones, weights, A, B):
    return int(weights[product(A, B) != ones].sum())


def best_rows_of_rectangle(ones, weights, A, B, u):
    """Rows that rectangle u should have, given its columns and the other rectangles."""
    wanted = []
    for i in range(ones.shape[0]):
        errors = []
        for taken in (False, True):
            code = A[i : i + 1].copy()
            code[0, u] = taken
            errors.append(weighted_error(ones[i : i + 1], weights[i : i + 1], code, B))
        wanted.append(errors[1] < errors[0])
    return np.array(wanted)


def jaccard(left, right):
    """Shared over all entries of two sets of entries; two empty sets are the same."""
    union = (left | right).sum()
    return 1.0 if union == 0 else (left & right).sum() / union


def best_matching(table):
    """Largest sum over all ways to pair rows with columns."""
    size = len(table)
    return max(
        sum(table[u][p[u]] for u in range(size)) for p in itertools.permutations(range(size))
    )


# --- the assigned cover ------------------------------------------------------------------


def cover_worth(blocks, prices, charges, a, b):
    """Worth of the rectangle (a, b).

    `prices` has one value per (i, j), `charges` one per ((i, c), (i2, j)).
    """
    total = 0
    for block in blocks:
        for (i, j), price in prices.items():
            if i in block and a[i] and b[j]:
                charged = sum(
                    x
                    for ((z, c), e), x in charges.items()
                    if e == (i, j) and z in block and a[z] and b[c]
                )
                total += max(0, price - charged)
    return total


def largest_cover_worth(shape, blocks, prices, charges):
    """The worth of the best rectangle, by trying all of them."""
    n, m = shape
    return max(
        cover_worth(blocks, prices, charges, a, b)
        for a in binary_vectors(n)
        for b in binary_vectors(m)
    )


def worths_of_all_sets(ones, p, along, across, blocks, m):
    """What every set of columns is worth with its best rows, in the order of binary_vectors.

    `along[e, c]` is what the zero in column c of e's row charges the one e, `across[e, i]` what
    the zero in row i of e's column does.
    """
    sets = np.array(binary_vectors(m)).reshape(-1, m)
    total = np.zeros(len(sets), dtype=p.dtype)
    for block in blocks:
        best = np.zeros(len(sets), dtype=p.dtype)
        for chosen in binary_vectors(len(block)):
            rows = [i for i, taken in zip(block, chosen, strict=True) if taken]
            worth = np.zeros(len(sets), dtype=p.dtype)
            for e, (i, j) in enumerate(ones):
                if i in rows:
                    left = p[e] - sets @ along[e] - across[e, rows].sum()
                    worth += np.where(sets[:, j], np.maximum(left, 0), 0)
            best = np.maximum(best, worth)
        total += best
    return sets, total


def nearest_with_sum_at_most(values, limit):
    """The nearest point that is not negative and adds up to at most the limit."""
    values = np.maximum(values, 0.0)
    if values.sum() <= limit:
        return values
    falling = np.sort(values)[::-1]
    for count in range(len(values), 0, -1):
        shift = (falling[:count].sum() - limit) / count
        if falling[count - 1] > shift:
            return np.maximum(values - shift, 0.0)
    return np.zeros_like(values)


def nearest_with_caps(groups, k):
    """The nearest point u >= 0 of which the largest in each group add up to at most k."""
    groups = [np.maximum(group, 0.0) for group in groups]
    tops = [group.max(initial=0.0) for group in groups]
    if sum(tops) <= k:
        return groups

    def cap(group, cut):
        """Where to cut a group off so that this much is cut; 0 if there is less."""
        low, high = 0.0, group.max(initial=0.0)
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (
                (middle, high) if np.maximum(group - middle, 0).sum() > cut else (low, middle)
            )
        return high

    low, high = 0.0, max(group.sum() for group in groups)
    for _ in range(60):
        middle = (low + high) / 2
        over = sum(cap(group, middle) for group in groups) > k
        low, high = (middle, high) if over else (low, middle)
    return [np.minimum(group, cap(group, high)) for group in groups]


def assigned_cover(values, weights, k, blocks, rectangles):
    """Largest sum(p) - k max worth over some rectangles; charges along rows and columns only."""
    from scipy.optimize import linprog

    ones = [tuple(e) for e in np.argwhere((values == 1) & (weights > 0)).tolist()]
    zeros = [tuple(z) for z in np.argwhere((values == 0) & (weights > 0)).tolist()]
    block_of = {i: u for u, block in enumerate(blocks) for i in block}
    pairs = [
        (z, e)
        for z in zeros
        for e in ones
        if z[0] == e[0] or (z[1] == e[1] and block_of[z[0]] == block_of[e[0]])
    ]
    at = {name: u for u, name in enumerate([*ones, *pairs, "mu"])}
    count = len(at)
    rows, limits = [], []
    for a, b in rectangles:
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
        rows.append({at[y, e]: 1.0 for y, e in pairs if y == z})
        limits.append(float(weights[z]))
    if not ones:
        return 0.0
    table = np.zeros((len(rows), count))
    for r, row in enumerate(rows):
        for c, x in row.items():
            table[r, c] = x
    cost = np.zeros(count)
    cost[: len(ones)], cost[at["mu"]] = -1, k
    boxes = [(0, float(weights[e])) for e in ones] + [(0, None)] * (count - len(ones))
    solution = linprog(cost, table, limits, bounds=boxes)
    assert solution.status == 0
    return -float(solution.fun)


def grecond(values, weights, k):
    """Rectangles of GreConD as (rows, columns): every column is tried, closed and counted."""
    n, m = values.shape
    free = weights == 0
    left = np.where(values == 1, weights, 0)
    found = []
    while len(found) < k and left.any():
        rows, columns, best = list(range(n)), [], 0
        while True:
            better = None
            for j in range(m):
                if j in columns:
                    continue
                having = [i for i in rows if values[i, j] == 1 or free[i, j]]
                shared = [
                    q for q in range(m) if all(values[i, q] == 1 or free[i, q] for i in having)
                ]
                gained = sum(left[i, q] for i in having for q in shared) if having else 0
                if gained > best:
                    best, better = gained, (having, shared)
            if better is None:
                break
            rows, columns = better
        found.append((rows, columns))
        left[np.ix_(rows, columns)] = 0
    return found


def asso_cover(values, weights, k, candidates):
    """Greedy choice of candidates (sets of columns), everything counted anew each time."""
    left = np.where(values == 1, weights, -weights)
    found = []
    for _ in range(k):
        gains = [sum(max(0, row[b].sum()) for row in left) for b in candidates]
        best = int(np.argmax(gains))
        if gains[best] <= 0:
            break
        b = candidates[best]
        a = np.array([row[b].sum() > 0 for row in left])
        found.append((a, b))
        left[np.ix_(a, b)] = 0
    return found


# --- the best of all factorisations, for a few thousand small matrices ------------------------


def best_by_sets(values, weights, k, rho=None):
    """The least error, or MIP(rho): every choice of k column sets at once, every row on its own."""
    m = values.shape[1]
    sets = np.array(binary_vectors(m))
    places = list(itertools.combinations_with_replacement(range(len(sets)), k))
    chosen = sets[np.array(places)]
    ones, zeros = np.where(values == 1, weights, 0), np.where(values == 0, weights, 0)
    price = Fraction(1 if rho is None else rho)
    best = None
    for code in itertools.product([0, 1], repeat=k):
        covers = (chosen * np.array(code)[None, :, None]).sum(axis=1)
        times = covers > 0 if rho is None else covers
        cost = price.denominator * ((covers == 0) @ ones.T) + price.numerator * (times @ zeros.T)
        best = cost if best is None else np.minimum(best, cost)
    return Fraction(int(best.sum(axis=1).min()), price.denominator)


def gain_of_choices(gains, choices, k, shifts=None):
    """What columns gain together, each in the rectangles of its choice, with the best codes.

    `shifts`, by column, rectangles of a code less one, and row, are added to all codes but the
    empty one.
    """
    total = 0
    for i, row in enumerate(gains):
        best = 0
        for code in range(1, 1 << k):
            gain = sum(int(x) for x, choice in zip(row, choices, strict=True) if code & choice)
            if shifts is not None:
                gain += sum(int(x) for x in shifts[: len(choices), code.bit_count() - 1, i])
            best = max(best, gain)
        total += best
    return total


def choices_of_columns(m, k):
    """All choices, with rectangles numbered in the order in which they get their columns."""
    for choices in itertools.product(range(1 << k), repeat=m):
        used = 0
        for choice in choices:
            fresh = choice >> used
            if fresh & (fresh + 1):
                break
            while choice >> used:
                used += 1
        else:
            yield choices


def choices_above_thresholds(gains, thresholds, k, depth, shifts=None):
    """Choices for the first columns whose gains, column by column, pass all thresholds."""
    return [
        choices
        for choices in choices_of_columns(depth, k)
        if all(
            gain_of_choices(gains[:, : t + 1], choices[: t + 1], k, shifts) >= thresholds[t]
            for t in range(depth)
        )
    ]


def choices_with_gains(gains, needed, k, shifts=None):
    """The same, with rectangles in any order."""
    level = [()]
    for u, least in enumerate(needed):
        deeper = [(*before, x) for before in level for x in range(1 << k)]
        level = [y for y in deeper if gain_of_choices(gains[:, : u + 1], y, k, shifts) >= least]
    return level
