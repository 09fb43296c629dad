"""The two factors

A says which rows are in which pattern, B which columns. Both hold zeros and ones only, so both
can be read as lists.

Two heat maps with a colour for each of three patterns: the rows in each, and the columns in each,
with their names.
"""

import boolfact
from boolfact.show.plotting import plot_factors

result = boolfact.factorize("zoo", k=3, method="local", iteration_limit=200)
figure = plot_factors(result)
