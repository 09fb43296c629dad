"""Which families of languages are in which patterns, of a result that was made of the WALS matrix.

    pip install --no-deps lang2vec
    python families_picture.py wals8 families.png

The package lang2vec (CC BY-SA 4.0) says to which families a language belongs, by Glottolog. Its
file is read and not run. Drawn is the share of the languages of a family that are in a pattern.
"""

from __future__ import annotations

import sys
from importlib import metadata

import numpy as np
from matplotlib.figure import Figure

import boolfact

FAMILIES = (
    "Narrow Bantu",
    "Chadic",
    "Semitic",
    "Indo-Aryan",
    "Iranian",
    "Turkic",
    "Sino-Tibetan",
    "Austroasiatic",
    "Austronesian",
    "Nuclear Trans New Guinea",
    "Pama-Nyungan",
    "Uto-Aztecan",
    "Otomanguean",
)


def main(folder: str, target: str) -> None:
    """Draw the shares, with how many languages of each family there are."""
    result = boolfact.Result.load(folder)
    package = metadata.distribution("lang2vec")
    with np.load(str(package.locate_file("lang2vec/data/family_features.npz"))) as file:
        known = file["langs"].tolist()
        families = [file["feats"].tolist().index(f"F_{name}") for name in FAMILIES]
        belongs = file["data"][[known.index(name) for name in result.row_names], :, 0]
    belongs = belongs[:, families] == 1
    sizes = belongs.sum(axis=0)
    shares = (belongs.T.astype(int) @ result.A.astype(int)) / sizes[:, None]
    figure = Figure(figsize=(7.2, 5.0), layout="constrained")
    axes = figure.subplots()
    axes.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    for (i, u), share in np.ndenumerate(shares):
        colour = "white" if share > 0.6 else "black"
        axes.text(u, i, f"{100 * share:.0f}", ha="center", va="center", color=colour, fontsize=9)
    axes.set_yticks(
        range(len(FAMILIES)), [f"{f} ({n})" for f, n in zip(FAMILIES, sizes, strict=True)]
    )
    axes.set_xticks(range(result.k), [f"{u + 1}" for u in range(result.k)])
    axes.set_xlabel("pattern")
    axes.set_title("Languages of a family in each pattern, per cent", fontsize=11)
    figure.savefig(target, dpi=100)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python families_picture.py FOLDER FILE.png")
    main(*sys.argv[1:])
