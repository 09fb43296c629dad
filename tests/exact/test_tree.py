from fractions import Fraction

import pytest

from boolfact.exact.problem import Evaluated
from boolfact.exact.tree import Tree

PROOF = {"kind": "a proof"}


def split(bound, proof=PROOF):
    return Evaluated(Fraction(bound), proof, ("coin", 1), (1, 0))


def test_children_inherit_bounds_and_the_least_open_one_counts():
    tree = Tree(Fraction(1, 2))
    first, second = tree.settle(0, split("9/5"), Fraction(9))
    assert tree.records[first].bound == 2
    assert tree.records[first].outcome == 1
    tree.settle(first, split(4), Fraction(9))
    assert tree.bound(Fraction(9)) == 2
    tree.settle(second, split(3), Fraction(9))
    assert tree.bound(Fraction(9)) == 3
    assert tree.bound(Fraction(5, 2)) == Fraction(5, 2)
    assert tree.open_nodes(Fraction(9)) == 4
    assert tree.open_nodes(Fraction(4)) == 2


def test_a_weaker_bound_below_does_not_lower_what_is_known():
    tree = Tree(Fraction(1))
    first, _ = tree.settle(0, split(5), Fraction(9))
    tree.settle(first, split(3), Fraction(9))
    assert tree.bound(Fraction(9)) == 5


def test_a_bound_without_a_proof_does_not_count():
    tree = Tree(Fraction(1))
    tree.settle(0, split(5, proof=None), Fraction(9))
    assert tree.bound(Fraction(9)) == 0


def test_an_evaluation_cut_short_leaves_the_node_open_with_its_bound():
    tree = Tree(Fraction(1))
    first, second = tree.settle(0, split(5), Fraction(9))
    tree.settle(second, split(9), Fraction(9))
    tree.settle(first, Evaluated(Fraction(2), PROOF, complete=False), Fraction(9))
    assert tree.bound(Fraction(9)) == 5
    assert tree.choose(4, 1, Fraction(9)) == [first]
    tree.settle(first, Evaluated(Fraction(7), PROOF, complete=False), Fraction(9))
    assert tree.bound(Fraction(9)) == 7
    assert tree.choose(4, 1, Fraction(9)) == [first]


def test_a_node_that_is_neither_done_nor_split_is_a_bug():
    with pytest.raises(RuntimeError, match="was not split"):
        Tree(Fraction(1)).settle(0, Evaluated(Fraction(2), PROOF), Fraction(9))


def test_nodes_are_taken_by_bound_and_the_newest_for_a_plunge():
    tree = Tree(Fraction(1))
    a, b = tree.settle(0, split(1), Fraction(9))
    c, d = tree.settle(a, split(4), Fraction(9))
    e, f = tree.settle(b, split(2), Fraction(9))
    assert tree.choose(3, 2, Fraction(9)) == [e, f, c]
    assert tree.choose(4, 0, Fraction(9)) == [e, f, c, d]
    # Nothing is lost by choosing.
    assert tree.choose(4, 0, Fraction(9)) == [e, f, c, d]
    assert tree.bound(Fraction(9)) == 2


def test_choosing_closes_what_reaches_the_cutoff():
    tree = Tree(Fraction(1))
    a, b = tree.settle(0, split(3), Fraction(9))
    assert tree.choose(4, 1, Fraction(3)) == []
    assert not tree.records[a].is_open
    assert not tree.records[b].is_open
    assert tree.bound(Fraction(3)) == 3


def test_the_document_has_no_more_than_the_bound_needs():
    tree = Tree(Fraction(1))
    a, b = tree.settle(0, split(1), Fraction(9))
    tree.settle(a, split(4), Fraction(9))
    tree.settle(b, split(2, {"kind": "another"}), Fraction(9))
    expected = [
        {"split": ["coin", 1], "children": [1, 2]},
        {"proof": {"kind": "another"}},
        {"proof": PROOF},
    ]
    assert tree.document(Fraction(2)) == expected
    assert tree.document(Fraction(1)) == [{"proof": PROOF}]
    tree.forget(Fraction(2))
    assert tree.document(Fraction(2)) == expected
    with pytest.raises(RuntimeError, match="nothing proves"):
        tree.document(Fraction(3))
