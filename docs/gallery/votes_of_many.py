"""How sure an ensemble is of a hidden entry

One entry in ten is hidden, and the votes of twenty factorisations say how likely each is a one.
Hidden ones and hidden zeros are told apart well, not perfectly; the scores between say where to
look twice.

Histograms of scores from 0 to 1: hidden zeros gather at the left, hidden ones at the right, with
a threshold line between.
"""

import numpy as np
from matplotlib.figure import Figure

import boolfact
from boolfact.completion.folds import hide_entries

X = boolfact.load_dataset("zoo")
hidden, where = hide_entries(X, 0.1, seed=1)
done = boolfact.complete(hidden, 6, members=20)
scores, truth = done.scores[where], X.ones[where]

figure = Figure(figsize=(6.5, 3.6), layout="constrained")
axes = figure.subplots()
axes.hist(
    [scores[~truth], scores[truth]],
    bins=np.linspace(0, 1, 21),
    label=["hidden zeros", "hidden ones"],
    color=["#B0BEC5", "#0072B2"],
)
axes.axvline(done.threshold, color="#D55E00", linestyle="--", label="threshold")
axes.set_xlabel("score of the ensemble")
axes.set_ylabel("hidden entries")
axes.legend(frameon=False)
axes.spines[["top", "right"]].set_visible(False)
print("right", (done.completed().ones[where] == truth).mean())
