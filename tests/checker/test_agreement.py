"""The checker in C and the verifier in Python say the same of hundreds of small results."""

import collections
import dataclasses
from fractions import Fraction

import numpy as np
import pytest

import boolfact
from boolfact.certificate import make_certificate, verify_result
from boolfact.colgen.cover.grow import bound_by_cover
from boolfact.colgen.loop import generate_columns
from boolfact.colgen.mlp.relaxation import MLP
from boolfact.control.stop import Stop
from boolfact.model.costs import with_costs
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.reduction import keep_matrix, reduce_matrix
from certificate.circles import random_search
from certificate.cover.test_lift import scaled
from certificate.covers import bound_of, random_cover, random_order, random_ring
from certificate.enumerations import random_enumeration
from checker.claims import claim, lowered, omegas, raised, random_claims, random_matrix

import naive

INSTANCES = 300
VERIFIED, REFUSED = 0, 1


def python_says(result, matrix):
    """As the exit code of the other; everything must have been decided."""
    report = verify_result(result, matrix, time_limit=None)
    assert report.complete or not report.ok
    return VERIFIED if report.ok else REFUSED


@pytest.mark.parametrize("seed", range(10))
def test_true_claims_pass_and_an_omega_too_small_is_refused(watched, tmp_path, seed):
    rng = np.random.default_rng(seed)
    seen = collections.Counter()
    for _ in range(INSTANCES // 10):
        matrix, result = random_claims(rng)
        code, output = watched.of(result, matrix, tmp_path)
        assert code == python_says(result, matrix) == VERIFIED, output
        for place, (entry, part) in enumerate(omegas(result.certificate)):
            seen[entry["kind"]] += 1
            if part["omega_bound"] == 0:
                continue
            wrong = dataclasses.replace(result, certificate=lowered(result.certificate, place))
            code, output = watched.of(wrong, matrix, tmp_path)
            assert code == python_says(wrong, matrix) == REFUSED, output
            assert "a rectangle is worth more" in output
            seen["refused"] += 1
            # An omega that is larger than it need be proves less, but truly.
            weaker = dataclasses.replace(
                result,
                certificate=lowered(result.certificate, place, -1),
                error_lower_bound=None,
                objective_lower_bound=None,
                status=boolfact.Status.HEURISTIC,
            )
            code, output = watched.of(weaker, matrix, tmp_path)
            assert code == python_says(weaker, matrix) == VERIFIED, output
    assert min(seen["mlp"], seen["assigned_cover"], seen["refused"]) > 10
    assert seen["enumeration"] > 0


@pytest.mark.parametrize("seed", range(5))
def test_a_search_over_columns_proves_the_least_error_and_no_more(watched, tmp_path, seed):
    rng = np.random.default_rng(seed)
    seen = collections.Counter()
    for _ in range(INSTANCES // 10):
        k = int(rng.integers(1, 4))
        matrix = random_matrix(rng, {1: 6, 2: 5, 3: 4}[k])
        reduction = reduce_matrix(matrix)
        best = naive.best_error(matrix.values, matrix.weights, k)
        bound = random_search(rng, reduction.matrix, k, int(rng.integers(0, best + 1)))
        n, m = matrix.shape
        factors = Factors(rng.random((n, k)) < 0.3, rng.random((k, m)) < 0.4)
        certificate = make_certificate(reduction, k, [bound])
        result = claim(matrix, factors, Fraction(1), certificate)
        code, output = watched.of(result, matrix, tmp_path)
        assert code == python_says(result, matrix) == VERIFIED, output
        seen["verified"] += 1
        false = raised(rng, certificate, reduction.matrix, 0)
        if false is not None:
            wrong = dataclasses.replace(result, certificate=false)
            code, output = watched.of(wrong, matrix, tmp_path)
            assert code == python_says(wrong, matrix) == REFUSED, output
            assert f"a factorisation has an error below {best + 1}" in output
            seen["refused"] += 1
    assert min(seen.values()) > 10


@pytest.mark.parametrize("seed", range(5))
def test_an_enumeration_proves_the_least_error_and_no_more(watched, tmp_path, seed):
    rng = np.random.default_rng(200 + seed)
    seen = collections.Counter()
    for _ in range(INSTANCES // 10):
        k = int(rng.integers(1, 4))
        matrix = random_matrix(rng, {1: 6, 2: 5, 3: 4}[k])
        reduction = reduce_matrix(matrix)
        best = naive.best_error(matrix.values, matrix.weights, k)
        bound = random_enumeration(rng, reduction.matrix, k, int(rng.integers(0, best + 1)))
        if bound is None:
            continue
        n, m = matrix.shape
        factors = Factors(rng.random((n, k)) < 0.3, rng.random((k, m)) < 0.4)
        certificate = make_certificate(reduction, k, [bound])
        result = claim(matrix, factors, Fraction(1), certificate)
        code, output = watched.of(result, matrix, tmp_path)
        assert code == python_says(result, matrix) == VERIFIED, output
        seen["verified"] += 1
        wrong = dataclasses.replace(
            result, certificate=raised(rng, certificate, reduction.matrix, 0)
        )
        code, output = watched.of(wrong, matrix, tmp_path)
        assert code == python_says(wrong, matrix) == REFUSED, output
        assert f"a factorisation has an error below {best + 1}" in output
    assert seen["verified"] > 10


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("by_size", [False, True])
def test_circles_with_figures_of_any_size(watched, tmp_path, by_size, seed):
    """From small ones, which have 32 bits, to large ones, which do not fit into them."""
    rng = np.random.default_rng(seed)
    refused = 0
    for doublings in range(0, 36, 5):
        matrix = random_matrix(rng)
        small = BinaryMatrix(np.where(matrix.weights > 0, matrix.values, -1), matrix.weights)
        most = 1 if by_size else 4
        cover = scaled(random_cover(rng, small, most), 2**doublings)
        n, m = small.shape
        maps = range(n), range(m)
        for k, less in ((1, 0), (2, 1)):
            omega = cover.omega() - less
            if omega < 0:
                continue
            ring = random_order(rng, m) if by_size else random_ring(rng, m)
            part = cover.document(maps, k, omega, circle=ring)
            certificate = make_certificate(keep_matrix(small), k, [bound_of([part], k)])
            factors = Factors(np.zeros((n, k), dtype=bool), np.zeros((k, m), dtype=bool))
            result = claim(small, factors, Fraction(1), certificate)
            code, output = watched.of(result, small, tmp_path)
            assert code == python_says(result, small) == (REFUSED if less else VERIFIED), output
            refused += less
    assert refused > 3


@pytest.mark.parametrize("seed", range(4))
def test_claims_that_are_not_true_are_refused_by_both(watched, tmp_path, seed):
    rng = np.random.default_rng(100 + seed)
    for _ in range(10):
        matrix, result = random_claims(rng)
        wrong = [
            {"error": result.error + 1},
            {"error": max(0, result.error - 1) or 1},
            {"objective": result.objective + 1},
            {"error_lower_bound": result.error_lower_bound + 1},
            {"objective_lower_bound": result.objective + 1},
            {"digest": matrix.digest()[::-1]},
            {"certificate": None, "status": boolfact.Status.OPTIMAL, "error_lower_bound": 0.0},
        ]
        for change in wrong:
            other = dataclasses.replace(result, **change)
            expected = python_says(other, matrix)
            code, output = watched.of(other, matrix, tmp_path)
            assert code == expected, (change, output)
            if "certificate" not in change and change.get("error") != result.error:
                assert code == REFUSED, (change, output)


def test_a_bound_for_a_smaller_rank_proves_nothing(checker, tmp_path):
    X = boolfact.as_matrix([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1], [1, 0, 0, 1]])
    one, two = (boolfact.factorize(X, k, time_limit=2, seed=0) for k in (1, 2))
    assert checker.of(one, X, tmp_path)[0] == checker.of(two, X, tmp_path)[0] == VERIFIED
    mixed = dataclasses.replace(two, certificate=one.certificate, error_lower_bound=1.0)
    code, output = checker.of(mixed, X, tmp_path)
    assert code == python_says(mixed, X) == REFUSED
    assert "not proved" in output
    # One for a larger rank holds for smaller ranks.
    mixed = dataclasses.replace(
        one,
        certificate=two.certificate,
        error_lower_bound=0.0,
        objective_lower_bound=None,
        status=boolfact.Status.HEURISTIC,
    )
    assert checker.of(mixed, X, tmp_path)[0] == python_says(mixed, X) == VERIFIED


@pytest.mark.parametrize(
    ("name", "k", "rounds"), [("zoo", 2, 20), ("zoo", 5, 30), ("votes_missing", 2, 20)]
)
def test_what_is_proved_of_bundled_data_is_proved_again(checker, tmp_path, name, k, rounds):
    X = boolfact.load_dataset(name)
    reduction = reduce_matrix(X)
    of_objective = generate_columns(MLP(reduction.matrix, k), stop=Stop(iteration_limit=300)).bound
    of_error = bound_by_cover(reduction.matrix, k, stop=Stop(iteration_limit=rounds), seed=0).bound
    factors = boolfact.factorize(X, k, method="k_greedy", seed=0).factors
    certificate = make_certificate(reduction, k, [of_objective, of_error])
    result = claim(X, factors, Fraction(1), certificate)
    assert min(result.error_lower_bound, result.objective_lower_bound) > 100
    code, output = checker.of(result, X, tmp_path)
    assert code == python_says(result, X) == VERIFIED, output
    for place in range(2):
        # Below the worth of the best rectangle, which is within a hundredth.
        _, part = list(omegas(certificate))[place]
        wrong = lowered(certificate, place, part["omega_bound"] // 100)
        code, output = checker.of(dataclasses.replace(result, certificate=wrong), X, tmp_path)
        assert code == REFUSED
        assert "a rectangle is worth more" in output


@pytest.mark.parametrize(
    "options", [{"false_one_cost": 3, "missed_one_cost": 2}, {"from_below": True}]
)
def test_costs_are_weights(checker, tmp_path, options):
    X = boolfact.planted(14, 9, 3, noise=0.1, missing=0.1, seed=1).matrix
    result = boolfact.factorize(X, 2, time_limit=2, seed=0, **options)
    code, output = checker.of(result, with_costs(X, **options), tmp_path)
    assert code == VERIFIED, output
    assert (tmp_path / "weights.txt").exists()
