"""Assigned cover: the relaxation that bounds the error itself, with blocks of rows."""
