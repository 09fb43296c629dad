"""Refits on a cluster of processes: the answer of one machine, also when a worker is lost."""

import os
import signal

import numpy as np
import pytest

import boolfact
from boolfact.model.packed import PackedMatrix

distributed = pytest.importorskip("distributed", reason="clusters need boolfact[distributed]")
dask_array = pytest.importorskip("dask.array")

LIMITS = {"time_limit": None, "iteration_limit": 12, "workers": 1}


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=3, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


def example():
    """Rows that are equal, columns that are, and a missing entry."""
    X = boolfact.planted(13_000, 40, 4, noise=0.05, seed=1).matrix.values.astype(float)
    X[100:400] = X[:300]
    X[:, 7] = X[:, 3]
    X[9000, 5] = np.nan
    return X


def on_one_machine(X, k):
    values = np.where(np.isnan(X), -1, X).astype(np.int8)
    return boolfact.factorize(PackedMatrix.from_dense(values), k, **LIMITS)


def placed(X, client):
    from boolfact.cluster.read import read_cluster
    from boolfact.control.cluster import Cluster

    return read_cluster(dask_array.from_array(X, chunks=(3000, 25)), Cluster(client))


@pytest.mark.parametrize("k", [4, 14], ids=["every union is tried", "greedy codes"])
def test_a_worker_that_is_killed_costs_time_and_not_the_result(client, k):
    X = example()
    expected = on_one_machine(X, k)
    rows = placed(X, client)
    killed = []

    def kill(event):
        if event.error is None or killed:
            return
        holder = client.who_has([rows.blocks[0]])[rows.blocks[0].key][0]
        pid = client.run(os.getpid, workers=[holder])[holder]
        killed.append(pid)
        os.kill(pid, signal.SIGKILL)

    found = boolfact.factorize(rows, k, progress=kill, **LIMITS)
    assert len(killed) == 1
    assert len(rows.blocks) > 2
    assert found.error == expected.error
    assert (found.A == expected.A).all()
    assert (found.B == expected.B).all()
    assert found.digest == expected.digest
    assert found.iterations == expected.iterations


def test_a_time_limit_is_kept_and_the_best_is_returned(client):
    found = boolfact.factorize(placed(example(), client), 4, time_limit=1.0, workers=1)
    assert found.ending.value == "time limit"
    assert 0 < found.error < np.nansum(example())


@pytest.mark.slow
def test_a_bound_on_the_error_is_the_one_of_one_machine(client):
    X = example()
    rows = placed(X, client)
    limits = {**LIMITS, "iteration_limit": 3, "bound": "error"}
    values = np.where(np.isnan(X), -1, X).astype(np.int8)
    expected = boolfact.factorize(PackedMatrix.from_dense(values), 2, **limits)
    found = boolfact.factorize(rows, 2, **limits)
    assert found.error == expected.error
    assert found.error_lower_bound == expected.error_lower_bound
    assert 0 < found.error_lower_bound <= found.error
