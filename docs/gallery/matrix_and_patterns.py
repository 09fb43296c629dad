"""A matrix, its patterns, its errors

The picture to show a colleague: on the left the data, in the middle the patterns, on the right
what they get wrong. Rows and columns stand in an order in which patterns are blocks.

Three panels with 101 animals as rows and 17 traits as columns: data, five coloured and numbered
patterns, and the 125 errors.
"""

import boolfact
from boolfact.show.plotting import plot_matrix

X = boolfact.load_dataset("zoo")
result = boolfact.factorize(X, k=5, method="local", iteration_limit=400)
figure = plot_matrix(result, X)
print("error", result.error)
