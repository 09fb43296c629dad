"""Search over the columns of B, with proof: the smallest error of any factorisation of rank k."""
