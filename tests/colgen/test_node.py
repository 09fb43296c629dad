"""Nodes: what is decided changes bounds as it changes the best factorisation."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from boolfact.colgen.loop import generate_columns
from boolfact.colgen.mlp.relaxation import MLP
from boolfact.colgen.node import ROOT, Node, decide
from boolfact.control.ending import Ending
from boolfact.model.bound import Quantity
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.rectangles import RectanglePool
from boolfact.pricing.exact import price_exact

import naive
from strategies import matrices


@st.composite
def nodes(draw, max_side=3, max_decisions=4):
    matrix = draw(matrices(max_side))
    entries = [tuple(int(x) for x in e) for e in np.argwhere(matrix.weights > 0)]
    assume(entries)
    chosen = draw(st.lists(st.sampled_from(entries), max_size=max_decisions, unique=True))
    covered = draw(st.sets(st.sampled_from(chosen))) if chosen else set()
    return matrix, Node(frozenset(covered), frozenset(set(chosen) - covered))


def keeps_to(node, product):
    return all(product[e] for e in node.covered) and not any(product[e] for e in node.uncovered)


def best_at(matrix, node, k, rho, on):
    """The least value of a factorisation that keeps to the decisions; None if there is none."""
    n, m = matrix.shape
    covers = [np.zeros((n, m), dtype=int)]
    covers += [np.outer(a, b).astype(int) for a, b in naive.all_rectangles(n, m)]
    best = None
    for chosen in itertools.combinations_with_replacement(covers, k):
        times = sum(chosen)
        if not keeps_to(node, times > 0):
            continue
        paid = np.minimum(times, 1) if on is Quantity.ERROR else times
        price = 1 if on is Quantity.ERROR else rho
        value = int(matrix.weights[matrix.ones & (times == 0)].sum())
        value += price * int((matrix.weights * paid)[~matrix.ones].sum())
        best = value if best is None else min(best, value)
    return best


@given(nodes(), st.integers(1, 2), st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(2, 3)]))
@settings(max_examples=150, deadline=None)
def test_a_bound_at_a_node_holds_for_every_factorisation_that_keeps_to_it(case, k, rho):
    matrix, node = case
    result = generate_columns(MLP(matrix, k, rho, node=node))
    best = best_at(matrix, node, k, rho, Quantity.OBJECTIVE)
    assert result.bound.on is Quantity.OBJECTIVE
    assert best is None or result.bound.value <= best
    assert result.is_optimal
    assert (result.bound.node is None) == node.is_root


@pytest.mark.parametrize("formulation", ["rho", "exact"])
@given(case=nodes(), k=st.integers(1, 2))
@settings(max_examples=80, deadline=None)
def test_a_bound_on_the_error_at_a_node_pays_a_covered_zero_in_full(formulation, case, k):
    matrix, node = case
    relaxation = MLP(
        matrix, k, Fraction(1, k), on=Quantity.ERROR, node=node, formulation=formulation
    )
    result = generate_columns(relaxation)
    best = best_at(matrix, node, k, Fraction(1, k), Quantity.ERROR)
    assert best is None or result.bound.rounded <= best
    assert result.is_optimal
    paid = [e for e in node.covered if not matrix.ones[e]]
    paid += [e for e in node.uncovered if matrix.ones[e]]
    assert result.bound.value >= sum(int(matrix.weights[e]) for e in paid) - 1e-4


@pytest.mark.parametrize("master", ["interior", "smoothed", "simplex", "ipm"])
@given(case=nodes(), k=st.integers(1, 2), data=st.data())
@settings(max_examples=20, deadline=None)
def test_every_master_has_the_value_of_the_changed_problem(master, case, k, data):
    """Also where the pool holds rectangles that the node bars."""
    matrix, node = case
    rectangles = naive.all_rectangles(*matrix.shape)
    pool = RectanglePool(*matrix.shape)
    pool.extend(data.draw(st.lists(st.sampled_from(rectangles), max_size=6)))
    result = generate_columns(MLP(matrix, k, master=master, node=node), pool=pool)
    left = decide(matrix, node, Fraction(1), Fraction(1))
    z = float(left.constant) + naive.mlp(left.matrix.values, left.matrix.weights, k, 1, rectangles)
    assert result.bound.value <= z + 1e-6 * max(1.0, z)
    if master != "smoothed":
        assert result.master_value == pytest.approx(z, rel=2e-5, abs=2e-5)


@given(nodes(), st.integers(1, 2), st.data())
@settings(max_examples=80, deadline=None)
def test_exact_pricing_knows_that_barred_entries_are_out(case, k, data):
    matrix, node = case
    relaxation = MLP(matrix, k, node=node)
    limits = np.where(relaxation.matrix.ones, relaxation.matrix.weights, 0)
    share = data.draw(st.floats(0, 1))
    point = relaxation.rounded(share * limits - np.where(limits, 0, relaxation.matrix.weights))
    result = relaxation.price_exactly(point)
    assert result.upper_bound == price_exact(point.H).value
    assert not any(result.a[i] and result.b[j] for i, j in node.uncovered)


@given(nodes(max_decisions=2), st.data())
@settings(max_examples=40, deadline=None)
def test_children_together_are_their_parent(case, data):
    matrix, node = case
    free = [
        (int(i), int(j))
        for i, j in np.argwhere(matrix.weights > 0)
        if (i, j) not in node.covered | node.uncovered
    ]
    assume(free)
    entry = data.draw(st.sampled_from(free))
    values = [
        best_at(matrix, child, 1, Fraction(1), Quantity.OBJECTIVE)
        for child in (node, node.cover(entry), node.leave(entry))
    ]
    known = [value for value in values[1:] if value is not None]
    assert values[0] == min(known, default=None)


def test_the_root_changes_nothing_and_costs_nothing():
    matrix = BinaryMatrix(np.array([[1, 0], [1, 1]], dtype=np.int8))
    left = decide(matrix, ROOT, Fraction(1, 2), Fraction(1))
    assert left.matrix is matrix
    assert left.constant == 0
    assert not left.barred.any()


def test_decisions_bind():
    """Of the 2 x 2 identity one rectangle covers one entry; with (1, 1) decided that one."""
    matrix = BinaryMatrix(np.eye(2, dtype=np.int8), np.array([[5, 1], [1, 2]]))
    free = generate_columns(MLP(matrix, 1))
    bound = generate_columns(MLP(matrix, 1, node=ROOT.cover((1, 1)).leave((0, 1))))
    assert (free.bound.rounded, bound.bound.rounded) == (2, 3 + 2)
    assert bound.ending is Ending.PROVED


def test_impossible_decisions_are_refused():
    matrix = BinaryMatrix(np.array([[1, -1], [0, 1]], dtype=np.int8))
    with pytest.raises(ValueError, match=r"entry \(0, 0\) cannot be covered and uncovered"):
        Node(frozenset({(0, 0)}), frozenset({(0, 0)}))
    with pytest.raises(ValueError, match=r"entry \(0, 1\) is missing"):
        MLP(matrix, 1, node=ROOT.cover((0, 1)))
    with pytest.raises(ValueError, match=r"entry \(2, 0\) is outside of a matrix of 2 rows"):
        MLP(matrix, 1, node=ROOT.leave((2, 0)))
