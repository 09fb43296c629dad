"""The integer master: the best choice of k rectangles of a pool."""
