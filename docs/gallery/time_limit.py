"""What more time changes

A good error is found within moments; a good bound takes longer, because a proof has to rule out
everything else. One run of thirty seconds: what would have been the answer, and the bound on its
error, had it been stopped earlier.

Two stairs over seconds on a logarithmic axis: the error falls at once and stays; the proved bound
on the error climbs towards it.
"""

from matplotlib.figure import Figure

import boolfact
from boolfact.results.convergence import convergence_panels

result = boolfact.factorize("zoo", 5, bound="error", time_limit=30)
on_error = convergence_panels(result)[0]

figure = Figure(figsize=(6.5, 3.6), layout="constrained")
axes = figure.subplots()
for curve, colour in zip(on_error.curves, ("#D55E00", "#0072B2"), strict=False):
    axes.step(curve.seconds, curve.values, where="post", color=colour, label=curve.label)
axes.set_xscale("log")
axes.set_xlim(left=0.02)
axes.set_ylim(bottom=0)
axes.set_xlabel("seconds")
axes.set_title("zoo, k = 5", fontsize=10)
axes.legend(frameon=False, loc="lower right")
axes.grid(alpha=0.25)
axes.spines[["top", "right"]].set_visible(False)
print(result.error, result.error_lower_bound)
