"""Column generation for MLP(rho), its bounds, and the integer master over the pool."""
