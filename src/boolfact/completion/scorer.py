"""A scorer for scikit-learn's searches: how well hidden entries of new rows are predicted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from boolfact.completion.folds import hide_entries, score_entries
from boolfact.io.read import as_matrix

__all__ = ["CompletionScorer"]


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
    >>> model = boolfact.BooleanMatrixFactorization(time_limit=None, max_iter=5, bound="none")
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
