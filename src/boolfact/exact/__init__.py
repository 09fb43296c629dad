"""Branch and bound: a search tree that knows no relaxation by name, and the problems it solves."""
