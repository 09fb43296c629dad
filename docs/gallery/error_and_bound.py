"""The error and its proved bound over time

The error falls, the bound rises, and no factorisation of this rank lies below the bound. Where
they meet, the answer is proved to be the best. The objective is another quantity: it has a panel
and a bound of its own.

Two panels over seconds: the error with the bound proved on the error, and the objective with the
bound proved on the objective.
"""

import boolfact
from boolfact.show.plotting import plot_convergence

result = boolfact.factorize("zoo", k=3, time_limit=6)
figure = plot_convergence(result)
print("error", result.error, "proved at least", result.error_lower_bound)
