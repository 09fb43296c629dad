import numpy as np
import pytest

from boolfact.baselines.nmf import nmf
from boolfact.datasets import load_dataset
from boolfact.model.matrix import BinaryMatrix

PUBLISHED = {
    2: (291, 1626, 1596, 1254, 1366, 2253, 809, 3069),
    5: (163, 1207, 1337, 995, 1158, 1565, 762, 2526),
    10: (153, 826, 1337, 995, 1143, 1407, 689, 2481),
}
NAMES = ("zoo", "tumor", "hepat", "heart", "lymp", "audio", "apb", "votes")


@pytest.mark.parametrize("k", PUBLISHED)
def test_best_of_five_starts_is_about_as_good_as_published(k):
    for name, published in zip(NAMES, PUBLISHED[k], strict=True):
        X = load_dataset(name)
        assert nmf(X, k).error(X) <= 1.1 * published


def test_recovers_a_planted_product_of_disjoint_patterns():
    A = np.repeat(np.eye(3, dtype=int), 6, axis=0)
    B = np.repeat(np.eye(3, dtype=int), 4, axis=1)
    X = BinaryMatrix((A @ B).astype(np.int8))
    assert nmf(X, 3).error(X) == 0


def test_same_seed_same_answer():
    X = load_dataset("zoo")
    assert (nmf(X, 4, seed=5).A == nmf(X, 4, seed=5).A).all()


def test_refuses_what_it_cannot_take():
    weighted = BinaryMatrix(np.ones((2, 2), dtype=np.int8), np.array([[1, 2], [1, 1]]))
    with pytest.raises(ValueError, match="nmf cannot take weights"):
        nmf(weighted, 1)
    with pytest.raises(ValueError, match=r"nmf cannot take missing entries.* 392"):
        nmf(load_dataset("votes_missing"), 1)
    with pytest.raises(ValueError, match="restarts"):
        nmf(load_dataset("zoo"), 1, restarts=0)


def test_a_matrix_of_zeros():
    X = BinaryMatrix(np.zeros((3, 4), dtype=np.int8))
    assert nmf(X, 2).error(X) == 0
