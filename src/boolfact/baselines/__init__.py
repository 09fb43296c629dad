"""Published heuristics, each a function of the matrix and the rank that returns Factors."""
