"""Published heuristics beside the proved bound

All methods on the same data with the same definition of the error. The line is proved: no
factorisation with three patterns has a smaller error. A bar that ends at it is the best there can
be.

Horizontal bars with the errors of nine methods, and a vertical line at the proved bound on the
error.
"""

from matplotlib.figure import Figure

import boolfact

names = [
    "auto",
    "asso_plus_plus",
    "asso",
    "grecond",
    "k_greedy",
    "mebf",
    "nmf",
    "penalty",
    "proximus",
]
results = {name: boolfact.factorize("zoo", 3, method=name, time_limit=10) for name in names}
bound = results["auto"].error_lower_bound

figure = Figure(figsize=(6.5, 3.6), layout="constrained")
axes = figure.subplots()
bars = axes.barh(names, [results[name].error for name in names], color="#B0BEC5")
bars[0].set_color("#0072B2")
axes.bar_label(bars, padding=3)
if bound is not None:
    axes.axvline(bound, color="#D55E00")
    axes.set_title(f"proved: no error below {bound:g}", color="#D55E00", fontsize=10)
axes.invert_yaxis()
axes.set_xlabel("error, zoo, k = 3")
axes.spines[["top", "right"]].set_visible(False)
print(results["auto"].error, bound)
