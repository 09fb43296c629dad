"""Patterns overlap

How many ones each pair of patterns explains together; on the diagonal, what each explains in all.
Clusters could not overlap at all.

A square heat map with five patterns on both sides and a count in every cell, and the columns of
each pattern written beside it.
"""

from matplotlib.figure import Figure

import boolfact
from boolfact.results.patterns import overlap_matrix

X = boolfact.load_dataset("zoo")
result = boolfact.factorize(X, 5, method="local", iteration_limit=400)
shared = overlap_matrix(result.factors, X)
labels = [
    ", ".join(X.column_label(j) for j in row.nonzero()[0][:4]) + (", ..." if row.sum() > 4 else "")
    for row in result.B
]

figure = Figure(figsize=(7.5, 3.8), layout="constrained")
axes = figure.subplots()
axes.imshow(shared, cmap="Blues", vmax=1.3 * shared.max())
for i, row in enumerate(shared):
    for j, count in enumerate(row):
        axes.text(j, i, f"{count}", ha="center", va="center")
axes.set_yticks(range(5), [f"{i + 1}: {label}" for i, label in enumerate(labels)])
axes.set_xticks(range(5), range(1, 6))
axes.set_xlabel("pattern")
