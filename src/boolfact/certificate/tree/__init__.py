"""The checker's own reading of a search tree: decisions, and what proves a leaf."""
