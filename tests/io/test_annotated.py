import warnings

import numpy as np
import pytest
import scipy.sparse

import boolfact
from boolfact.io.annotated import AnnotatedMatrix, is_anndata, select_matrix
from boolfact.io.rows import as_rows
from boolfact.model.sparse import SparseMatrix

COUNTS = np.array([[0.0, 3.0, 1.0], [2.0, 0.0, 0.0]])
CELLS, GENES = ("cell a", "cell b"), ("g1", "g2", "gö")


class Raw:
    var_names = (*GENES, "g4")
    X = scipy.sparse.csr_matrix(np.c_[COUNTS, [1, 1]])


class Cells:
    """What is asked of an AnnData object."""

    obs = var = None
    obs_names, var_names = CELLS, GENES
    shape = COUNTS.shape

    def __init__(self, X, layers=None, raw=None):
        self.X, self.layers, self.raw = X, layers or {}, raw


def test_an_object_like_anndata_is_read():
    cells = Cells(scipy.sparse.csr_matrix(COUNTS))
    assert is_anndata(cells)
    assert not is_anndata(COUNTS)
    X = boolfact.as_matrix(cells, binarize=1)
    assert (X.ones == (COUNTS > 1)).all()
    assert (X.row_names, X.column_names) == (CELLS, GENES)


def test_a_layer_and_raw_are_chosen_by_name():
    cells = Cells(COUNTS, layers={"twice": 2 * COUNTS}, raw=Raw())
    assert (boolfact.as_matrix(cells, binarize=3, layer="twice").ones == (COUNTS > 1)).all()
    X = boolfact.as_matrix(cells, binarize=0, raw=True)
    assert X.column_names == (*GENES, "g4")
    assert X.ones[:, 3].all()


@pytest.mark.parametrize("make", [np.asarray, scipy.sparse.csr_array, scipy.sparse.coo_array])
def test_rows_and_the_dense_matrix_say_the_same(make):
    values = np.where(np.random.default_rng(0).random(COUNTS.shape) < 0.3, np.nan, COUNTS)
    cells = Cells(make(values))
    dense, rows = boolfact.as_matrix(cells, binarize=0), as_rows(cells, binarize=0)
    assert (rows.values(slice(0, 2)) == dense.values).all()
    assert (rows.row_names, rows.column_names) == (dense.row_names, dense.column_names)
    assert dense.n_missing == np.isnan(values).sum()


def test_few_ones_stay_lists():
    cells = Cells(scipy.sparse.csr_matrix((2, 3)))
    assert isinstance(as_rows(cells, binarize=0), SparseMatrix)


def test_values_of_cells_need_a_threshold_and_the_message_says_so():
    with pytest.raises(ValueError, match=r"'cell a', variable 'g2'.*binarize=0 makes a one"):
        boolfact.as_matrix(Cells(scipy.sparse.csr_matrix(COUNTS)))


def test_z_scores_are_warned_about_with_what_there_is_instead():
    scaled = np.random.default_rng(0).normal(size=(200, 50))
    cells = Cells(scaled, layers={"counts": abs(scaled)})
    cells.obs_names, cells.var_names = np.arange(200), np.arange(50)
    message = r"X has negative values \(down to -.*\): these are z-scores.*layer counts"
    with pytest.warns(UserWarning, match=message):
        boolfact.as_matrix(cells, binarize=0)
    with pytest.warns(UserWarning, match=message):
        as_rows(cells, binarize=0)


def test_negative_values_that_are_no_z_scores_are_called_that():
    with pytest.warns(UserWarning, match="negative values .*no counts"):
        boolfact.as_matrix(Cells(-10 * COUNTS), binarize=0)
    with pytest.warns(UserWarning, match="negative values"):
        boolfact.as_matrix(Cells(scipy.sparse.csr_matrix(-COUNTS)), binarize=0)


def test_counts_are_not_warned_about():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        boolfact.as_matrix(Cells(COUNTS), binarize=0)
        boolfact.as_matrix(Cells(scipy.sparse.csr_matrix(COUNTS)), binarize=0)


def test_a_threshold_below_zero_is_refused_for_sparse_data():
    with pytest.raises(ValueError, match="makes every entry that is not stored a one"):
        boolfact.as_matrix(Cells(scipy.sparse.csr_matrix(COUNTS)), binarize=-1)


def test_layer_and_raw_are_refused_together_and_for_other_data():
    with pytest.raises(ValueError, match="layer or raw, not both"):
        select_matrix(Cells(COUNTS), layer="counts", raw=True)
    with pytest.raises(ValueError, match="this is a ndarray"):
        boolfact.as_matrix(COUNTS, raw=True)
    with pytest.raises(ValueError, match="this is the file 'zoo'"):
        boolfact.as_matrix("zoo", layer="counts")
    with pytest.raises(ValueError, match="chosen before"):
        select_matrix(AnnotatedMatrix(Cells(COUNTS)), raw=True)


def test_names_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"X has shape \(3, 2\), but there are 2 names"):
        boolfact.as_matrix(Cells(COUNTS.T))
