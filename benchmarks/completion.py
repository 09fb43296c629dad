"""Completion against baselines: a tenth of the entries is hidden, and F1 counted on them.

    python benchmarks/completion.py                          # eight matrices, five hides each
    python benchmarks/completion.py --ranks 12             # the figures in the documentation
    python benchmarks/completion.py --datasets zoo,heart --hides 3 --members 40

Three predictions of the hidden entries of each matrix:

- majority: the value that the column has more often among its observed entries;
- NMF: non-negative factors of the observed entries, cut at a threshold; rank (1 to 15) and
  threshold are those of the best F1 in a five-fold entry-wise cross-validation of the
  observed entries, then all of them are factorised;
- ensemble: `boolfact.complete`, which chooses rank (of --ranks), weight and threshold on
  observed entries that its members did not see.

Nobody chooses anything by hidden entries. Ones and zeros are hidden in equal shares. One JSON
line a hide, then the table: mean and standard deviation over the hides, in how many of them
the ensemble is ahead of both, and processor seconds of one ensemble.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from time import process_time

import numpy as np

from boolfact.completion.baselines import column_majority, masked_nmf_scores
from boolfact.completion.ensemble import complete
from boolfact.completion.folds import entry_folds, hide_entries, score_entries
from boolfact.datasets import load_dataset
from boolfact.model.matrix import BinaryMatrix

NAMES = ("zoo", "tumor", "hepat", "heart", "lymp", "audio", "apb", "votes")
NMF_RANKS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15)
NMF_THRESHOLDS = np.arange(8, 31) / 40
FIRST_SEED = 100


def tuned_nmf(matrix: BinaryMatrix, seed: int) -> tuple[np.ndarray, int, float]:
    """Predictions of NMF with the rank and threshold that predict held-out entries best."""
    ranks = [k for k in NMF_RANKS if k <= min(matrix.shape)]
    held_out = {k: np.zeros(matrix.shape) for k in ranks}
    for seen, where in entry_folds(matrix, 5, seed=seed):
        for k in ranks:
            held_out[k][where] = masked_nmf_scores(seen, k, seed=seed)[where]
    observed = ~matrix.missing
    _, k, threshold = max(
        (score_entries(matrix, held_out[k] > threshold, observed).f1, k, float(threshold))
        for k in ranks
        for threshold in NMF_THRESHOLDS
    )
    return masked_nmf_scores(matrix, k, seed=seed) > threshold, k, threshold


def one_hide(
    name: str, seed: int, members: int, ranks: Sequence[int]
) -> dict[str, float | int | str]:
    """The three figures for one choice of hidden entries."""
    truth = load_dataset(name)
    hidden, where = hide_entries(truth, 0.1, seed=seed)
    nmf, nmf_rank, nmf_threshold = tuned_nmf(hidden, seed)
    start = process_time()
    done = complete(hidden, ranks, members=members, seed=seed, workers=1)
    seconds = process_time() - start
    return {
        "dataset": name,
        "seed": seed,
        "majority": score_entries(truth, column_majority(hidden), where).f1,
        "nmf": score_entries(truth, nmf, where).f1,
        "ensemble": score_entries(truth, done.completed().ones, where).f1,
        "nmf_rank": nmf_rank,
        "nmf_threshold": nmf_threshold,
        "rank": done.k,
        "weight": done.weight,
        "threshold": done.threshold,
        "expected": done.expected.f1,
        "seconds": seconds,
    }


def table(rows: Iterable[dict[str, float | int | str]]) -> str:
    """Markdown, one line per matrix."""
    rows = list(rows)
    lines = [
        "| matrix | majority | NMF | ensemble | expected | ahead | processor seconds |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in dict.fromkeys(row["dataset"] for row in rows):
        own = [row for row in rows if row["dataset"] == name]
        columns = {
            key: np.array([float(row[key]) for row in own])
            for key in ("majority", "nmf", "ensemble", "expected", "seconds")
        }
        ahead = columns["ensemble"] > np.maximum(columns["majority"], columns["nmf"])
        shown = [
            f"{columns[key].mean():.3f} ± {columns[key].std(ddof=len(own) > 1):.3f}"
            for key in ("majority", "nmf", "ensemble")
        ]
        lines.append(
            f"| {name} | {' | '.join(shown)} | {columns['expected'].mean():.3f} "
            f"| {ahead.sum()} of {len(own)} | {columns['seconds'].mean():.0f} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Run the hides, one matrix after the other, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--datasets", default=",".join(NAMES))
    parser.add_argument("--hides", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=FIRST_SEED)
    parser.add_argument("--members", type=int, default=80)
    parser.add_argument("--ranks", default="4,8,12")
    options = parser.parse_args()
    complete(load_dataset("zoo"), members=4)  # compiles
    ranks = [int(rank) for rank in options.ranks.split(",")]
    rows = []
    for seed in range(options.first_seed, options.first_seed + options.hides):
        for name in options.datasets.split(","):
            rows.append(one_hide(name, seed, options.members, ranks))
            print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    print(table(rows))


if __name__ == "__main__":
    main()
