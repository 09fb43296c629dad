"""Missing entries are filled by the patterns

Votes of members of Congress, some of them missing. A missing entry costs nothing, whatever the
patterns say of it; what they say is then the guess.

Two panels of votes by members: with two and with five patterns, with the missing entries that
patterns cover in a colour of their own.
"""

import boolfact
from boolfact.show.side_by_side import plot_side_by_side

X = boolfact.load_dataset("votes_missing")
results = [boolfact.factorize(X, k, method="local", iteration_limit=60) for k in (2, 5)]
titles = [f"k = {result.k}: error {result.error}" for result in results]
figure = plot_side_by_side(results, X, titles=titles)
print(X.n_missing, "missing")
