"""The scikit-learn estimator."""

from __future__ import annotations

import inspect
import os
import warnings
from dataclasses import replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from joblib.parallel import get_active_backend
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from boolfact.control.checks import whole_number
from boolfact.control.progress import silent
from boolfact.io.annotated import AnnotatedMatrix, is_anndata
from boolfact.io.read import as_matrix
from boolfact.io.rows import as_rows
from boolfact.model.costs import with_row_costs
from boolfact.model.factors import Factors
from boolfact.model.packed import PackedMatrix
from boolfact.model.sparse import SparseMatrix
from boolfact.results.closing import closing_lines
from boolfact.results.result import Result
from boolfact.results.status import Status
from boolfact.results.verbose import verbose_progress
from boolfact.solve.factorize import factorize
from boolfact.solve.method import find_method

if TYPE_CHECKING:
    from boolfact.large.stream import PatternStream, RowCoder

__all__ = ["BooleanMatrixFactorization"]

_SECONDS = 60.0
"""For a fit by itself."""
_SEARCH_SECONDS = (2.0, 20.0)
_SEARCH_CELLS = 10_000
"""For a fit inside a search: a second for so many cells, within limits."""
_STREAM_PRICE = 1 << 36
"""Of a zero covered from below, where not all rows are known: more than all ones will cost."""


class BooleanMatrixFactorization(TransformerMixin, BaseEstimator):
    """Boolean matrix factorisation as a scikit-learn transformer.

    Finds binary codes A and binary components B whose Boolean product A∘B differs from
    X in as few entries as possible. NaN entries are missing and cost nothing.

    Parameters
    ----------
    n_components : int, default=5
        How many patterns. More than min(n_samples, n_features) are of no use: a warning says so.
    method : str, default="auto"
        How to look for them; `boolfact.methods()` lists the names, `boolfact methods` what each
        one proves.
    rho : float, default=1.0
        Price of covering a zero once more in the MIP(rho) objective that column generation
        works on. The error does not depend on it.
    time_limit : float, None or "auto", default="auto"
        Seconds for `fit`; None for no limit. The best patterns so far are kept when time is over,
        and on Ctrl-C. "auto" stands for 60 seconds. Inside a search or cross-validation of
        scikit-learn, such as `GridSearchCV`, it stands for 2 to 20 seconds a fit, by the size of
        the data, and no bounds are proved unless `bound` asks for them by name; the final refit
        of a search has the full time.
    max_iter : int or None, default=None
        Iteration limit; of the method "exact", nodes of its tree. With `time_limit=None` the same
        `random_state` then gives the same answer on any machine.
    tol : float, default=0.0
        End once `gap_` is at most this: 0.05 is content with an error that is proved to be
        within 5 % of the least possible. It needs a method that proves bounds on the error, and
        `bound` other than "none".
    false_one_cost, missed_one_cost : int, default=1
        What it costs to cover a zero, and to leave a one uncovered. Only their ratio decides which
        patterns are best: 3 and 2 stand for 1.5 and 1. Errors, bounds and scores are in these
        prices.
    from_below : bool, default=False
        Cover no zero at all, as in role mining: `transform` too gives codes that add nothing.
    binarize : float or None, default=None
        Values above this count as 1, the others as 0. Without it, values other than 0, 1 and
        NaN are refused.
    bound : {"auto", "none", "objective", "error"}, default="auto"
        Which lower bounds to prove: on the MIP(rho) objective, on the error, none, or both
        ("auto").
    random_state : int, RandomState or None, default=0
        Seed of the search. None draws another one each time.
    n_jobs : int or None, default=None
        Threads. None takes all cores, or one where joblib runs several fits at a time; -1 takes
        all cores, -2 all but one.
    verbose : bool or int, default=False
        Print the error, and the bound on it, every other second while `fit` is at work.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features), int8
        The patterns, B.
    n_components_ : int
        `n_components`, or min(n_samples, n_features) if that is smaller.
    reconstruction_err_ : int
        How many observed entries differ; with prices, what they cost.
    error_lower_bound_ : float or None
        Proved: no factorisation with as many components has a smaller `reconstruction_err_`.
        None where nothing was proved.
    gap_ : float or None
        (reconstruction_err_ - error_lower_bound_) / reconstruction_err_: how far the error can be
        from the least possible. None without a bound.
    objective_lower_bound_ : float or None
        Proved, on the MIP(rho) objective; it says nothing of the error.
    status_ : boolfact.Status
        What is known of the answer: proved to be the best, bounded, or a heuristic one.
    result_ : boolfact.Result
        Everything else that is known: codes, trace, certificate, `summary()`, `save()`.
    n_iter_ : int
        Iterations of all engines.
    n_samples_seen_ : int
        Rows given to `fit`, or to `partial_fit` so far.
    n_features_in_ : int
        Columns of the data.
    feature_names_in_ : ndarray of str
        Their names, where X had names.

    See Also
    --------
    boolfact.factorize : The same as a function, with more options.
    boolfact.CompletionScorer : Choose `n_components` by how well hidden entries are predicted.

    Examples
    --------
    >>> import numpy as np
    >>> from boolfact import BooleanMatrixFactorization
    >>> X = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]])
    >>> model = BooleanMatrixFactorization(n_components=2, time_limit=5).fit(X)
    >>> model.reconstruction_err_, model.error_lower_bound_, model.status_.value
    (0, 0.0, 'optimal')
    >>> (model.inverse_transform(model.transform(X)) == X).all()
    np.True_
    >>> model.get_feature_names_out().tolist()
    ['pattern1', 'pattern2']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any] | str]] = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "method": [str],
        "rho": [Interval(Real, 0, None, closed="neither")],
        "time_limit": [Interval(Real, 0, None, closed="right"), StrOptions({"auto"}), None],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "tol": [Interval(Real, 0, None, closed="left")],
        # `factorize` checks these, and says more of them.
        "false_one_cost": "no_validation",
        "missed_one_cost": "no_validation",
        "from_below": ["boolean"],
        "binarize": [Real, None],
        "bound": [StrOptions({"auto", "none", "objective", "error"})],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }
    error_lower_bound_: float | None
    gap_: float | None
    objective_lower_bound_: float | None
    status_: Status
    _stream: PatternStream | None

    def __init__(
        self,
        n_components: int = 5,
        *,
        method: str = "auto",
        rho: float = 1.0,
        time_limit: float | Literal["auto"] | None = "auto",
        max_iter: int | None = None,
        tol: float = 0.0,
        false_one_cost: int = 1,
        missed_one_cost: int = 1,
        from_below: bool = False,
        binarize: float | None = None,
        bound: str = "auto",
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_components = n_components
        self.method = method
        self.rho = rho
        self.time_limit = time_limit
        self.max_iter = max_iter
        self.tol = tol
        self.false_one_cost = false_one_cost
        self.missed_one_cost = missed_one_cost
        self.from_below = from_below
        self.binarize = binarize
        self.bound = bound
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, start: Any = None) -> BooleanMatrixFactorization:
        """Find the patterns of X.

        Parameters
        ----------
        X : array-like, sparse matrix or AnnData of shape (n_samples, n_features)
            Entries 0, 1 or NaN, or numbers with `binarize`. Of AnnData, X is used; give
            `adata.layers[name]` for a layer.
        y : ignored
        start : Factors, pair (A, B), Result, or folder of a saved result, optional
            A solution to begin from, see `boolfact.factorize`. It has a code for each row of X,
            so it belongs to `fit` and not to the constructor.

        Returns
        -------
        self
        """
        k, limits = self._checked_parameters()
        data = self._checked(X, reset=True)
        k = _useful(k, data.shape)
        result = factorize(
            data,
            k,
            binarize=self.binarize,
            method=self.method,
            start=start,
            rho=self.rho,
            seed=self._seed(),
            workers=self._workers(),
            progress=verbose_progress() if self.verbose else silent,
            **self._time_and_bound(data.shape),
            **limits,
            **self._prices(),
        )
        self._take(replace(result, **_names_of(X, self)))
        if self.verbose:
            lines = closing_lines(self.result_)
            print("\n".join(f"{label:<10} {text}" for label, text in lines), flush=True)
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
            PatternStream.check(self._checked_parameters()[0])
            self.fit(X)
        rows = self._rows(X, price=_STREAM_PRICE)
        if self._stream is None:
            self._stream = PatternStream(self._patterns)
        self._stream.add(rows)
        self.components_ = self._stream.patterns.astype(np.int8)
        self.n_samples_seen_ = self._stream.n_rows
        self.reconstruction_err_ = self._stream.error
        # What was proved was of the rows of `fit`, and not of these.
        self.error_lower_bound_ = self.gap_ = self.objective_lower_bound_ = None
        self.status_ = Status.HEURISTIC
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
        return self._coder().code(self._rows(X))[0].view(np.int8)

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
        """Minus the error of the best codes of X for each observed entry, in the model's prices.

        Without prices this is minus the share of observed entries that are wrong.
        """
        check_is_fitted(self)
        rows = self._rows(X)
        n, m = rows.shape
        return -self._coder().code(rows)[1] / max(1, n * m - rows.n_missing)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Names of the columns that `transform` gives: pattern1, pattern2, ...

        Parameters
        ----------
        input_features : ignored
        """
        check_is_fitted(self)
        return np.array([f"pattern{u}" for u in range(1, self.n_components_ + 1)], dtype=object)

    def _take(self, result: Result) -> None:
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
        self._stream = None

    def _checked_parameters(self) -> tuple[int, dict[str, Any]]:
        """The number of components, and limits in the words of `factorize`."""
        self._validate_params()
        k = whole_number("n_components", self.n_components, 1)
        limits: dict[str, Any] = {}
        method = find_method(self.method)
        if self.max_iter is not None:
            counts_nodes = "node_limit" in method.options
            name = "node_limit" if counts_nodes else "iteration_limit"
            limits[name] = whole_number("max_iter", self.max_iter, 1)
        if self.tol:
            if "gap_limit" not in method.options:
                raise ValueError(
                    f"method {self.method!r} proves no bound on the error, so tol must be 0, "
                    f"got {self.tol!r}"
                )
            limits["gap_limit"] = float(self.tol)
        return k, limits

    def _time_and_bound(self, shape: tuple[int, int]) -> dict[str, Any]:
        if self.time_limit != "auto":
            return {"time_limit": self.time_limit, "bound": self.bound}
        if not _is_searched():
            return {"time_limit": _SECONDS, "bound": self.bound}
        seconds = float(np.clip(shape[0] * shape[1] / _SEARCH_CELLS, *_SEARCH_SECONDS))
        return {"time_limit": seconds, "bound": "none" if self.bound == "auto" else self.bound}

    def _prices(self) -> dict[str, Any]:
        return {
            "false_one_cost": self.false_one_cost,
            "missed_one_cost": self.missed_one_cost,
            "from_below": self.from_below,
        }

    def _rows(self, X: Any, price: int | None = None) -> PackedMatrix | SparseMatrix:
        """New rows with the prices of the model, or with another one for covering from below."""
        rows = as_rows(self._checked(X, reset=False), binarize=self.binarize)
        assert rows is not None
        rows = with_row_costs(rows, **self._prices())
        return replace(rows, false_one_cost=price) if self.from_below and price else rows

    def _coder(self) -> RowCoder:
        from boolfact.large.stream import RowCoder
        from boolfact.local_search.problem import MAX_RANK

        if self.n_components_ > MAX_RANK:
            raise ValueError(
                f"rows can be coded for n_components up to {MAX_RANK}, got {self.n_components_}; "
                "the codes of the rows of fit are result_.A"
            )
        return RowCoder(self._patterns, workers=self._workers())

    @property
    def _patterns(self) -> NDArray[np.bool_]:
        return self.components_.astype(np.bool_)

    def _checked(self, X: Any, *, reset: bool) -> Any:
        """X as an array or sparse matrix; columns are compared with those of `fit`, or noted."""
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

    def _workers(self) -> int:
        cores = os.cpu_count() or 1
        if self.n_jobs is None:
            # Fits that run beside each other would otherwise take all cores each.
            return 1 if get_active_backend()[0].nesting_level else cores
        n_jobs = whole_number("n_jobs", self.n_jobs, -cores)
        if n_jobs == 0:
            raise ValueError("n_jobs must be a number of threads, -1 or None, got 0")
        return n_jobs if n_jobs > 0 else cores + 1 + n_jobs

    def _seed(self) -> int:
        if isinstance(self.random_state, Integral):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """What notebooks show: the diagram of scikit-learn and, once fitted, the result."""
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        # After partial_fit the patterns are no longer those of the result.
        if "text/html" in bundle and getattr(self, "_stream", False) is None:
            bundle["text/html"] += self.result_._repr_html_()
        return bundle

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _useful(n_components: int, shape: tuple[int, int]) -> int:
    most = min(shape)
    if n_components > most:
        warnings.warn(
            f"n_components = {n_components} is larger than min(n_samples, n_features) = {most}, "
            f"with which X is reproduced without error; using n_components = {most}",
            UserWarning,
            stacklevel=3,
        )
    return min(n_components, most)


def _names_of(X: Any, model: BooleanMatrixFactorization) -> dict[str, Any]:
    """Names of rows and columns for the result: those of a frame."""
    names: dict[str, Any] = {}
    if hasattr(model, "feature_names_in_"):
        names["column_names"] = tuple(map(str, model.feature_names_in_))
    index = getattr(X, "index", None)
    if hasattr(X, "iloc") and index is not None and list(index) != list(range(len(index))):
        names["row_names"] = tuple(map(str, index))
    return names


def _is_searched() -> bool:
    """Whether a cross-validation of scikit-learn called this fit: nothing else would tell."""
    frame = inspect.currentframe()
    while frame is not None:
        if frame.f_globals.get("__name__") == "sklearn.model_selection._validation":
            return True
        frame = frame.f_back
    return False
