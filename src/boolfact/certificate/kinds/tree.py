"""The proof by a search tree: splits that lose nothing, and a proof for each leaf.

Every factorisation keeps to one outcome of every split, so it keeps to the path of some leaf, and
is bounded by the proof of that leaf. The bound of the tree is the least of its leaves.

A leaf is proved by prices (kind ``mlp``, see `boolfact.certificate.tree.leaf`), by an
assigned cover of the matrix that its decisions leave (kind ``assigned_cover``), or by being
impossible (kind ``contradiction``): its decisions contradict each other.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from boolfact.certificate.kinds.assigned_cover import check_assigned_cover
from boolfact.certificate.kinds.checker import Checked, Request
from boolfact.certificate.reading import (
    MOST_WHOLE,
    CertificateError,
    Reduced,
    fraction,
    read_quantity,
    sequence,
    whole,
)
from boolfact.certificate.tree.decisions import Path
from boolfact.certificate.tree.leaf import Leaf, read_leaf
from boolfact.certificate.verdict import Check, ProvedBound, State, rounded_up
from boolfact.control.progress import Event
from boolfact.model.bound import Quantity
from boolfact.results.format import decimal

__all__ = ["check_tree"]

_FIELDS = {"kind", "on", "relaxation", "rho", "bound", "rounded", "arrays", "nodes"}


def check_tree(request: Request) -> Checked:
    """Walk the tree, add up the figures of every leaf, then prove every leaf by a search."""
    claim = _read(request.entry, request.k, request.reduced)
    what = "the error" if claim.rho is None else f"MIP({claim.rho})"
    figures = Check(
        f"{request.name}: figures",
        State.PASSED,
        f"{what} >= {decimal(claim.bound)} follows from {len(claim.leaves):,} leaves, "
        "which leave out nothing",
    )
    if any(isinstance(leaf, _Prices) for leaf in claim.leaves):
        # Numba is imported only when there is something to prove.
        from boolfact.certificate.search import load_kernels

        load_kernels()
    start = time.monotonic()
    found: dict[int, tuple[State, Fraction, str]] = {}
    waiting = list(range(len(claim.leaves)))
    while waiting:
        for place, u in enumerate(waiting):
            rest = request.seconds - (time.monotonic() - start)
            share = max(0.0, rest) / (len(waiting) - place)
            state, value, message = claim.leaves[u].check(request, share)
            if state is State.FAILED:
                message = f"leaf {u + 1}: {message}"
                return Checked((figures, Check(f"{request.name}: leaves", state, message)))
            if u not in found or value > found[u][1] or state is State.PASSED:
                found[u] = (state, value, message)
            request.progress(Event("verify", time.monotonic() - start, iterations=len(found)))
        # What is open has the time that the others left: more for each than before.
        still = [u for u in waiting if found[u][0] is not State.PASSED]
        if len(still) == len(waiting) or time.monotonic() - start >= request.seconds:
            break
        waiting = still
    states = [found[u][0] for u in range(len(claim.leaves))]
    proved = [rounded_up(value, claim.on, claim.rho) for _, value, _ in found.values()]
    messages = [
        f"leaf {u + 1}: {message}"
        for u, (state, _, message) in sorted(found.items())
        if state is not State.PASSED
    ]
    name, seconds = f"{request.name}: leaves", time.monotonic() - start
    sure = min(proved)
    bounds = [ProvedBound(claim.on, claim.rho, request.k, sure, True)]
    if State.NOT_CHECKED not in states:
        message = f"all {len(states):,} hold ({seconds:.1f} s)"
        return Checked((figures, Check(name, State.PASSED, message)), tuple(bounds))
    bounds.append(ProvedBound(claim.on, claim.rho, request.k, claim.bound, False))
    message = (
        f"{states.count(State.PASSED):,} of {len(states):,} confirmed in the time given: proved "
        f"only a bound of {decimal(sure)} ({messages[0]})"
    )
    return Checked((figures, Check(name, State.NOT_CHECKED, message)), tuple(bounds))


@dataclass(frozen=True, eq=False)
class _Prices:
    """A leaf proved by prices."""

    leaf: Leaf

    @property
    def value(self) -> Fraction:
        return self.leaf.value([limit for _, limit in self.leaf.limits])

    def check(self, request: Request, seconds: float) -> tuple[State, Fraction, str]:
        # Numba is imported only when there is something to prove.
        from boolfact.certificate.search import Answer, prove_at_most

        deadline = time.monotonic() + seconds
        proved, state = [], State.PASSED
        for H, limit in self.leaf.limits:
            attempt = prove_at_most(H, limit, deadline=deadline)
            if attempt.answer is Answer.REFUTED:
                worth = Fraction(attempt.value - limit, self.leaf.scale)
                message = f"a rectangle is worth {decimal(worth)} more than its omega"
                return State.FAILED, Fraction(0), message
            proved.append(attempt.upper_bound)
            if attempt.answer is Answer.OPEN:
                state = State.NOT_CHECKED
        return state, self.leaf.value(proved), "omega not confirmed in the time given"


@dataclass(frozen=True, eq=False)
class _Cover:
    """A leaf proved by an assigned cover of what is left."""

    entry: dict[str, Any]
    left: Reduced
    constant: Fraction

    @property
    def value(self) -> Fraction:
        return self.constant + fraction(self.entry.get("bound"), "bound")

    def check(self, request: Request, seconds: float) -> tuple[State, Fraction, str]:
        checked = check_assigned_cover(
            Request("cover", self.entry, request.k, self.left, seconds, request.progress)
        )
        bad = [check for check in checked.checks if check.state is not State.PASSED]
        sure = max((b.value for b in checked.bounds if b.confirmed), default=Fraction(0))
        if not bad:
            return State.PASSED, self.constant + sure, ""
        worst = next((check for check in bad if check.state is State.FAILED), bad[0])
        return worst.state, self.constant + sure, worst.message


@dataclass(frozen=True)
class _Impossible:
    """A leaf that nothing keeps to: more than what covering nothing costs."""

    value: Fraction

    def check(self, request: Request, seconds: float) -> tuple[State, Fraction, str]:
        return State.PASSED, self.value, ""


@dataclass(frozen=True, eq=False)
class _Claim:
    on: Quantity
    rho: Fraction | None
    bound: Fraction
    leaves: list[_Prices | _Cover | _Impossible] = field(default_factory=list)


def _read(entry: dict[str, Any], k: int, reduced: Reduced) -> _Claim:
    if unknown := set(entry) - _FIELDS:
        raise CertificateError(f"fields that kind tree does not have: {', '.join(sorted(unknown))}")
    on = read_quantity(entry)
    rho = None
    if on is Quantity.OBJECTIVE:
        rho = fraction(entry.get("rho"), "rho")
        if rho <= 0:
            raise CertificateError(f"rho must be positive, got {rho}")
    elif "rho" in entry:
        raise CertificateError("a tree for the error has no rho")
    arrays = [
        [whole(x, "a price") for x in sequence(array, "an array")]
        for array in sequence(entry.get("arrays"), "arrays")
    ]
    leaves = []
    nodes = sequence(entry.get("nodes"), "nodes")
    waiting, seen = [(0, Path(k, (reduced.values.shape[0], reduced.values.shape[1])))], 0
    while waiting:
        place, path = waiting.pop()
        # Nodes are numbered as they are met: none is met twice, none is left out.
        if place != seen or place >= len(nodes):
            raise CertificateError(f"node {place} of the tree is not in its place")
        seen += 1
        node = nodes[place]
        try:
            if not isinstance(node, dict) or set(node) not in ({"proof"}, {"split", "children"}):
                raise CertificateError("it must have a proof, or a split and children")
            if "proof" in node:
                leaves.append(_read_leaf(node["proof"], arrays, path, reduced, rho))
                continue
            paths = path.children(node["split"])
            children = sequence(node["children"], "children", len(paths))
        except CertificateError as reason:
            raise CertificateError(f"node {place} of the tree: {reason}") from None
        places = [whole(child, "a child") for child in children]
        waiting += reversed(list(zip(places, paths, strict=True)))
    if seen != len(nodes):
        raise CertificateError(f"the tree has {len(nodes)} nodes, of which only {seen} are reached")
    bound = min(rounded_up(leaf.value, on, rho) for leaf in leaves)
    for name in ("bound", "rounded"):
        if fraction(entry.get(name), name) != bound:
            raise CertificateError(
                f"{name} must be the least of the leaves, {bound}, got {entry[name]}"
            )
    return _Claim(on, rho, bound, leaves)


def _read_leaf(
    proof: Any, arrays: list[list[int]], path: Path, reduced: Reduced, rho: Fraction | None
) -> _Prices | _Cover | _Impossible:
    kind = proof.get("kind") if isinstance(proof, dict) else None
    if kind == "contradiction":
        if set(proof) != {"kind"} or not path.is_impossible:
            raise CertificateError("its decisions do not contradict each other")
        ones = int(reduced.weights[reduced.values == 1].astype(object).sum())
        return _Impossible(Fraction(ones + 1))
    if path.is_impossible:
        raise CertificateError("its decisions contradict each other; only that proves it")
    if kind == "mlp":
        return _Prices(read_leaf(proof, arrays, path, reduced, rho))
    if kind == "assigned_cover":
        return _read_cover(proof, path, reduced, rho)
    raise CertificateError(f"a leaf must be proved by what can be checked, got {kind!r}")


def _read_cover(
    proof: dict[str, Any], path: Path, reduced: Reduced, rho: Fraction | None
) -> _Cover:
    if rho is not None or path.named:
        raise CertificateError("an assigned cover proves the error, where nothing is named")
    left = path.remaining(reduced)
    values, weights = left.values.copy(), left.weights.copy()
    ones = int(reduced.weights[reduced.values == 1].astype(object).sum())
    # A one that must be covered may cost anything where it is not.
    if (ones + 1) * (int(left.free.sum()) + 2) * (int(left.barred.sum()) + 1) >= MOST_WHOLE:
        raise CertificateError("the weights are too large")
    weights[left.free] = ones + 1
    # Nothing can bring more than all ones together.
    values[left.barred] = 0
    weights[left.barred] = int(weights[values == 1].sum()) + 1
    constant = left.constant(Fraction(1))
    return _Cover(proof, Reduced(np.ascontiguousarray(values), weights), constant)
