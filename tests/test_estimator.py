import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

from boolfact import (
    BooleanMatrixFactorization,
    CompletionScorer,
    Ending,
    Status,
    as_matrix,
    load_dataset,
    planted,
)
from boolfact.completion.folds import hide_entries
from boolfact.model.factors import Factors
from boolfact.show.report import write_report

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


def test_each_quantity_has_its_own_bound():
    X = np.eye(4)
    model = BooleanMatrixFactorization(2, rho=0.95, time_limit=20, n_jobs=1).fit(X)
    assert model.reconstruction_err_ == model.error_lower_bound_ == 2
    assert (model.gap_, model.status_) == (0, Status.OPTIMAL)
    assert model.objective_lower_bound_ == 2
    bare = BooleanMatrixFactorization(2, **QUICK).fit(X)
    assert bare.error_lower_bound_ is bare.gap_ is bare.objective_lower_bound_ is None
    assert bare.status_ is Status.HEURISTIC


def test_transform_finds_the_best_code_of_each_row(example):
    X = example.ones.astype(int)
    model = BooleanMatrixFactorization(3, **QUICK).fit(X)
    codes = model.transform(X)
    every = np.array(np.meshgrid(*[[0, 1]] * 3)).reshape(3, -1).T
    unions = model.inverse_transform(every)
    best = (X[:, None, :] != unions[None]).sum(axis=2).min(axis=1)
    assert ((model.inverse_transform(codes) != X).sum(axis=1) == best).all()


def test_a_fit_can_begin_from_what_is_known(example):
    X = example.ones.astype(int)
    best = BooleanMatrixFactorization(3, time_limit=None, max_iter=300, n_jobs=1).fit(X)
    cold = BooleanMatrixFactorization(3, method="local", time_limit=None, max_iter=1).fit(X)
    warm = clone(cold).fit(X, start=best.result_)
    assert warm.reconstruction_err_ <= best.reconstruction_err_ < X.sum()
    pair = (best.result_.A, best.components_)
    codes = clone(cold).fit_transform(X, start=pair)
    assert codes.shape == (40, 3)
    with pytest.raises(ValueError, match="start must be for data of 39 rows"):
        clone(cold).fit(X[1:], start=pair)


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
    assert list(codes.columns) == ["pattern1", "pattern2", "pattern3"]
    assert model.result_.column_names == tuple(frame.columns)
    assert model.result_.row_names is None
    named = model.fit(frame.set_axis([f"r{i}" for i in range(40)])).result_
    assert named.row_names[:2] == ("r0", "r1")
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


def test_a_scikit_learn_user_goes_from_a_frame_to_a_search_and_to_a_page(example, tmp_path):
    frame = pd.DataFrame(example.ones.astype(int), columns=[f"likes {j}" for j in range(20)])
    target = frame.pop("likes 0")
    model = BooleanMatrixFactorization(**QUICK).set_output(transform="pandas")
    pipeline = make_pipeline(model, LogisticRegression())
    grid = {"booleanmatrixfactorization__n_components": [1, 3]}
    search = GridSearchCV(pipeline, grid, cv=2).fit(frame, target)
    fitted, _ = pickle.loads(pickle.dumps(search.best_estimator_)).named_steps.values()
    codes = fitted.transform(frame)
    assert list(codes.columns) == [f"pattern{u + 1}" for u in range(fitted.n_components_)]
    assert "likes 1" in fitted._repr_html_()
    page = write_report(fitted.result_, as_matrix(frame), tmp_path / "page.html")
    assert "likes 19" in page.read_text("utf-8")


@pytest.mark.parametrize("kind", ["array", "frame", "sparse"])
def test_grid_search_by_completion_finds_the_planted_rank(kind):
    X = planted(90, 40, 3, noise=0.05, seed=2).matrix.ones.astype(float)
    if kind == "frame":
        X = pd.DataFrame(X, columns=[f"f{j}" for j in range(40)])
    elif kind == "sparse":
        X = sp.csr_matrix(X)
    model = BooleanMatrixFactorization(**QUICK)
    search = GridSearchCV(
        model, {"n_components": [1, 2, 3, 9]}, scoring=CompletionScorer(0.2), cv=3
    ).fit(X)
    assert search.best_params_ == {"n_components": 3}
    assert 0.8 < search.best_score_ <= 1


def test_the_completion_score_counts_hidden_entries_only(example):
    X = example.ones.astype(float)
    model = BooleanMatrixFactorization(3, **QUICK).fit(X)
    hidden, where = hide_entries(example, 0.3, seed=4)
    data = np.where(where, np.nan, X)
    expected = (model.inverse_transform(model.transform(data))[where] == X[where]).mean()
    assert CompletionScorer(0.3, "accuracy", 4)(model, X) == pytest.approx(expected)
    pipeline = make_pipeline(FunctionTransformer(), model)
    assert CompletionScorer(0.3, "accuracy", 4)(pipeline, X) == pytest.approx(expected)
    assert hidden.n_missing == where.sum()


def test_the_completion_scorer_respects_the_threshold_of_the_model(example):
    X = 7.0 * example.ones + 1
    model = BooleanMatrixFactorization(3, binarize=4, **QUICK).fit(X)
    plain = BooleanMatrixFactorization(3, **QUICK).fit(example.ones.astype(float))
    assert CompletionScorer()(model, X) == CompletionScorer()(plain, example.ones.astype(float))


@pytest.mark.parametrize("bad", [{"share": 0}, {"metric": "loss"}])
def test_bad_scorers_are_refused(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        CompletionScorer(**bad)


def test_feature_names_out_do_not_need_a_frame(example):
    model = BooleanMatrixFactorization(3, **QUICK).fit(example.ones.astype(int))
    assert list(model.get_feature_names_out()) == ["pattern1", "pattern2", "pattern3"]


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


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"n_components": 0}, r"'n_components' .* must be an int in the range \[1, inf\). Got 0"),
        ({"n_components": 2.5}, "'n_components' .* must be an int .* Got 2.5"),
        ({"n_components": True}, "n_components must be a whole number, got True"),
        ({"method": 3}, "'method' .* must be an instance of 'str'. Got 3"),
        ({"method": "atuo"}, "method must be one of auto, local"),
        ({"rho": 0}, "'rho' .* must be a float"),
        ({"max_iter": 0}, "'max_iter' .* must be an int"),
        ({"tol": -0.1}, "'tol' .* must be a float"),
        ({"tol": "small"}, "'tol' .* must be a float"),
        ({"tol": 0.1, "method": "local"}, "method 'local' proves no bound"),
        ({"n_jobs": 0}, "n_jobs must be"),
        ({"n_jobs": 1.5}, "'n_jobs' .* must be"),
        ({"random_state": -1}, "'random_state' .* must be an int"),
        ({"time_limit": "long"}, "'time_limit' .* must be a float .* {'auto'}"),
        ({"time_limit": -3}, "'time_limit' .* must be a float"),
        ({"from_below": "no"}, "'from_below' .* must be an instance of 'bool'"),
        ({"binarize": "a"}, "'binarize' .* must be"),
        ({"bound": "both"}, "'bound' .* must be a str among"),
        ({"verbose": "x"}, "'verbose' .* must be an int .* Got 'x'"),
        ({"verbose": -1}, "'verbose' .* must be an int"),
        ({"false_one_cost": 0}, "false_one_cost must be at least 1"),
    ],
)
def test_bad_parameters_are_refused_by_the_names_of_the_estimator(bad, message):
    with pytest.raises((TypeError, ValueError), match=message):
        BooleanMatrixFactorization(**{**QUICK, **bad}).fit(np.eye(4))


def test_more_components_than_useful_are_warned_of_by_name():
    with pytest.warns(UserWarning, match="n_components = 9 is larger than min"):
        model = BooleanMatrixFactorization(9, **QUICK).fit(np.eye(4))
    assert model.n_components_ == 4


def test_from_below_adds_nothing_in_fit_in_transform_and_in_streams(example):
    X = example.ones.astype(int)
    model = BooleanMatrixFactorization(3, from_below=True, **QUICK).fit(X[:30])
    product = model.result_.factors.product()
    assert not (product & (X[:30] == 0)).any()
    assert model.reconstruction_err_ == (X[:30] > product).sum()
    again = model.inverse_transform(model.transform(X))
    assert not (again & (X == 0)).any()
    assert model.score(X) == pytest.approx(-(again != X).mean())
    model.partial_fit(X[:20]).partial_fit(X[20:])
    again = model.inverse_transform(model.transform(X))
    assert not (again & (X == 0)).any()


def test_costs_decide_and_are_counted(example):
    X = example.ones.astype(int)
    dear = BooleanMatrixFactorization(2, false_one_cost=5, missed_one_cost=2, **QUICK).fit(X)
    product = dear.result_.factors.product()
    missed, false = (X & ~product).sum(), ((X == 0) & product).sum()
    assert dear.reconstruction_err_ == 2 * missed + 5 * false
    assert dear.score(X) == pytest.approx(-dear.reconstruction_err_ / X.size, rel=0.2)


def test_bounds_are_forgotten_when_other_rows_come():
    model = BooleanMatrixFactorization(2, time_limit=20, n_jobs=1).fit(np.eye(4))
    assert model.error_lower_bound_ == 2
    model.partial_fit(np.array([[1, 0, 0, 0], [0, 1, 0, 0]]))
    assert model.reconstruction_err_ < 2
    assert model.error_lower_bound_ is model.gap_ is model.objective_lower_bound_ is None
    assert model.status_ is Status.HEURISTIC


def test_a_tolerance_ends_the_proof_early():
    X = load_dataset("zoo").ones.astype(int)
    model = BooleanMatrixFactorization(3, tol=0.9, time_limit=60, n_jobs=1).fit(X)
    assert 0 < model.gap_ <= 0.9 or model.status_ is Status.OPTIMAL
    assert model.result_.ending in (Ending.GAP_LIMIT, Ending.PROVED)
    assert model.error_lower_bound_ <= model.reconstruction_err_


def test_verbose_prints_lines_and_quiet_prints_none(example, capsys):
    X = example.ones.astype(int)
    BooleanMatrixFactorization(3, **QUICK).fit(X)
    assert capsys.readouterr().out == ""
    model = BooleanMatrixFactorization(3, verbose=True, **QUICK).fit(X)
    assert f"error {model.reconstruction_err_}" in capsys.readouterr().out


def test_fits_inside_a_search_have_less_time_and_prove_nothing(example):
    X = example.ones.astype(int)
    X[X.sum(axis=1) == 0, 0] = 1
    seen = []

    class Spy(BooleanMatrixFactorization):
        def fit(self, X, y=None):
            seen.append(self._time_and_bound(X.shape))
            return super().fit(X, y)

    model = Spy(max_iter=1, n_jobs=1)
    GridSearchCV(model, {"n_components": [2]}, cv=2).fit(X)
    short = {"time_limit": 2.0, "bound": "none"}
    assert seen == [short, short, {"time_limit": 60.0, "bound": "auto"}]
    seen.clear()
    cross_validate(Spy(2, time_limit=7, bound="error", max_iter=1, n_jobs=1), X, cv=2)
    assert seen == [{"time_limit": 7, "bound": "error"}] * 2
    assert BooleanMatrixFactorization()._time_and_bound((9, 9))["time_limit"] == 60


@pytest.mark.parametrize(("n_jobs", "expected"), [(-1, 4), (-2, 3), (2, 2), (None, 4)])
def test_threads_are_counted_as_scikit_learn_does(monkeypatch, n_jobs, expected):
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    assert BooleanMatrixFactorization(n_jobs=n_jobs)._workers() == expected


def test_a_notebook_shows_the_result_of_a_fitted_model_and_no_stale_one():
    X = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]])
    model = BooleanMatrixFactorization(n_components=2, time_limit=5, n_jobs=1)
    assert "<caption>Patterns" not in model._repr_mimebundle_()["text/html"]
    page = model.fit(X)._repr_mimebundle_()["text/html"]
    assert "BooleanMatrixFactorization" in page
    assert page.endswith(model.result_._repr_html_())
    assert "<caption>Patterns" not in model.partial_fit(X)._repr_mimebundle_()["text/html"]
