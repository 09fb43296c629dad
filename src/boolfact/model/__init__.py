"""The problem itself: the matrix, its reduction, rectangles, factors, costs, and proved bounds."""
