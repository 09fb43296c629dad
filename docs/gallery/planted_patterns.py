"""Patterns found again under noise

Five patterns are planted, entries are flipped at random, and the search does not know where. How
alike are the patterns that it finds? 1 means all five are found exactly.

A curve over the share of flipped entries from 0 to 30 percent: similarity stays near 1 and then
falls.
"""

from matplotlib.figure import Figure

import boolfact
from boolfact.model.similarity import similarity

noises = [0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3]
found = []
for noise in noises:
    example = boolfact.planted(200, 60, 5, noise=noise, seed=2)
    result = boolfact.factorize(example.matrix, 5, method="local", iteration_limit=40)
    found.append(similarity(result.factors, example.factors))

figure = Figure(figsize=(6.5, 3.6), layout="constrained")
axes = figure.subplots()
axes.plot([100 * noise for noise in noises], found, "o-", color="#0072B2")
axes.set_ylim(0, 1.05)
axes.set_xlabel("entries flipped, %")
axes.set_ylabel("similarity to the planted patterns")
axes.grid(alpha=0.25)
axes.spines[["top", "right"]].set_visible(False)
print([round(value, 2) for value in found])
