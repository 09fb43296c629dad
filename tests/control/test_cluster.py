"""The seam to Dask, without a cluster."""

import pytest

import boolfact
from boolfact.control.cluster import connect, is_client


def test_an_address_where_nobody_answers_is_refused():
    pytest.importorskip("distributed", reason="clusters need boolfact[distributed]")
    with pytest.raises(ValueError, match="no Dask scheduler answers at"):
        connect("tcp://127.0.0.1:9", seconds=1)


def test_something_else_than_a_client_is_refused():
    assert not is_client(4)
    with pytest.raises(TypeError, match="executor must be a client of Dask"):
        boolfact.factorize([[1, 0], [1, 1]], 1, executor=4)
