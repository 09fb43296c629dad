import itertools
from fractions import Fraction

import numpy as np
import pytest

from boolfact.colgen.node import ROOT, Node, decide
from boolfact.control.stop import Stop
from boolfact.exact.decisions import Slot
from boolfact.exact.slots import ClassMatrix, solve_slots
from boolfact.model.matrix import BinaryMatrix
from boolfact.pricing.exact import price_exact

import naive


def members(slot, n, m):
    """The rectangles of a class."""
    for a, b in naive.all_rectangles(n, m):
        if slot is None or (
            all(a[i] for i in slot.rows)
            and all(b[j] for j in slot.columns)
            and not any(a[i] for i in slot.no_rows)
            and not any(b[j] for j in slot.no_columns)
        ):
            yield a, b


def random_slot(rng, n, m):
    rows, columns = rng.permutation(n).tolist(), rng.permutation(m).tolist()
    i, o = 1 + int(rng.integers(n)), int(rng.integers(n))
    j, p = 1 + int(rng.integers(m)), int(rng.integers(m))
    return Slot(
        frozenset(rows[:i]), frozenset(columns[:j]), frozenset(rows[i : i + o]),
        frozenset(columns[j : j + p]),
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(150))
def test_a_class_is_priced_as_if_its_members_were_written_out(seed):
    rng = np.random.default_rng(seed)
    n, m = (int(x) for x in rng.integers(1, 5, size=2))
    H = rng.integers(-9, 10, size=(n, m))
    slot = None if seed % 5 == 0 else random_slot(rng, n, m)
    best = max((int(H[np.ix_(a, b)].sum()) for a, b in members(slot, n, m)), default=0)
    small = ClassMatrix.of(H, slot)
    result = price_exact(small.H)
    worth = result.upper_bound - small.raised
    assert worth == (max(0, best) if slot is None else best)
    a, b = small.lift(result.a, result.b)
    assert int(H[np.ix_(a, b)].sum()) == worth
    if slot is not None:
        assert slot.contains(a[None], b[None])[0]


def cost_of(matrix, rectangles, rho):
    counts = sum(np.outer(a, b).astype(int) for a, b in rectangles)
    uncovered = matrix.weights[matrix.ones & (counts == 0)].sum()
    return int(uncovered) + rho * int((matrix.weights * counts)[~matrix.ones].sum())


@pytest.mark.parametrize("seed", range(60))
def test_the_bound_holds_for_every_choice_that_keeps_to_the_classes(seed):
    rng = np.random.default_rng(seed)
    n, m, k = 3, 3, 2
    values = rng.choice([0, 1, -1], size=(n, m), p=[0.35, 0.55, 0.1]).astype(np.int8)
    matrix = BinaryMatrix(values, rng.integers(1, 4, size=(n, m)))
    rho = [Fraction(1), Fraction(1, 2), Fraction(19, 20)][seed % 3]
    slots = tuple(random_slot(rng, n, m) for _ in range(int(rng.integers(1, k + 1))))
    left = decide(matrix, ROOT, rho, rho)
    nothing = (np.zeros((0, n), dtype=bool), np.zeros((0, m), dtype=bool))
    solution = solve_slots(left, k, rho, slots, nothing, Fraction(10**6), Stop())
    everything = [*naive.all_rectangles(n, m), (np.zeros(n, dtype=bool), np.zeros(m, dtype=bool))]
    classes = [list(members(slot, n, m)) for slot in slots] + [everything] * (k - len(slots))
    best = min(cost_of(matrix, chosen, rho) for chosen in itertools.product(*classes))
    assert solution.complete
    assert solution.value <= best
    # The proof adds up to the value.
    dual, times = solution.dual, [1] * len(slots) + [k - len(slots)]
    off = sum(t * omega for t, omega in zip(times, solution.omegas, strict=True))
    assert solution.value == Fraction(dual.total - off, dual.scale)


@pytest.mark.parametrize("seed", range(40))
def test_with_everything_decided_the_bound_is_the_cost(seed):
    rng = np.random.default_rng(seed)
    n, m, k = 3, 4, 2
    matrix = BinaryMatrix(rng.integers(0, 2, size=(n, m)), rng.integers(1, 4, size=(n, m)))
    chosen = []
    for _ in range(k):
        a, b = rng.random(n) < 0.5, rng.random(m) < 0.5
        a[int(rng.integers(n))] = b[int(rng.integers(m))] = True
        chosen.append((a, b))
    slots = tuple(
        Slot(*(frozenset(np.flatnonzero(x).tolist()) for x in (a, b, ~a, ~b))) for a, b in chosen
    )
    covers = np.any([np.outer(a, b) for a, b in chosen], axis=0)
    open_entries = [(int(i), int(j)) for i, j in np.argwhere(~covers)]
    node = Node(uncovered=frozenset(open_entries[: seed % 3]))
    left = decide(matrix, node, Fraction(1), Fraction(1))
    nothing = (np.zeros((0, n), dtype=bool), np.zeros((0, m), dtype=bool))
    solution = solve_slots(left, k, Fraction(1), slots, nothing, Fraction(10**6), Stop())
    cost = cost_of(matrix, chosen, Fraction(1))
    assert cost - Fraction(1, 100) < solution.value <= cost
