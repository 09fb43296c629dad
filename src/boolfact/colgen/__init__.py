"""Column generation: the loop, the relaxations it solves, and the integer master over the pool."""
