"""Where the patterns of single cells are on the map that scanpy draws of them.

    pip install scanpy 'boolfact[anndata,plot]'
    python cells_picture.py cells.h5ad cells.png

The file is one that `boolfact.anndata.fit` wrote its patterns into.
"""

from __future__ import annotations

import sys

import anndata
import numpy as np
from matplotlib.figure import Figure

_PALE, _STRONG = "#D5DBDE", "#D55E00"


def main(path: str, target: str) -> None:
    """Draw the labels of the cells, then one map for each pattern."""
    adata = anndata.read_h5ad(path)
    place, codes = adata.obsm["X_umap"], np.asarray(adata.obsm["X_boolfact"]) == 1
    figure = Figure(figsize=(9.6, 6.2), layout="constrained")
    panels = figure.subplots(2, -(-(codes.shape[1] + 1) // 2)).ravel()
    for axes in panels:
        axes.axis("off")
    labels = adata.obs["bulk_labels"]
    for name in labels.cat.categories:
        at = place[(labels == name).to_numpy()]
        panels[0].scatter(*at.T, s=7, linewidths=0, label=name)
    panels[0].legend(fontsize=6, loc="center right", frameon=False, markerscale=1.5)
    # Room for the legend, to the right of the cells.
    left, right = panels[0].get_xlim()
    panels[0].set_xlim(left, right + 1.5 * (right - left))
    panels[0].set_title("bulk_labels", fontsize=10)
    for u, axes in enumerate(panels[1 : codes.shape[1] + 1]):
        inside = codes[:, u]
        axes.scatter(*place[~inside].T, s=6, color=_PALE, linewidths=0)
        axes.scatter(*place[inside].T, s=8, color=_STRONG, linewidths=0)
        axes.set_title(f"pattern {u + 1}: {inside.sum()} cells", fontsize=10)
    figure.savefig(target, dpi=90)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python cells_picture.py FILE.h5ad FILE.png")
    main(*sys.argv[1:])
