"""What the search tree asks of a problem.

The tree keeps nodes, chooses among them, merges what their evaluations say and knows when to
end. What a node means, only the problem knows. It promises four things, and everything that the
tree prints rests on them:

1. A *split* has a fixed number of *outcomes*, and every solution that keeps to the path of a node
   keeps to at least one outcome of a split of that node. So splits lose nothing.
2. `Evaluated.bound` is proved: no solution that keeps to the path of the node has a smaller value.
   `Evaluated.proof` is its proof as plain data, ready for JSON, for the certificate.
3. `Evaluated.factors`, where there are any, are a solution of the whole problem; they need not
   keep to the path. The tree takes their value from `value`, never from the evaluation.
4. An evaluation that was not cut short either proves a bound of at least the cutoff, or splits, or
   offers factors whose value is no larger than its bound: then nothing better is below it.

An evaluation depends on the node, the cutoff and what the problem has taken in by `absorb`, and
on nothing else but the stop: several nodes are evaluated at the same time, and each one must come
out as if it were alone. Whatever one node learns for others, rectangles for a pool for example,
goes into `Evaluated.news`; the tree hands it to `absorb` in a fixed order between two batches.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

from boolfact.control.executor import Executor
from boolfact.control.stop import Stop
from boolfact.model.bound import Quantity
from boolfact.model.factors import Factors

__all__ = ["Evaluated", "Problem", "Split", "Step", "TreeNode"]

Split = tuple[Any, ...]
"""A question with a fixed number of answers, as plain data: ``("entry", 3, 5)``. Its first part
is its type; the certificate checks by type that the outcomes are exhaustive."""

Step = tuple[Split, int]
"""A split and the outcome that was taken."""


@dataclass(frozen=True)
class TreeNode:
    """A node: everything that an evaluation needs, as plain data.

    Attributes
    ----------
    path : tuple of (split, outcome)
        The decisions, from the root on.
    bound : Fraction
        Proved for the parent, hence for this node.
    warm : object
        Where to begin: what the evaluation of the parent left for it, ready for JSON, or None.
    """

    path: tuple[Step, ...] = ()
    bound: Fraction = Fraction(0)
    warm: Any = None


@dataclass(frozen=True, eq=False)
class Evaluated:
    """What is known of a node after its evaluation.

    Attributes
    ----------
    bound : Fraction
        Proved for the node. One below that of the parent is no mistake, only no use.
    proof : dict or None
        What proves it, ready for JSON; None where nothing was proved and `bound` is that of
        the parent, or 0.
    split : Split or None
        How to go on below. None where the node is done with.
    outcomes : tuple of int
        The outcomes of the split, each exactly once, in the order in which to try them: the
        search plunges into the first.
    warm : object
        For the children, ready for JSON.
    factors : Factors or None
        A solution that was met.
    news : object
        For `Problem.absorb`.
    complete : bool
        False where the stop cut the evaluation short. The node then stays open, with its bound
        or that of its parent, whichever is larger.
    work : int
        Nodes of pricing searches and the like, for whoever watches.
    """

    bound: Fraction
    proof: dict[str, Any] | None = None
    split: Split | None = None
    outcomes: tuple[int, ...] = ()
    warm: Any = None
    factors: Factors | None = None
    news: Any = None
    complete: bool = True
    work: int = field(default=0)


class Problem(Protocol):
    """Something to be minimised over factorisations of rank k; see the module for what it owes."""

    @property
    def on(self) -> Quantity:
        """What is minimised."""
        ...

    @property
    def step(self) -> Fraction:
        """Every value is a multiple of this: bounds are rounded up to the next one."""
        ...

    def value(self, factors: Factors) -> Fraction:
        """What is minimised, of a solution; computed anew from the factors."""
        ...

    def evaluate(
        self, node: TreeNode, cutoff: Fraction, stop: Stop, executor: Executor
    ) -> Evaluated:
        """Bound a node, look for a solution, and say how to go on.

        Parameters
        ----------
        node : TreeNode
        cutoff : Fraction
            The value of the best solution: a bound, rounded up to a multiple of `step`, that
            reaches it ends the node.
        stop : Stop
            To be asked at least every 0.2 seconds.
        executor : Executor
            For work inside of the evaluation. What comes out must not depend on it.
        """
        ...

    def absorb(self, news: Any) -> None:
        """Take in what an evaluation learnt; called between batches, in a fixed order."""
        ...

    def state(self) -> Any:
        """What was absorbed, ready for JSON: for the checkpoint."""
        ...

    def restore(self, state: Any) -> None:
        """Go on from a `state`; a ValueError says what is wrong with it."""
        ...
