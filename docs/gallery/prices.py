"""What dearer mistakes change

When covering a zero costs more than missing a one, patterns become smaller and purer: precision
rises, recall falls. The numbers beside the points are the prices of a covered zero where a missed
one costs 1.

A curve of precision against recall for seven prices of a covered zero from one fifth to two, and
for patterns from below.
"""

from matplotlib.figure import Figure

import boolfact

X = boolfact.load_dataset("lymp")
prices = [(1, 5), (1, 3), (1, 2), (2, 3), (1, 1), (3, 2), (2, 1), (None, 1)]
points = []
for zero, one in prices:
    result = boolfact.factorize(
        X,
        5,
        method="local",
        iteration_limit=60,
        missed_one_cost=one,
        **({"from_below": True} if zero is None else {"false_one_cost": zero}),
    )
    said = result.factors.product()
    right = (said & X.ones).sum()
    points.append((right / X.ones.sum(), right / said.sum()))

figure = Figure(figsize=(6.5, 4.2), layout="constrained")
axes = figure.subplots()
axes.plot(*zip(*points, strict=True), "o-", color="#0072B2")
for (zero, one), point in zip(prices, points, strict=True):
    name = "from below" if zero is None else f"{zero}" if one == 1 else f"{zero}/{one}"
    axes.annotate(name, point, textcoords="offset points", xytext=(7, 4))
axes.set_xlabel("recall: share of the ones that patterns cover")
axes.set_ylabel("precision: share of ones in what they cover")
axes.grid(alpha=0.25)
axes.spines[["top", "right"]].set_visible(False)
