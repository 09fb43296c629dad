"""The verifier's side of an enumeration: what sets of columns are worth, and all choices of k."""
