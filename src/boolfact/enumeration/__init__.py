"""Enumeration: every set of columns that a better factorisation could have, and every k of them."""
