"""Prices of the ones: each check has a case, right in all else, that only this check refuses."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest

from boolfact.certificate.kinds.checker import Request
from boolfact.certificate.kinds.mlp import check_mlp
from boolfact.certificate.reading import MOST_WHOLE, CertificateError, Reduced
from boolfact.certificate.verdict import State
from boolfact.control.progress import silent
from boolfact.model.bound import Quantity

VALUES = np.array([[1, 1, 0], [0, 1, 1], [1, -1, 0]], dtype=np.int8)
WEIGHTS = np.array([[1, 2, 1], [1, 2, 3], [1, 0, 1]])
PRICES = [[0, 0, 2], [0, 1, 4], [1, 1, 4], [1, 2, 6], [2, 0, 2]]
"""All that a scale of 2 allows."""
OMEGA = 12
"""Rows 0 and 1 with columns 1 and 2: prices of 14, less 2 for each unit of zeros, times rho."""


def entry(p=PRICES, omega=OMEGA, k=1, scale=2, rho=Fraction(1), on="objective", **more):
    """An entry whose figures follow from one another, whatever they are."""
    value = Fraction(sum(x for *_, x in p) - k * omega, scale)
    parts = rho.denominator if on == "objective" else 1
    rounded = max(Fraction(0), Fraction(math.ceil(value * parts), parts))
    figures = {"bound": str(value), "rounded": str(rounded)}
    return {
        "kind": "mlp", "on": on, "relaxation": "by hand", "rho": str(rho), "scale": scale,
        "p": p, "omega_bound": omega, **figures, **more,
    }  # fmt: skip


def check(document, k=1, values=VALUES, weights=WEIGHTS, seconds=60.0):
    data = Reduced(np.asarray(values, dtype=np.int8), np.asarray(weights, dtype=np.int64))
    return check_mlp(Request("bound 1", document, k, data, seconds, silent))


def largest():
    """The worth of the best rectangle, by trying all of them."""
    H = np.where(VALUES == 0, -2 * WEIGHTS, 0)
    for i, j, x in PRICES:
        H[i, j] = x
    best = 0
    for a in range(8):
        for b in range(8):
            rows, columns = ([u for u in range(3) if bits >> u & 1] for bits in (a, b))
            best = max(best, int(H[np.ix_(rows, columns)].sum()))
    return best


def test_the_figures_of_this_page():
    assert largest() == OMEGA


def test_an_omega_is_what_the_best_rectangle_is_worth():
    checked = check(entry())
    assert [c.state for c in checked.checks] == [State.PASSED, State.PASSED]
    (bound,) = checked.bounds
    assert (bound.on, bound.rho, bound.k, bound.value) == (Quantity.OBJECTIVE, 1, 1, 3)
    assert bound.confirmed
    low = check(entry(omega=11))
    assert [c.state for c in low.checks] == [State.PASSED, State.FAILED]
    assert low.bounds == ()
    assert "a rectangle is worth 6, more than 5.5" in low.checks[1].message


def refused(document, message, **more):
    with pytest.raises(CertificateError, match=re.escape(message)):
        check(document, **more)


def priced(place, by):
    p = [list(triple) for triple in PRICES]
    p[place][2] += by
    return p


@pytest.mark.parametrize("place", range(len(PRICES)))
def test_a_price_is_at_most_weight_times_scale(place):
    i, j, most = PRICES[place]
    refused(
        entry(priced(place, 1)),
        f"p is {most + 1} at ({i}, {j}), above weight times scale = {most}",
    )
    assert check(entry(priced(place, -1))).checks[1].state is State.PASSED


@pytest.mark.parametrize("where", [(0, 2), (1, 0), (2, 1), (3, 0), (0, 3), (99, 99)])
def test_prices_are_of_ones(where):
    refused(entry([*PRICES, [*where, 0]]), f"an entry at {where}, which is not a one")


def test_prices_are_whole_and_counted_once():
    refused(entry([*PRICES, PRICES[0]]), "p has two entries at (0, 0)")
    refused(entry([*PRICES[1:], [0, 0, -1]]), "an entry of p must be at least 0, got -1")
    refused(entry([*PRICES[1:], [-3, 0, 2]]), "an entry of p must be at least 0, got -3")
    refused(entry([*PRICES[1:], [0, 0, 1, 1]]), "a triple of p must be a list of 3")
    assert check(entry([*PRICES[1:], [0, 0, 0]])).checks[1].state is State.PASSED


def test_a_bound_on_the_error_needs_a_small_rho():
    half = Fraction(1, 2)
    for k, rho in ((2, half), (1, Fraction(1)), (3, Fraction(1, 3))):
        document = entry([], omega=0, k=k, rho=rho, scale=6, on="error")
        assert check(document, k).bounds[0].on is Quantity.ERROR
    for k, rho in ((3, half), (2, Fraction(51, 100)), (1, Fraction(2))):
        document = entry([], omega=0, k=k, rho=rho, scale=100, on="error")
        refused(document, f"a bound on the error needs rho <= 1/{k}, got {rho}", k=k)
    assert check(entry([], omega=0, k=3, rho=half), 3).bounds[0].on is Quantity.OBJECTIVE


@pytest.mark.parametrize("rho", [Fraction(0), Fraction(-1)])
def test_rho_is_positive(rho):
    refused(entry([], omega=0, rho=rho), f"rho must be positive, got {rho}")


def test_scale_times_rho_is_whole():
    message = "scale times rho must be whole, got 2 and 1/3"
    refused(entry([], omega=0, rho=Fraction(1, 3)), message)
    refused(entry([], omega=0, scale=-1), "scale must be at least 1, got -1")


def test_every_figure_follows():
    for name, by in (("bound", Fraction(1, 2)), ("rounded", 1)):
        for sign in (1, -1):
            document = entry()
            document[name] = str(Fraction(document[name]) + sign * by)
            refused(document, f"{name} must be")
    refused(entry(note="x"), "fields that kind mlp does not have: note")
    refused(entry(omega=-1), "omega_bound must be at least 0, got -1")
    # The value of a bound below 0 stands as it is; rounded it is 0.
    assert entry([], omega=3)["rounded"] == "0"
    assert check(entry([], omega=3)).bounds[0].value == Fraction(-3, 2)


def test_figures_stay_within_64_bits():
    """Prices together, and zeros together at what one costs: each below 2^62."""
    half = MOST_WHOLE // 2
    too_large = "the figures are too large"
    for last, fits in ((half - 1, True), (half, False)):
        document = entry([[0, 0, half], [0, 1, last]], omega=0, scale=1)
        data = {"values": [[1, 1]], "weights": [[half, half]]}
        if fits:
            assert check(document, **data).checks[1].state is State.FAILED
        else:
            refused(document, too_large, **data)
        # The ones do not count here, whatever they weigh.
        data = {"values": [[0, 0, 1]], "weights": [[half // 2, last // 2, half]]}
        document = entry([], omega=0, scale=1, rho=Fraction(2))
        if fits:
            assert check(document, **data).checks[1].state is State.PASSED
        else:
            refused(document, too_large, **data)
    # What would begin anew in 64 bits: 8 times 2^61 is 0 there.
    data = {"values": [[1, 0]], "weights": [[1, 2**61]]}
    refused(entry([], omega=0, scale=8), too_large, **data)


def test_figures_beyond_the_search_are_not_confirmed():
    """Prices and zeros that fit, but not together: what is proved is the sum of all prices."""
    half = MOST_WHOLE // 2
    data = {"values": [[1, 0]], "weights": [[half, half]]}
    checked = check(entry([[0, 0, half]], omega=half - 1, scale=1), **data)
    assert checked.checks[1].state is State.NOT_CHECKED
    assert [(b.confirmed, b.value) for b in checked.bounds] == [(True, 0), (False, 1)]
