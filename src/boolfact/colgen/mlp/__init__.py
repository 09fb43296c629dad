"""MLP(rho), the relaxation of the paper, and MLP_exact: duals, bounds and restricted masters."""
