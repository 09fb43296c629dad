"""The scikit-learn estimator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from boolfact.completion.folds import hide_entries, score_entries
from boolfact.control.checks import checked_workers
from boolfact.io.annotated import AnnotatedMatrix, is_anndata
from boolfact.io.read import as_matrix
from boolfact.io.rows import as_rows
from boolfact.model.factors import Factors
from boolfact.solve.factorize import factorize

if TYPE_CHECKING:
    from boolfact.large.stream import PatternStream, RowCoder

__all__ = ["BooleanMatrixFactorization", "CompletionScorer"]


class BooleanMatrixFactorization(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Boolean matrix factorisation as a scikit-learn transformer.

    Finds binary codes A and binary components B whose Boolean product A∘B differs from
    X in as few entries as possible. NaN entries are missing and cost nothing.

    Parameters
    ----------
    n_components : int, default=5
        How many patterns.
    method : str, default="auto"
        See `boolfact.methods()`.
    rho : float, default=1.0
        See `boolfact.factorize`.
    time_limit : float or None, default=60.0
        Seconds for `fit`.
    max_iter : int or None, default=None
        Iteration limit, for reproducible results.
    binarize : float or None, default=None
        Values above this count as 1, the others as 0. Without it, values other than 0, 1 and
        NaN are refused.
    bound : {"auto", "none", "objective", "error"}, default="auto"
        See `boolfact.factorize`.
    random_state : int, RandomState or None, default=0
    n_jobs : int or None, default=None
        Threads; all cores by default.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features), int8
        The patterns, B.
    n_components_ : int
        `n_components`, or min(n_samples, n_features) if that is smaller.
    reconstruction_err_ : int
        How many observed entries differ.
    error_lower_bound_ : float or None
        Proved, on the error of any factorisation of this rank.
    gap_ : float or None
        How far the error can be from the least possible, relative to the error.
    objective_lower_bound_ : float or None
        Proved, on the MIP(rho) objective of any factorisation of this rank.
    status_ : boolfact.Status
        What is known of the answer.
    result_ : boolfact.Result
        Everything else that is known.
    n_iter_ : int
    n_samples_seen_ : int
        Rows given to `fit`, or to `partial_fit` so far.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Examples
    --------
    >>> import numpy as np
    >>> from boolfact import BooleanMatrixFactorization
    >>> X = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]])
    >>> model = BooleanMatrixFactorization(n_components=2, time_limit=5).fit(X)
    >>> model.reconstruction_err_
    0
    >>> (model.inverse_transform(model.transform(X)) == X).all()
    np.True_
    """

    def __init__(
        self,
        n_components: int = 5,
        *,
        method: str = "auto",
        rho: float = 1.0,
        time_limit: float | None = 60.0,
        max_iter: int | None = None,
        binarize: float | None = None,
        bound: str = "auto",
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.method = method
        self.rho = rho
        self.time_limit = time_limit
        self.max_iter = max_iter
        self.binarize = binarize
        self.bound = bound
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, start: Any = None) -> BooleanMatrixFactorization:
        """Find the patterns of X.

        Parameters
        ----------
        X : array-like, sparse matrix or AnnData of shape (n_samples, n_features)
            Of AnnData, X is used; give `adata.layers[name]` for a layer.
        y : ignored
        start : Factors, pair (A, B), Result, or folder of a saved result, optional
            A solution to begin from, see `boolfact.factorize`. It has a code for each row of X,
            so it belongs to `fit` and not to the constructor.

        Returns
        -------
        self
        """
        result = factorize(
            self._checked(X, reset=True),
            self.n_components,
            binarize=self.binarize,
            method=self.method,
            start=start,
            rho=self.rho,
            time_limit=self.time_limit,
            iteration_limit=self.max_iter,
            seed=self._seed(),
            workers=self._workers(),
            bound=self.bound,  # type: ignore[arg-type]
        )
        self.result_ = result
        self.components_ = result.B.astype(np.int8)
        self.n_components_ = len(self.components_)
        self.reconstruction_err_ = result.error
        self.error_lower_bound_ = result.error_lower_bound
        self.gap_ = result.gap
        self.objective_lower_bound_ = result.objective_lower_bound
        self.status_ = result.status
        self.n_iter_ = max(1, result.iterations)
        self.n_samples_seen_ = len(result.A)
        self._stream: PatternStream | None = None
        return self

    def partial_fit(self, X: Any, y: Any = None) -> BooleanMatrixFactorization:
        """Go on with more rows: they are coded by the patterns, then the patterns are refitted.

        The first rows are given to `fit`; where `fit` was called before, its rows are not counted
        again, only its patterns are. Later ones take their best codes; of all rows so far
        what counts for the patterns is kept, a table of 2^n_components lines, and not the rows
        themselves. Each column then takes the best patterns for the codes of all of them. There
        may be at most 12 components.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        from boolfact.large.stream import PatternStream

        if not hasattr(self, "components_"):
            PatternStream.check(self.n_components)
            self.fit(X)
        rows = as_rows(self._checked(X, reset=False), binarize=self.binarize)
        assert rows is not None
        if self._stream is None:
            self._stream = PatternStream(self._patterns)
        self._stream.add(rows)
        self.components_ = self._stream.patterns.astype(np.int8)
        self.n_samples_seen_ = self._stream.n_rows
        self.reconstruction_err_ = self._stream.error
        return self

    def transform(self, X: Any) -> NDArray[np.int8]:
        """Best codes for the rows of X: each picks the union of patterns nearest to it.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_components_), int8
        """
        check_is_fitted(self)
        return self._codes(self._checked(X, reset=False)).view(np.int8)

    def inverse_transform(self, X: Any) -> NDArray[np.int8]:
        """Boolean product of codes and patterns.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components_)
            Codes, 0 or 1.

        Returns
        -------
        ndarray of shape (n_samples, n_features), int8
        """
        check_is_fitted(self)
        codes = as_matrix(X)
        if codes.shape[1] != self.n_components_:
            raise ValueError(
                f"expected codes with {self.n_components_} columns, got {codes.shape[1]}"
            )
        if codes.n_missing:
            raise ValueError("codes must be 0 or 1, got a missing entry")
        return Factors(codes.ones, self._patterns).product().astype(np.int8)

    def score(self, X: Any, y: Any = None) -> float:
        """Minus the share of observed entries of X that its best codes get wrong."""
        check_is_fitted(self)
        rows = as_rows(self._checked(X, reset=False), binarize=self.binarize)
        assert rows is not None
        n, m = rows.shape
        return -self._coder().code(rows)[1] / max(1, n * m - rows.n_missing)

    @property
    def _n_features_out(self) -> int:
        return int(self.n_components_)

    def _codes(self, X: Any) -> NDArray[np.bool_]:
        rows = as_rows(X, binarize=self.binarize)
        assert rows is not None
        return self._coder().code(rows)[0]

    def _coder(self) -> RowCoder:
        from boolfact.large.stream import RowCoder

        return RowCoder(self._patterns, workers=checked_workers(self._workers()))

    @property
    def _patterns(self) -> NDArray[np.bool_]:
        return self.components_.astype(np.bool_)

    def _checked(self, X: Any, *, reset: bool) -> Any:
        if is_anndata(X):
            X = AnnotatedMatrix(X).frame(self.binarize)
        return validate_data(
            self,
            X,
            reset=reset,
            accept_sparse=True,
            dtype=None,
            ensure_all_finite="allow-nan",
        )

    def _workers(self) -> int | None:
        return None if self.n_jobs in (None, -1) else self.n_jobs

    def _seed(self) -> int:
        if isinstance(self.random_state, int | np.integer):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = []
        return tags


@dataclass(frozen=True)
class CompletionScorer:
    """A scorer for `GridSearchCV`: how well hidden entries of new rows are predicted.

    A share of the observed ones and of the observed zeros of X is hidden, the rest is coded by
    `transform`, and `inverse_transform` predicts what was hidden. Unlike the error, which only
    falls with more components, this gets worse once they describe noise.

    Parameters
    ----------
    share : float
        How much to hide, between 0 and 1.
    metric : {"f1", "accuracy", "precision", "recall"}
    seed : int
        Of the choice of entries.

    Examples
    --------
    >>> import boolfact
    >>> from sklearn.model_selection import GridSearchCV
    >>> X = boolfact.planted(80, 30, 3, noise=0.02, seed=1).matrix.ones.astype(int)
    >>> model = BooleanMatrixFactorization(time_limit=None, max_iter=5, bound="none")
    >>> search = GridSearchCV(model, {"n_components": [1, 3]}, scoring=CompletionScorer(), cv=3)
    >>> search.fit(X).best_params_
    {'n_components': 3}
    """

    share: float = 0.1
    metric: Literal["f1", "accuracy", "precision", "recall"] = "f1"
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.share < 1:
            raise ValueError(f"share must be between 0 and 1, got {self.share}")
        if self.metric not in ("f1", "accuracy", "precision", "recall"):
            raise ValueError(
                f"metric must be 'f1', 'accuracy', 'precision' or 'recall', got {self.metric!r}"
            )

    def __call__(self, estimator: Any, X: Any, y: Any = None) -> float:
        """The score of a fitted estimator, or of a pipeline that ends in one; more is better."""
        final = estimator[-1] if hasattr(estimator, "steps") else estimator
        truth = as_matrix(X, binarize=getattr(final, "binarize", None))
        _, where = hide_entries(truth, self.share, seed=self.seed)
        codes = estimator.transform(_hide(X, where))
        predicted = np.asarray(estimator.inverse_transform(codes)) > 0
        return float(getattr(score_entries(truth, predicted, where), self.metric))


def _hide(X: Any, where: NDArray[np.bool_]) -> Any:
    """The same data with NaN in some places; a frame stays a frame, for its names."""
    if hasattr(X, "mask") and hasattr(X, "iloc"):
        return X.astype(np.float64).mask(where)
    dense = X.toarray() if scipy.sparse.issparse(X) else X
    return np.where(where, np.nan, np.asarray(dense, dtype=np.float64))
