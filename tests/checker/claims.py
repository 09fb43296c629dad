"""Results with certificates of every kind for small matrices, true ones and false ones."""

import copy
import math
from fractions import Fraction

import numpy as np

from boolfact.certificate.document import make_certificate, seal
from boolfact.model.bound import Bound, Quantity
from boolfact.model.costs import with_costs
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.reduction import keep_matrix, reduce_matrix
from boolfact.results.result import Result
from boolfact.results.status import status_of
from certificate.circles import random_search
from certificate.covers import (
    Parts,
    best_cover,
    part_of,
    random_blocks,
    random_cover,
    random_order,
    random_ring,
)
from certificate.enumerations import random_enumeration
from certificate.proofs import dual_bound

import naive

RHOS = [Fraction(1), Fraction(1, 2), Fraction(19, 20), Fraction(3, 2), Fraction(1, 3)]


def random_matrix(rng, side=6):
    """Missing entries, weights, costs, equal and proportional rows and columns, or none."""
    n, m = rng.integers(1, side + 1, 2)
    values = (rng.random((n, m)) < rng.choice([0.3, 0.5, 0.8])).astype(np.int8)
    values[rng.random((n, m)) < rng.choice([0, 0, 0.2])] = -1
    weights = rng.integers(0, 4, (n, m)) if rng.random() < 0.4 else np.ones((n, m), dtype=np.int64)
    if rng.random() < 0.5:
        rows, columns = rng.integers(0, n, n), rng.integers(0, m, m)
        values, weights = values[rows][:, columns], weights[rows][:, columns]
        if rng.random() < 0.5:
            weights = weights * rng.integers(1, 4, (n, 1)) * rng.integers(1, 3, (1, m))
    matrix = BinaryMatrix(values, weights)
    if rng.random() < 0.3:
        false_one, missed_one = (int(x) for x in rng.integers(1, 5, 2))
        matrix = with_costs(matrix, false_one_cost=false_one, missed_one_cost=missed_one)
    return with_costs(matrix, from_below=True) if rng.random() < 0.2 else matrix


def random_mlp(rng, matrix, k, rho):
    """Any prices, not the best ones; with rho <= 1/k it may be on the error."""
    p = rng.random(matrix.shape) * matrix.weights * rng.choice([0.3, 1, 2])
    on = Quantity.ERROR if rho * k <= 1 and rng.random() < 0.7 else Quantity.OBJECTIVE
    return dual_bound(matrix, k, rho, p=p, bits=int(rng.integers(0, 6)), on=on)


def random_parts(rng, matrix, k):
    """One part or several, of the matrix or its transpose, with duals of any kind."""
    turned = bool(rng.random() < 0.4)
    side = matrix.T if turned else matrix
    n, m = side.shape
    groups = np.array_split(rng.permutation(m), rng.integers(1, min(3, m) + 1))
    documents = []
    for columns in groups:
        rows = np.flatnonzero(rng.random(n) < 0.9)
        if not len(rows):
            continue
        inside, maps = part_of(side, np.sort(rows), np.sort(columns), merge=rng.random() < 0.7)
        if rng.random() < 0.15 and inside.shape[0] * inside.shape[1] <= 12:
            cover = best_cover(inside, k, random_blocks(rng, inside.shape[0]))
        else:
            cover = random_cover(rng, inside, most=1 if rng.random() < 0.3 else 4)
        ring = random_ring(rng, inside.shape[1]) if rng.random() < 0.5 else None
        if all(len(block) == 1 for block in cover.blocks) and rng.random() < 0.6:
            ring = random_order(rng, inside.shape[1])
        documents.append(cover.document(maps, k, circle=ring))
    return Turned(documents, turned).bound(k)


class Turned(Parts):
    """The parts of an entry, which may be of the transposed matrix."""

    def __init__(self, documents, turned):
        super().__init__(documents)
        object.__setattr__(self, "turned", turned)

    def entry(self):
        return {**super().entry(), "transposed": self.turned}

    def bound(self, k):
        value = sum(max(0, math.ceil(Fraction(part["bound"]))) for part in self.documents)
        return Bound(Quantity.ERROR, Fraction(value), k, "assigned cover", self)


def random_choices(rng, matrix, k):
    """A search over columns: of the least error, or of one a little below it."""
    error = naive.best_error(matrix.values, matrix.weights, k)
    return random_search(rng, matrix, k, max(0, error - int(rng.choice([0, 0, 1, 2]))))


def random_sets(rng, matrix, k):
    """An enumeration: of the least error, or of one a little below it; a cover without prices."""
    error = naive.best_error(matrix.values, matrix.weights, k)
    bound = random_enumeration(rng, matrix, k, max(0, error - int(rng.choice([0, 0, 1, 2]))))
    return random_parts(rng, matrix, k) if bound is None else bound


def raised(rng, certificate, matrix, place):
    """A search with a claim of one more than the least error; None if there is none."""
    document = copy.deepcopy(certificate)
    k, entry = document["k"], document["bounds"][place]
    error = naive.best_error(matrix.values, matrix.weights, k) + 1
    if entry["kind"] == "enumeration":
        entry.update(bound=str(error), rounded=str(error))
        return resealed(document)
    bound = random_search(rng, matrix, k, error, entry["transposed"])
    if bound is None:
        return None
    entry.update(bound.proof.entry(), bound=str(error), rounded=str(error))
    return resealed(document)


def random_claims(rng, side=6, most=3):
    """A matrix, and a result with one bound to `most`; all that it claims is true."""
    matrix = random_matrix(rng, side)
    reduction = (reduce_matrix if rng.random() < 0.8 else keep_matrix)(matrix)
    small = reduction.matrix
    small = BinaryMatrix(np.where(small.weights > 0, small.values, -1), small.weights)
    k = int(rng.integers(1, 4))
    rho = RHOS[int(rng.integers(len(RHOS)))]
    bounds = []
    for _ in range(int(rng.integers(1, most + 1))):
        kind = rng.random()
        if kind < 0.4:
            bounds.append(random_mlp(rng, small, k, rho if rng.random() < 0.6 else Fraction(1, k)))
        elif kind < 0.6 and small.shape[1] * k <= 9:
            bounds.append(random_choices(rng, small, k))
        elif kind < 0.75 and small.shape[0] * k <= 18 and small.shape[1] * k <= 12:
            bounds.append(random_sets(rng, small, k))
        else:
            bounds.append(random_parts(rng, small, k))
    n, m = matrix.shape
    factors = Factors(rng.random((n, k)) < 0.3, rng.random((k, m)) < 0.4)
    return matrix, claim(matrix, factors, rho, make_certificate(reduction, k, bounds))


def claim(matrix, factors, rho, certificate):
    """The result that claims what its certificate does."""
    on_error, on_objective = known(certificate, rho)
    error, objective = factors.error(matrix), factors.objective(matrix, rho)
    return Result(
        A=factors.A,
        B=factors.B,
        error=error,
        objective=float(objective),
        status=status_of(error, objective, on_error, on_objective),
        k=factors.A.shape[1],
        method="test",
        error_lower_bound=float(on_error),
        objective_lower_bound=None if on_objective is None else float_below(on_objective),
        rho=rho,
        digest=matrix.digest(),
        certificate=certificate,
    )


def float_below(value):
    number = float(value)
    return number if Fraction(number) <= value else math.nextafter(number, -math.inf)


def known(certificate, rho):
    """What the bounds claim of the error, and of MIP(rho); None if nothing."""
    on_error, on_objective = Fraction(0), None
    for entry in certificate["bounds"]:
        if entry["on"] == "error":
            on_error = max(on_error, Fraction(entry["rounded"]))
        elif Fraction(entry["rho"]) == rho:
            on_objective = max(on_objective or Fraction(0), Fraction(entry["rounded"]))
    return on_error, on_objective


def omegas(certificate):
    """What has an omega: entries of kind mlp, parts, and the first point of an enumeration."""
    for entry in certificate["bounds"]:
        if entry["kind"] == "enumeration":
            yield entry, entry["points"][0]
        elif entry["kind"] != "column_search":
            yield from ((entry, part) for part in entry.get("parts", [entry]))


def lowered(certificate, place, by=1):
    """One omega a little smaller, all figures that follow from it right, and sealed again."""
    document = copy.deepcopy(certificate)
    k = document["k"]
    entry, part = list(omegas(document))[place]
    part["omega_bound"] -= by
    value = Fraction(sum(p[2] for p in part["p"]) - k * part["omega_bound"], part["scale"])
    part["bound"] = str(value)
    if "points" in entry:
        return resealed(document)  # its claim does not follow from omega alone
    if "parts" in entry:
        total = sum(max(0, math.ceil(Fraction(part["bound"]))) for part in entry["parts"])
        entry["bound"] = entry["rounded"] = str(total)
    else:
        parts = 1 if entry["on"] == "error" else Fraction(entry["rho"]).denominator
        entry["rounded"] = str(max(Fraction(0), Fraction(math.ceil(value * parts), parts)))
    return resealed(document)


def resealed(document):
    return {**document, "seal": seal(document)}
