"""What the World Atlas of Language Structures says of languages: languages × features.

    pip install --no-deps lang2vec
    python wals_features.py wals.npz

The package lang2vec (CC BY-SA 4.0) carries the database URIEL, whose source WALS is the atlas
(Dryer and Haspelmath, editors, 2013, https://wals.info, CC BY 4.0). Its file is read and not run.

A feature such as S_SVO (the order of words is subject, verb, object) is 1 or 0 where the atlas
says so, and missing elsewhere. Languages and features of which it says nothing are left out.
"""

from __future__ import annotations

import sys
from importlib import metadata

import numpy as np


def main(path: str) -> None:
    """Write the matrix with its names to an npz file, with NaN for what is missing."""
    try:
        package = metadata.distribution("lang2vec")
    except metadata.PackageNotFoundError:
        sys.exit("lang2vec is not installed: pip install --no-deps lang2vec")
    with np.load(
        str(package.locate_file("lang2vec/data/features.npz")), allow_pickle=False
    ) as file:
        source = file["sources"].tolist().index("WALS")
        values = file["data"][:, :, source]
        languages, features = file["langs"], file["feats"]
    observed = values >= 0
    rows, columns = observed.any(axis=1), observed.any(axis=0)
    values, observed = values[rows][:, columns], observed[rows][:, columns]
    np.savez_compressed(
        path,
        X=np.where(observed, values, np.nan).astype(np.float32),
        row_names=languages[rows],
        column_names=features[columns],
    )
    print(f"lang2vec {package.version}, {values.shape[0]:,} languages, {values.shape[1]} features")
    print(f"{observed.sum():,} observed, {100 * observed.mean():.1f} % of the entries")
    print(
        f"{(values == 1).sum():,} ones, {100 * (values == 1).sum() / observed.sum():.1f} % of those"
    )


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python wals_features.py FILE.npz")
    main(sys.argv[1])
