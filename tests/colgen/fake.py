"""A small relaxation that is nothing like MLP, with every part open to sabotage.

There are six items in a row, and k of them can be served: a rectangle serves one item of those
that it covers. At prices p in [0, 1] it is worth the dearest of its items, which is no sum over
its entries, and sum(p) - k max(p) bounds the items that stay unserved, 6 - k at best.
"""

from fractions import Fraction

import numpy as np

from boolfact.colgen.relaxation import MasterSolution
from boolfact.control.executor import SERIAL
from boolfact.model.bound import Bound, Quantity
from boolfact.pricing.exact import PricingResult
from boolfact.pricing.heuristic import Priced

ITEMS = 6
SCALE = 16
NO_ROW, NO_ITEM = np.zeros(1, bool), np.zeros(ITEMS, bool)


def dearest(p, B):
    return np.where(B, p, 0).max(axis=1) if len(B) else np.zeros(0, p.dtype)


class FakePoint:
    def __init__(self, p, k):
        self.p, self.k = p, k

    def worths(self, A, B):
        return dearest(self.p, B & A)

    def largest_omega(self, value, strictly=False):
        omega = -1
        while Fraction(int(self.p.sum()) - self.k * (omega + 1), SCALE) > value or (
            not strictly and Fraction(int(self.p.sum()) - self.k * (omega + 1), SCALE) == value
        ):
            omega += 1
        return omega


class FakeMaster:
    def __init__(self, k):
        self.k, self.columns, self.purges, self.solved = k, 0, [], 0

    def solve(self, pool, tolerance, stop):
        self.solved += 1
        reached = pool.B.any(axis=0)
        self.columns = len(pool)
        served = min(int(reached.sum()), self.k)
        mu = 1.0 if reached.sum() >= self.k else 0.0
        prices = np.where(reached, mu, 1.0)
        worth = float(dearest(prices, pool.B).max(initial=0.0))
        value = float(ITEMS - served)
        return MasterSolution(value, value, np.zeros(len(pool)), prices, worth)

    def purge(self, keep):
        assert len(keep) == self.columns
        self.purges.append(keep)
        self.columns = int(keep.sum())

    def state(self):
        return None


class Fake:
    """Honest, unless a subclass says otherwise; it notes what it was asked and what it proved."""

    name, shape, on, step = "a fake", (1, ITEMS), Quantity.ERROR, Fraction(1)

    def __init__(self, k=2):
        self.k = k
        self.proved, self.masters, self.bits, self.asked = [], [], [], []

    @property
    def best(self):
        return ITEMS - min(self.k, ITEMS)

    def master(self, executor=SERIAL, start=None):
        self.masters.append(FakeMaster(self.k))
        return self.masters[-1]

    def costs(self, A, B):
        return np.zeros(len(A))

    def worths(self, prices, A, B):
        return dearest(prices, B & A)

    def value(self, prices, omega):
        return float(prices.sum()) - self.k * omega

    def find_columns(self, prices, strategy, pool, rng, executor=SERIAL):
        order = np.argsort(-prices, kind="stable")
        return Priced(prices[order], np.ones((ITEMS, 1), bool), np.eye(ITEMS, dtype=bool)[order])

    def rounded(self, prices, bits=None):
        self.bits.append(bits)
        return FakePoint(np.floor(np.clip(prices, 0, 1) * SCALE).astype(np.int64), self.k)

    def price_exactly(self, point, **asked):
        self.asked.append(asked)
        best = int(np.argmax(point.p))
        value = int(point.p[best])
        b = np.arange(ITEMS) == best
        return PricingResult(value, np.ones(1, bool), b, value, True, 1, 0.0)

    def bound(self, point, omega):
        value = Fraction(int(point.p.sum()) - self.k * omega, SCALE)
        self.proved.append(Bound(self.on, value, self.k, self.name, proof=None))
        return self.proved[-1]


def finds_nothing(upper):
    """A pricing that was cut short before it had found anything."""
    return PricingResult(0, NO_ROW, NO_ITEM, int(upper), False, 0, 0.0)
