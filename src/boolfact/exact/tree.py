"""The tree: nodes that are open, split or closed, what was proved of each, and what to keep.

The bound of the tree is the least bound of an open node, or the value of the best solution where
that is less. A closed node has a bound that was at least the value of the best solution when it
was closed; that value only falls.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from boolfact.exact.problem import Evaluated, Split, TreeNode

__all__ = ["Record", "Tree"]


@dataclass
class Record:
    """One node of the tree.

    Attributes
    ----------
    parent : int
        Its number, -1 for the root.
    outcome : int
        Of the split of the parent.
    bound : Fraction
        The best bound that is proved here or above, rounded up.
    proof : dict or None
        What proves it, where it was proved here and may still be of use.
    proved : Fraction
        What `proof` proves, rounded up.
    split : Split or None
        None while open, and once closed.
    warm : object
        Where its evaluation begins, then where those of its children do.
    is_open : bool
    """

    parent: int
    outcome: int
    bound: Fraction
    proof: dict[str, Any] | None = None
    proved: Fraction = Fraction(0)
    split: Split | None = None
    warm: Any = None
    is_open: bool = True


class Tree:
    """Nodes in the order in which they came; children come after their parents.

    Parameters
    ----------
    step : Fraction
        Values are multiples of it, so bounds are rounded up to one.

    Examples
    --------
    >>> tree = Tree(Fraction(1))
    >>> tree.settle(0, Evaluated(Fraction(5, 2), {}, ("coin",), (1, 0)), Fraction(9))
    [2, 1]
    >>> tree.bound(Fraction(9)), tree.node(2).path
    (Fraction(3, 1), ((('coin',), 1),))
    """

    def __init__(self, step: Fraction, warm: Any = None) -> None:
        self.step = step
        self.records = [Record(-1, 0, Fraction(0), warm=warm)]
        self._heap: list[tuple[Fraction, int, int]] = [(Fraction(0), 0, 0)]
        self._depths = [0]

    @classmethod
    def of(cls, step: Fraction, records: list[Record]) -> Tree:
        """A tree from its records."""
        tree = cls(step)
        tree.records = records
        tree._depths = []
        for record in records:
            tree._depths.append(0 if record.parent < 0 else tree._depths[record.parent] + 1)
        tree._heap = []
        for u, record in enumerate(records):
            if record.is_open:
                tree._push(u)
        return tree

    def rounded(self, value: Fraction) -> Fraction:
        """The least possible value that is not below this one."""
        return max(Fraction(0), math.ceil(value / self.step) * self.step)

    def node(self, number: int) -> TreeNode:
        """A node as plain data."""
        record = self.records[number]
        path = []
        u = number
        while self.records[u].parent >= 0:
            above = self.records[self.records[u].parent]
            assert above.split is not None
            path.append((above.split, self.records[u].outcome))
            u = self.records[u].parent
        return TreeNode(tuple(reversed(path)), record.bound, record.warm)

    def open_nodes(self, cutoff: Fraction) -> int:
        """How many nodes are open that could have something better than the cutoff."""
        return sum(r.is_open and r.bound < cutoff for r in self.records)

    def bound(self, cutoff: Fraction) -> Fraction:
        """What is proved of the whole problem, if a solution of value `cutoff` is known."""
        while self._heap and not self._is_current(self._heap[0]):
            heapq.heappop(self._heap)
        return min(self._heap[0][0], cutoff) if self._heap else cutoff

    def choose(self, size: int, plunging: int, cutoff: Fraction) -> list[int]:
        """The nodes to evaluate next: of least bound, and the newest ones to plunge.

        Parameters
        ----------
        size : int
        plunging : int
            How many of them are the newest, rather than those of least bound.
        cutoff : Fraction
            Nodes that reach it are closed.
        """
        chosen: list[int] = []
        looked_at = []
        while self._heap and len(chosen) < size - plunging:
            item = heapq.heappop(self._heap)
            if not self._is_current(item):
                continue
            if item[0] >= cutoff:
                self.records[-item[2]].is_open = False
                continue
            # They stay on the heap until they are settled: the bound holds at any moment.
            looked_at.append(item)
            if -item[2] not in chosen:
                chosen.append(-item[2])
        for item in looked_at:
            heapq.heappush(self._heap, item)
        # A plunge goes on below the node that was split last, so solutions come early.
        for number in range(len(self.records) - 1, -1, -1):
            if len(chosen) == size:
                break
            record = self.records[number]
            if record.is_open and record.bound < cutoff and number not in chosen:
                chosen.append(number)
        return chosen

    def settle(self, number: int, evaluated: Evaluated, cutoff: Fraction) -> list[int]:
        """Take in an evaluation; the numbers of the children, in order."""
        record = self.records[number]
        proved = self.rounded(evaluated.bound)
        if evaluated.proof is not None and proved > record.bound:
            record.proof, record.proved, record.bound = evaluated.proof, proved, proved
        if record.bound >= cutoff:
            record.is_open, record.warm = False, None
            return []
        if evaluated.split is None:
            if evaluated.complete:
                raise RuntimeError(
                    f"bug: a node with bound {record.bound} below {cutoff} was not split"
                )
            self._push(number)
            return []
        record.is_open, record.split, record.warm = False, evaluated.split, None
        children = []
        # The outcome to try first comes last: the newest node is taken first.
        for outcome in reversed(evaluated.outcomes):
            child = len(self.records)
            self.records.append(Record(number, outcome, record.bound, warm=evaluated.warm))
            self._depths.append(self._depths[number] + 1)
            children.append(child)
            self._push(child)
        return children[::-1]

    def forget(self, bound: Fraction) -> None:
        """Drop proofs that no certificate will need: of split nodes, below what is proved now."""
        for record in self.records:
            if record.split is not None and record.proved < bound:
                record.proof = None

    def document(self, bound: Fraction) -> list[dict[str, Any]]:
        """The tree as plain data: enough of it to prove the bound, and no more.

        The first node is the root. A node has a ``split`` and the places of its ``children``, one
        for each outcome in order, or a ``proof``: one whose own proof reaches the bound is a leaf,
        whatever is below it. That ends, since every open or closed node has its bound from a proof
        at itself or above.
        """
        children: list[list[int]] = [[] for _ in self.records]
        for u, record in enumerate(self.records):
            if record.parent >= 0:
                children[record.parent].append(u)
        document: list[dict[str, Any]] = []
        waiting: list[tuple[int, list[int]]] = [(0, [])]
        while waiting:
            u, places = waiting.pop()
            places.append(len(document))
            record = self.records[u]
            if record.proof is not None and record.proved >= bound:
                document.append({"proof": record.proof})
                continue
            if record.split is None:
                raise RuntimeError(f"bug: nothing proves {bound} at a node of the tree")
            own: list[int] = []
            document.append({"split": list(record.split), "children": own})
            # What is put on the stack last comes first.
            for v in sorted(children[u], key=lambda v: -self.records[v].outcome):
                waiting.append((v, own))
        return document

    def _push(self, number: int) -> None:
        """By bound; of equal ones the deepest, of those the newest."""
        heapq.heappush(self._heap, (self.records[number].bound, -self._depths[number], -number))

    def _is_current(self, item: tuple[Fraction, int, int]) -> bool:
        record = self.records[-item[2]]
        return record.is_open and record.bound == item[0]
