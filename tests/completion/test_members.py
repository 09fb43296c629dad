from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolfact.completion.members import orders, search_members, signed_matrix
from boolfact.control.ending import Ending
from boolfact.control.executor import make_executor
from boolfact.control.progress import silent
from boolfact.control.stop import Stop
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix

from strategies import matrices


@given(matrices(), st.booleans())
def test_the_signed_matrix_has_every_entry_and_its_opposite(matrix, by_columns):
    signed = signed_matrix(matrix, by_columns)
    same, opposite = np.split(signed.values, 2, axis=1 if by_columns else 0)
    assert (same == matrix.values).all()
    assert ((opposite == -1) == matrix.missing).all()
    assert (opposite[~matrix.missing] == 1 - matrix.values[~matrix.missing]).all()
    assert signed.weights.sum() == 2 * matrix.weights.sum()


@pytest.mark.parametrize(("workers", "last", "begun"), [(1, 3, 3), (1, 0, 1), (2, 3, 4)])
def test_no_member_begins_when_time_is_over_but_a_first_one(workers, last, begun, monkeypatch):
    """Searches are counted; time is over when one of them says so."""
    stop, count = Stop(time_limit=1000), []

    def search(matrix, k, **_):
        count.append(k)
        if len(count) >= last:
            stop.end()
        ending = Ending.TIME_LIMIT if stop.now() else Ending.ITERATION_LIMIT
        return SimpleNamespace(factors=Factors.empty(matrix.shape, k), ending=ending)

    monkeypatch.setattr("boolfact.completion.members.local_search", search)
    if last == 0:
        stop.end()
    X = BinaryMatrix((np.random.default_rng(0).random((20, 20)) < 0.3).astype(np.int8))
    planned = list(orders(X, 40, seed=0))
    with make_executor(workers) as executor:
        team = search_members(X, 2, planned, executor, stop, silent)
    assert len(count) <= begun
    assert 1 <= len(team) <= len(count)
