"""From a table of categories and numbers to patterns

A table as it comes: categories, numbers, yes and no, and an empty cell. Each becomes columns of
zeros and ones with names that say what they mean, and patterns are read in these names.

Three panels: twelve people as rows, the made columns with their names, and three patterns with
frames.
"""

import boolfact
from boolfact.show.plotting import plot_matrix

table = {
    "sex": ["f", "f", "m", "m", "f", "m", "f", "m", "f", "m", "m", "f"],
    "age": [24, 31, 29, 35, 27, 62, 58, 71, 66, 59, None, 33],
    "smokes": ["no", "no", "no", "yes", "no", "yes", "yes", "yes", "no", "yes", "yes", "no"],
    "pressure": ["low", "low", "low", "normal", "low"] + ["high"] * 6 + ["low"],
}
X = boolfact.binarize(table)
result = boolfact.factorize(X, 3, time_limit=5)
figure = plot_matrix(result, X)
print(X.column_names)
