"""The error and its proved bound over time

The error falls, the bound rises, and no factorisation of this rank lies below the bound. Where
they meet, the answer is proved to be the best. The objective is another quantity: with
bound="objective" it has a panel and a bound of its own.

A falling line over seconds, the error, and below it a rising one, the bound proved on it.
"""

import boolfact
from boolfact.show.plotting import plot_convergence

result = boolfact.factorize("zoo", k=3, time_limit=6)
figure = plot_convergence(result)
print("error", result.error, "proved at least", result.error_lower_bound)
