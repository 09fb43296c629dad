import numpy as np
import pytest

from boolfact.datasets import planted, synthetic_family
from boolfact.datasets.planted import roles


def test_planted_matrices_differ_from_their_factors_by_the_noise():
    clean = planted(60, 40, 4, seed=1)
    assert clean.factors.error(clean.matrix) == 0
    noisy = planted(60, 40, 4, noise=0.05, missing=0.1, seed=1)
    share = noisy.factors.error(noisy.matrix) / (60 * 40 - noisy.matrix.n_missing)
    assert 0.03 < share < 0.07
    assert 0.07 < noisy.matrix.n_missing / 2400 < 0.13


def test_planted_matrices_depend_on_the_seed_alone():
    assert planted(9, 8, 2, seed=3).matrix.digest() == planted(9, 8, 2, seed=3).matrix.digest()
    assert planted(9, 8, 2, seed=3).matrix.digest() != planted(9, 8, 2, seed=4).matrix.digest()


@pytest.mark.parametrize("n", [20, 35, 50])
@pytest.mark.parametrize("zeros", [0.5, 0.75])
def test_the_synthetic_family_has_rank_ten_and_the_asked_share_of_zeros(n, zeros):
    example = synthetic_family(n, zeros, seed=n)
    product = example.factors.product()
    assert 1 - product.mean() == pytest.approx(zeros, abs=0.05)
    # Each pattern owns an entry; no two of them fit into one rectangle of ones.
    A, B = example.factors.A, example.factors.B
    own = [
        (
            np.flatnonzero(A[:, u] & (A.sum(axis=1) == 1))[0],
            np.flatnonzero(B[u] & (B.sum(axis=0) == 1))[0],
        )
        for u in range(10)
    ]
    for i, j in own:
        assert product[i, j]
        assert all(not (product[i, q] and product[p, j]) for p, q in own if (p, q) != (i, j))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [((0, 5, 2), "n must be at least 1"), ((5, 5, 0), "k must be at least 1")],
)
def test_bad_sizes_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        planted(*arguments)


def test_bad_shares_are_refused():
    with pytest.raises(ValueError, match="noise must be between 0 and 1"):
        planted(5, 5, 2, noise=1.5)
    with pytest.raises(ValueError, match="rank 10 needs"):
        synthetic_family(5)
    with pytest.raises(ValueError, match="zeros must be between"):
        synthetic_family(20, zeros=1.0)


def test_planted_roles_fit_from_below_and_extra_permissions_are_few():
    example = roles(300, 100, 6, extra=0.02, seed=4)
    covered = example.factors.product()
    assert not (covered & ~example.matrix.ones).any()
    assert example.factors.B.sum(axis=1).min() >= 8
    assert example.factors.A.sum(axis=1).max() <= 6
    share = (example.matrix.ones & ~covered).sum() / (~covered).sum()
    assert 0.01 < share < 0.03
    with pytest.raises(ValueError, match="40 permissions"):
        roles(10, 39, 2)
    with pytest.raises(ValueError, match="extra"):
        roles(extra=2)
