"""Leaves by prices: the matrix of a class of rectangles, and checks that nothing else makes."""

import itertools
import re
from fractions import Fraction

import numpy as np
import pytest

from boolfact.certificate.reading import MOST_WHOLE, CertificateError, Reduced
from boolfact.certificate.tree.decisions import Named, Path
from boolfact.certificate.tree.leaf import _class_matrix, read_leaf

import naive


def some(rng, size, chance):
    return frozenset(np.flatnonzero(rng.random(size) < chance).tolist())


def best_of_class(H, barred, named):
    """The most that a rectangle of the class is worth, by trying all of them."""
    n, m = H.shape
    best = None
    for a in itertools.product([False, True], repeat=n):
        rows = {i for i in range(n) if a[i]}
        if named and not (named.rows <= rows and not rows & named.no_rows):
            continue
        for b in itertools.product([False, True], repeat=m):
            columns = {j for j in range(m) if b[j]}
            if named and not (named.columns <= columns and not columns & named.no_columns):
                continue
            inside = np.ix_(a, b)
            if not barred[inside].any():
                worth = int(H[inside].sum())
                best = worth if best is None else max(best, worth)
    return best


@pytest.mark.parametrize("seed", range(60))
def test_the_matrix_of_a_class_has_its_best_rectangle(seed):
    rng = np.random.default_rng(seed)
    n, m = (int(x) for x in rng.integers(1, 5, 2))
    barred = rng.random((n, m)) < rng.choice([0, 0.2, 0.5])
    H = np.where(barred, 0, rng.integers(-6, 7, (n, m)))
    named = None
    if seed % 3:
        rows, columns = some(rng, n, 0.4) or {0}, some(rng, m, 0.4) or {m - 1}
        named = Named(
            frozenset(rows),
            frozenset(columns),
            some(rng, n, 0.3) - frozenset(rows),
            some(rng, m, 0.3) - frozenset(columns),
        )
        barred[np.ix_(sorted(rows), sorted(columns))] = False
    small, raised = _class_matrix(H, barred, named)
    expected = best_of_class(H, barred, named)
    assert expected is not None
    assert naive.largest_worth(small) == expected + raised
    assert raised == 0 or named is not None


def test_figures_of_a_class_fit_into_64_bits():
    half = MOST_WHOLE // 2
    none = np.zeros((1, 2), dtype=bool)
    small, _ = _class_matrix(np.array([[half, 1 - half]]), none, None)
    assert small.tolist() == [[half, 1 - half]]
    with pytest.raises(CertificateError, match="the figures are too large"):
        _class_matrix(np.array([[half, -half]]), none, None)


VALUES = np.array([[1, 0, 1], [1, 1, 0]], dtype=np.int8)
WEIGHTS = np.array([[1, 2, 3], [1, 1, 1]])
ROOT = Path(2, (2, 3))
FULL = [2, 6, 2, 2]
"""The prices that a scale of 2 allows, row by row."""


def leaf(bound, p=0, omegas=(8,), scale=2, rho="1", **more):
    return {
        "kind": "mlp", "rho": rho, "scale": scale, "p": p, "omegas": list(omegas),
        "bound": str(bound), **more,
    }  # fmt: skip


def read(proof, arrays=(FULL,), path=ROOT, rho=Fraction(1), weights=WEIGHTS):
    data = Reduced(VALUES, np.array(weights))
    return read_leaf(proof, [list(array) for array in arrays], path, data, rho)


def refused(message, *given, **more):
    with pytest.raises(CertificateError, match=f"^{re.escape(message)}"):
        read(*given, **more)


def test_a_leaf_without_a_named_rectangle():
    found = read(leaf(Fraction(12 - 2 * 5, 2), omegas=[5]))
    ((H, limit),) = found.limits
    assert H.tolist() == [[2, -4, 6], [2, 2, -2]]
    assert (limit, found.times, found.total, found.scale) == (5, [2], 12, 2)
    assert found.value([3]) == 3


def test_named_rectangles_take_their_omega_once():
    one = Named(frozenset({0}), frozenset({2}))
    path = Path(3, (2, 3), named=(one,))
    found = read(leaf(Fraction(12 - 9 - 2 * 4, 2), omegas=[9, 4]), path=path)
    assert found.times == [1, 2]
    (_, first), (_, second) = found.limits
    assert (first - found.raised[0], second) == (9, 4)
    assert found.value([first - 1, second]) == -2
    # All are named: there is no other, so its omega is 0 and nothing is to be proved.
    path = Path(1, (2, 3), named=(one,))
    assert len(read(leaf(Fraction(12 - 9, 2), omegas=[9, 0]), path=path).limits) == 1
    message = "omegas must be one for each named rectangle and one for the others"
    refused(message, leaf(Fraction(12 - 9, 2), omegas=[9, 1]), path=path)
    refused(message, leaf(Fraction(12 - 9, 2), omegas=[9]), path=path)
    refused(message, leaf(Fraction(12 - 9, 2), omegas=[9, 0, 0]), path=path)
    # A named one may be worth less than nothing, the others may not.
    assert read(leaf(Fraction(13, 2), omegas=[-1, 0]), path=path).value
    refused(message, leaf(7, omegas=[-1]))


def test_an_omega_below_what_its_own_entries_are_worth():
    one = Named(frozenset({0}), frozenset({1}))
    path = Path(1, (2, 3), named=(one,))
    assert read(leaf(Fraction(16, 2), omegas=[-4, 0]), path=path).total == 12
    refused(
        "an omega is less than what a rectangle is worth",
        leaf(Fraction(112, 2), omegas=[-100, 0]),
        path=path,
    )


def test_every_figure_of_a_leaf():
    assert read(leaf(-2)).value([8]) == -2
    refused("the bound of a leaf must be -2, got -1", leaf(-1))
    refused("a proof by mlp must have bound, kind, omegas, p, rho, scale", leaf(-2, note="x"))
    refused("rho of a leaf must be 1, got 1/2", leaf(-2, rho="1/2"))
    refused("rho of a leaf must be 1, got 2", leaf(-2, rho="2"))
    refused("scale times rho must be whole, got 3 and 1/2", leaf(-2, rho="1/2", scale=3), rho=None)
    refused("rho of a leaf must be at most 1/2, got 0", leaf(-2, rho="0"), rho=None)
    refused("rho of a leaf must be at most 1/2, got -1", leaf(-2, rho="-1"), rho=None)
    refused("rho of a leaf must be at most 1/2, got 2/3", leaf(-2, rho="2/3", scale=3), rho=None)
    assert read(leaf(-2, rho="1/2"), rho=None).limits[0][0].tolist() == [[2, -2, 6], [2, 2, -1]]
    assert read(leaf(-2, p=1), arrays=([], FULL)).total == 12
    refused("there is no array 1", leaf(-2, p=1))
    refused("the number of an array must be at least 0, got -1", leaf(-2, p=-1))
    refused("scale must be at least 1, got 0", leaf(-2, scale=0))


@pytest.mark.parametrize("place", range(4))
def test_prices_of_a_leaf_are_at_most_weight_times_scale(place):
    dear = list(FULL)
    dear[place] += 1
    i, j = np.argwhere(VALUES == 1)[place]
    refused(f"p is {dear[place]} at ({i}, {j}), above", leaf(Fraction(-3, 2)), arrays=[dear])
    # A one that must be covered may cost anything; one that is paid for costs nothing more.
    covered = Path(2, (2, 3), covered=frozenset({(int(i), int(j))}))
    assert read(leaf(Fraction(-3, 2)), arrays=[dear], path=covered).total == 13
    paid = Path(2, (2, 3), uncovered=frozenset({(int(i), int(j))}))
    refused(f"p is {FULL[place]} at ({i}, {j}), which is paid for", leaf(0), path=paid)
    cheap = list(FULL)
    cheap[place] = 0
    value = Fraction(sum(cheap) - 16, 2) + int(WEIGHTS[i, j])
    assert read(leaf(value), arrays=[cheap], path=paid).constant == int(WEIGHTS[i, j])


def test_there_is_a_price_for_each_one():
    for wrong in (FULL[:3], [*FULL, 0], []):
        refused(f"p must have a price for each of 4 ones, got {len(wrong)}", leaf(0), [wrong])


def test_a_covered_zero_costs_rho_or_one():
    path = Path(2, (2, 3), covered=frozenset({(0, 1)}))
    third = Fraction(1, 3)
    value = Fraction(0 - 16, 3)
    on_objective = leaf(value + 2 * third, scale=3, rho="1/3")
    assert read(on_objective, [[0] * 4], path, third).constant == 2 * third
    assert read(leaf(value + 2, scale=3, rho="1/3"), [[0] * 4], path, None).constant == 2


def test_figures_of_a_leaf_fit_into_64_bits():
    half = MOST_WHOLE // 2
    for last, fits in ((half - 1, True), (half, False)):
        weights = [[1, half - 1, 1], [1, 1, last - half + 1]]
        # Zeros of half - 1 and of 0 or 1, at a price of 2.
        proof = leaf(0, omegas=[0], scale=2)
        if fits:
            assert read(proof, [[0] * 4], weights=weights).value([0]) == 0
        else:
            refused("the figures are too large", proof, [[0] * 4], weights=weights)
    weights = [[half, 1, half], [1, 1, 1]]
    for last, fits in ((half - 9, True), (half, False)):
        total = half + last
        proof = leaf(Fraction(total), omegas=[0], scale=1)
        if fits:
            assert read(proof, [[half, last, 0, 0]], weights=weights).total == total
        else:
            refused("the figures are too large", proof, [[half, last, 0, 0]], weights=weights)
    # What would begin anew in 64 bits: 8 times 2^61 is 0 there.
    weights = [[1, 2**61, 1], [1, 1, 1]]
    refused("the figures are too large", leaf(0, omegas=[0], scale=8), [[0] * 4], weights=weights)
