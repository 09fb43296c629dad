"""Rows on the workers of a Dask cluster: there they are read, merged, fitted and counted."""
