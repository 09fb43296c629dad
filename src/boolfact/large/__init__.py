"""Data too large for a dense copy: refits on all rows in blocks, searches on samples of them."""
