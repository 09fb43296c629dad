"""Dask arrays, frames and files, read and packed by the workers that will hold the rows."""

from __future__ import annotations

from typing import Any

from boolfact.cluster.rows import ClusterRows
from boolfact.control.cluster import HINT, Cluster, cluster_behind
from boolfact.control.progress import Event, Progress, silent
from boolfact.io.many import is_collection
from boolfact.io.parts import parts_of
from boolfact.model.packed import PackedMatrix

__all__ = ["cluster_of", "read_cluster"]


def cluster_of(executor: Any, X: Any) -> Cluster | None:
    """The cluster of a run: that of a client, or for data of Dask that of its default client.

    None where there is neither: such data are computed here.
    """
    if isinstance(X, ClusterRows):
        return X.cluster
    if executor is not None:
        return cluster_behind(executor)
    if not is_collection(X):
        return None
    try:
        from distributed import default_client
    except ImportError:
        return None
    try:
        return Cluster(default_client())
    except ValueError:
        return None


def read_cluster(
    X: Any, cluster: Cluster, *, binarize: float | None = None, progress: Progress | None = None
) -> ClusterRows:
    """Rows on the workers, in packed blocks.

    Parameters
    ----------
    X : Dask array or DataFrame, path, pattern such as "data/*.parquet", or array
        Files are read by the workers, which must all see them under the same path. Rows lose
        their names.
    cluster : Cluster
    binarize : float, optional
        See `boolfact.as_matrix`.
    progress : callable, optional
    """
    try:
        import dask
    except ImportError as error:
        raise ImportError(HINT) from error
    parts = parts_of(X, binarize=binarize, workers=cluster.workers)
    tell = progress or silent
    tell(Event("reading", 0.0, message=f"{len(parts)} parts on {cluster.workers} threads"))
    # Rows that are here have to be sent; that a graph with them is large is no news.
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"}):
        if is_collection(X):
            # One graph, in which every part is packed as soon as it is there.
            packed = [dask.delayed(part.pack, pure=False)(part.source) for part in parts]
            blocks = cluster.client.compute(packed)
        else:
            blocks = [
                cluster.submit(_pack, part.pack, part.source, place=number)
                for number, part in enumerate(parts)
            ]
        rows = ClusterRows.from_blocks(cluster, blocks, [part.label for part in parts])
    return rows.balanced()


def _pack(pack: Any, source: Any) -> PackedMatrix | None:
    found: PackedMatrix | None = pack(source)
    return found
