import numpy as np
import pytest
import scipy.sparse

import boolfact
import boolfact.anndata

anndata = pytest.importorskip("anndata", reason="the extra 'anndata' is not installed")

OPTIONS = {"time_limit": None, "iteration_limit": 5, "seed": 0}


@pytest.fixture
def adata():
    truth = boolfact.planted(30, 12, 2, noise=0.0, seed=3).matrix.ones
    counts = scipy.sparse.csr_matrix(truth * np.random.default_rng(0).integers(1, 9, truth.shape))
    made = anndata.AnnData(counts.astype(np.float32))
    made.obs_names = [f"cell{i}" for i in range(30)]
    made.var_names = [f"gene{j}" for j in range(12)]
    made.layers["counts"] = counts.copy()
    made.raw = made
    made.var["some"] = np.arange(12) < 8
    return made


def test_fit_writes_in_place_what_scanpy_users_look_for(adata):
    assert boolfact.anndata.fit(adata, 2, **OPTIONS) is None
    codes, genes = adata.obsm["X_boolfact"], adata.varm["boolfact"]
    assert codes.shape == (30, 2)
    assert genes.shape == (12, 2)
    X = adata.X.toarray() > 0
    wrong = ((codes.astype(int) @ genes.T.astype(int) > 0) != X).sum()
    assert adata.uns["boolfact"]["error"] == wrong == 0
    assert adata.uns["boolfact"]["params"]["binarize"] == 0


def test_a_copy_leaves_the_object_alone(adata):
    other = boolfact.anndata.fit(adata, 2, layer="counts", copy=True, **OPTIONS)
    assert "boolfact" in other.uns
    assert "boolfact" not in adata.uns
    assert other.uns["boolfact"]["params"]["layer"] == "counts"


def test_the_result_comes_back_from_a_file(adata, tmp_path):
    boolfact.anndata.fit(adata, 1, key_added="one", **OPTIONS)
    adata.write_h5ad(tmp_path / "cells.h5ad")
    again = anndata.read_h5ad(tmp_path / "cells.h5ad")
    result = boolfact.anndata.load(again, "one")
    X = boolfact.as_matrix(again, binarize=0)
    assert result.factors.error(X) == result.error
    assert result.digest == X.digest()
    assert result.column_names == X.column_names
    assert result.tally is not None
    assert result.tally.ones == X.n_ones
    assert result.tally.wrong == result.error
    assert "\nexplained " in result.summary()
    assert result.error_lower_bound == again.uns["one"]["error_lower_bound"]


def test_some_genes_are_used_and_the_others_get_zeros(adata):
    boolfact.anndata.fit(adata, 2, mask_var="some", **OPTIONS)
    assert not adata.varm["boolfact"][8:].any()
    assert boolfact.anndata.load(adata).shape == (30, 8)


def test_raw_has_genes_of_its_own(adata):
    few = adata[:, [3, 1]].copy()
    few.raw = adata
    boolfact.anndata.fit(few, 2, raw=True, **OPTIONS)
    assert few.raw.varm["boolfact"].shape == (12, 2)
    assert (few.varm["boolfact"] == few.raw.varm["boolfact"][[3, 1]]).all()
    assert boolfact.anndata.load(few).shape == (30, 12)


def test_a_result_is_not_given_for_other_cells(adata):
    boolfact.anndata.fit(adata, 1, **OPTIONS)
    with pytest.raises(ValueError, match="computed for 30 cells and 12 genes"):
        boolfact.anndata.load(adata[:10])
    with pytest.raises(ValueError, match="there is no 'other'"):
        boolfact.anndata.load(adata, "other")


def test_what_cannot_be_meant_is_refused(adata):
    with pytest.raises(TypeError, match="must be an AnnData object"):
        boolfact.anndata.fit(np.eye(3), 1)
    with pytest.raises(ValueError, match="no column 'none'"):
        boolfact.anndata.fit(adata, 1, mask_var="none")
    with pytest.raises(ValueError, match="raw has variables of its own"):
        boolfact.anndata.fit(adata, 1, mask_var="some", raw=True)
    with pytest.raises(ValueError, match="true or false for each of 12"):
        boolfact.anndata.fit(adata, 1, mask_var=np.ones(3, bool))


def test_scaled_values_are_warned_about(adata):
    adata.X = np.random.default_rng(0).normal(size=adata.shape)
    with pytest.warns(UserWarning, match=r"negative values.*there is also raw, layer counts"):
        boolfact.anndata.fit(adata, 1, **OPTIONS)


def test_the_estimator_takes_anndata(adata):
    model = boolfact.BooleanMatrixFactorization(2, binarize=0, time_limit=None, max_iter=5)
    codes = model.fit_transform(adata)
    assert model.reconstruction_err_ == 0
    assert list(model.feature_names_in_) == list(adata.var_names)
    assert (model.transform(adata[:5]) == codes[:5]).all()
    with pytest.raises(ValueError, match="feature names"):
        model.transform(adata[:, ::-1])


def test_a_backed_object_is_read_from_its_file(adata, tmp_path):
    adata.write_h5ad(tmp_path / "cells.h5ad")
    backed = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    X = boolfact.as_matrix(backed, binarize=0)
    assert X.digest() == boolfact.as_matrix(adata, binarize=0).digest()
