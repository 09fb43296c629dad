"""The problem itself: matrix, reduction, rectangles, factors, similarity, costs, proved bounds."""
