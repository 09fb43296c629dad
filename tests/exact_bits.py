"""A small problem for the tree: choose bits, one after the other, at a cost for each pair.

Its bounds are weak on purpose, so that there is a tree. It runs as a program too: a search that
can be killed.
"""

from __future__ import annotations

import itertools
import json
import sys
import time
from fractions import Fraction

import numpy as np

from boolfact.control.stop import Stop
from boolfact.exact.checkpoint import Checkpoint, read_checkpoint, resume
from boolfact.exact.problem import Evaluated
from boolfact.exact.search import Search
from boolfact.model.bound import Quantity
from boolfact.model.factors import Factors


class Bits:
    """Minimise offset + sum of costs[i, j] over pairs of bits that are both 1."""

    on = Quantity.ERROR
    step = Fraction(1)

    def __init__(self, size, seed, pause=0.0):
        rng = np.random.default_rng(seed)
        self.costs = np.triu(rng.integers(-6, 7, size=(size, size)))
        self.offset = -int(self.costs[self.costs < 0].sum())
        self.pause = pause
        self.evaluated = 0
        self.learnt = []

    @property
    def about(self):
        return {"digest": str(self.costs.tolist()), "k": 1, "objective": "error", "rho": "1"}

    def cost(self, bits):
        return self.offset + int(bits @ self.costs @ bits)

    def value(self, factors):
        return Fraction(self.cost(factors.B[0].astype(int)))

    def factors(self, bits):
        return Factors(np.ones((1, 1)), np.array([bits], dtype=bool))

    def best(self):
        size = len(self.costs)
        return min(self.cost(np.array(bits)) for bits in itertools.product((0, 1), repeat=size))

    def bound(self, fixed):
        """Costs of fixed pairs, and of the others whatever is negative."""
        total = self.offset
        for i, j in zip(*np.nonzero(self.costs), strict=True):
            states = {fixed.get(int(i)), fixed.get(int(j))}
            if 0 not in states:
                total += self.costs[i, j] if None not in states else min(0, self.costs[i, j])
        return int(total)

    def evaluate(self, node, cutoff, stop, executor):
        time.sleep(self.pause)
        if stop.now():
            return Evaluated(Fraction(0), complete=False)
        fixed = {split[1]: outcome for split, outcome in node.path}
        bound = self.bound(fixed)
        bits = np.array([fixed.get(i, 0) for i in range(len(self.costs))])
        free = [i for i in range(len(self.costs)) if i not in fixed]
        return Evaluated(
            # A share of a step less: bounds are rounded up.
            Fraction(bound) - Fraction(1, 3),
            {"fixed": sorted(fixed.items()), "bound": bound},
            ("bit", free[0]) if free else None,
            (1, 0) if free else (),
            warm=len(fixed),
            factors=self.factors(bits),
            news=len(fixed),
        )

    def absorb(self, news):
        self.learnt.append(news)

    def state(self):
        return self.learnt

    def restore(self, state):
        self.learnt = list(state)


def check(document, problem, place=0, path=()):
    """The bound that the document of a tree proves, by adding up its leaves again."""
    node = document[place]
    if "proof" in node:
        fixed = dict(path)
        assert node["proof"]["bound"] == problem.bound(fixed)
        return problem.bound(fixed)
    kind, bit = node["split"]
    assert kind == "bit"
    assert len(node["children"]) == 2
    return min(
        check(document, problem, child, (*path, (bit, outcome)))
        for outcome, child in enumerate(node["children"])
    )


def main(size, seed, path, goes_on):
    problem = Bits(int(size), int(seed), pause=0.002)
    search = Search(problem, problem.factors(np.zeros(int(size))))
    if goes_on == "yes":
        resume(search, read_checkpoint(path, problem.about))
    checkpoint = Checkpoint(path, problem.about, seconds=0.05)
    ending = search.run(Stop(), after_batch=lambda: checkpoint.now_and_then(search))
    checkpoint.write(search)
    found = {"ending": ending.value, "value": int(search.value), "nodes": search.nodes}
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
