"""Error, its bound and description length against k

With more patterns the error falls. The description length counts what the patterns cost to write
down, besides their mistakes; it is least where a further pattern no longer pays.

Curves over k from 1 to 6: the error with the bound that was proved on it, and the description
length, whose least value is marked.
"""

import boolfact
from boolfact.show.plotting import plot_ranks

path = boolfact.rank_path("zoo", 6, time_limit=60, bounds=True)
figure = plot_ranks(
    [point.k for point in path.points],
    [point.error for point in path.points],
    bounds=[point.error_lower_bound for point in path.points],
    description_lengths=[point.description_length for point in path.points],
    recommended=path.recommended,
)
print("recommended", path.recommended)
