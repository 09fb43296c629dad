"""From a matrix to a result: `factorize`, the methods by name, how their engines work together."""
