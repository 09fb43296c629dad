"""From below: no zero is covered

80 users and 100 permissions with ten planted roles, explained by six patterns. By default these
also add permissions that nobody has, where that saves more than it costs. From below they never
do; some permissions are left to be granted by hand instead.

Two panels of a matrix of users and permissions: on the left some zeros are covered, shown in red;
on the right none is.
"""

import boolfact
from boolfact.datasets import roles
from boolfact.show.side_by_side import plot_side_by_side

X = roles(80, 100, 10, extra=0.002, seed=4).matrix
limits = {"method": "local", "iteration_limit": 200}
free = boolfact.factorize(X, 6, **limits)
below = boolfact.factorize(X, 6, from_below=True, **limits)
figure = plot_side_by_side([free, below], X, titles=["default", "from below"])
