"""The verifier's side of the search over columns: all choices for the columns, from each start."""
