import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

from boolfact import BooleanMatrixFactorization, load_dataset, planted
from boolfact.factors import Factors

QUICK = {"time_limit": None, "max_iter": 2, "bound": "none", "n_jobs": 1}


@parametrize_with_checks([BooleanMatrixFactorization(2, binarize=0.0, **QUICK)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture
def example():
    return planted(40, 20, 3, noise=0.02, seed=1).matrix


def test_codes_and_components_give_the_reported_error(example):
    X = example.ones.astype(float)
    model = BooleanMatrixFactorization(3, **QUICK)
    codes = model.fit_transform(X)
    again = model.inverse_transform(codes)
    assert (again != X).sum() <= model.reconstruction_err_
    assert model.components_.shape == (3, 20)
    assert Factors(codes, model.components_).error(example) == (again != X).sum()


def test_transform_finds_the_best_code_of_each_row(example):
    X = example.ones.astype(int)
    model = BooleanMatrixFactorization(3, **QUICK).fit(X)
    codes = model.transform(X)
    every = np.array(np.meshgrid(*[[0, 1]] * 3)).reshape(3, -1).T
    unions = model.inverse_transform(every)
    best = (X[:, None, :] != unions[None]).sum(axis=2).min(axis=1)
    assert ((model.inverse_transform(codes) != X).sum(axis=1) == best).all()


def test_missing_entries_cost_nothing():
    X = np.array([[1, 1, np.nan, 0], [1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1.0]])
    model = BooleanMatrixFactorization(2, **QUICK).fit(X)
    assert model.reconstruction_err_ == 0


def test_values_that_are_not_binary_are_refused_without_a_threshold():
    with pytest.raises(ValueError, match=r"value 0\.5 is not understood"):
        BooleanMatrixFactorization(1, **QUICK).fit([[0.5, 1.0]])


def test_frames_give_feature_names(example):
    frame = pd.DataFrame(example.ones.astype(int), columns=[f"f{j}" for j in range(20)])
    model = BooleanMatrixFactorization(3, **QUICK).set_output(transform="pandas")
    codes = model.fit_transform(frame)
    assert list(model.feature_names_in_[:2]) == ["f0", "f1"]
    assert list(codes.columns) == [f"booleanmatrixfactorization{u}" for u in range(3)]
    with pytest.raises(ValueError, match="feature names"):
        model.transform(frame.rename(columns={"f0": "other"}))


def test_sparse_input_gives_the_same_as_dense(example):
    dense = example.ones.astype(float)
    one = BooleanMatrixFactorization(3, **QUICK).fit(dense)
    other = BooleanMatrixFactorization(3, **QUICK).fit(sp.csr_matrix(dense))
    assert (one.components_ == other.components_).all()


def test_clones_and_pickles_behave_the_same(example):
    X = example.ones.astype(int)
    model = BooleanMatrixFactorization(3, **QUICK)
    assert clone(model).get_params() == model.get_params()
    again = pickle.loads(pickle.dumps(model.fit(X)))
    assert (again.transform(X) == model.transform(X)).all()


def test_grid_search_over_the_number_of_components_in_a_pipeline(example):
    X = example.ones.astype(int)
    pipeline = make_pipeline(FunctionTransformer(), BooleanMatrixFactorization(**QUICK))
    search = GridSearchCV(pipeline, {"booleanmatrixfactorization__n_components": [1, 3]}, cv=2)
    search.fit(X)
    assert search.best_params_ == {"booleanmatrixfactorization__n_components": 3}
    assert -0.1 < search.best_score_ <= 0


def test_bad_codes_are_refused(example):
    model = BooleanMatrixFactorization(3, **QUICK).fit(example.ones.astype(int))
    with pytest.raises(ValueError, match="expected codes with 3 columns, got 2"):
        model.inverse_transform([[1, 0]])
    with pytest.raises(ValueError, match="missing"):
        model.inverse_transform([[1, 0, np.nan]])


def test_random_state_decides(example):
    X = load_dataset("zoo").ones.astype(int)
    first = BooleanMatrixFactorization(4, **{**QUICK, "random_state": 3}).fit(X)
    second = BooleanMatrixFactorization(4, **{**QUICK, "random_state": 3}).fit(X)
    assert (first.components_ == second.components_).all()
    state = np.random.RandomState(0)
    assert BooleanMatrixFactorization(2, **{**QUICK, "random_state": state}).fit(X).n_iter_ >= 1
