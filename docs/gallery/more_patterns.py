"""What more patterns change

The same matrix with 1, 2, 3, 5 and 8 patterns. The first patterns explain most of the ones; the
later ones correct details.

Five panels of the same matrix: with every further pattern fewer ones are missed and fewer zeros
are covered.
"""

import boolfact
from boolfact.show.side_by_side import plot_side_by_side

X = boolfact.load_dataset("zoo")
ks = (1, 2, 3, 5, 8)
results = [boolfact.factorize(X, k, method="local", iteration_limit=400) for k in ks]
titles = [f"k = {result.k}: error {result.error}" for result in results]
figure = plot_side_by_side(results, X, titles=titles)
print([result.error for result in results])
