import subprocess
import sys

import numpy as np
import pytest

from boolfact.baselines.registry import BASELINES
from boolfact.control.stop import Stop
from boolfact.datasets import load_dataset
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix

SMALL = BinaryMatrix(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=np.int8))


@pytest.mark.parametrize("name", BASELINES)
def test_every_baseline_runs_by_name(name):
    factors = BASELINES[name].run(SMALL, 2, 0, Stop())
    assert isinstance(factors, Factors)
    assert factors.rank == 2
    assert factors.error(SMALL) <= SMALL.ones_weight


@pytest.mark.parametrize("name", BASELINES)
def test_it_says_truly_what_it_takes(name):
    baseline = BASELINES[name]
    weighted = BinaryMatrix(SMALL.values, 2 * SMALL.weights)
    for matrix, accepted in (
        (weighted, baseline.takes_weights),
        (load_dataset("votes_missing"), baseline.takes_missing),
    ):
        if accepted:
            assert baseline.run(matrix, 2, 0, Stop()).rank == 2
        else:
            with pytest.raises(ValueError, match=f"{name} cannot take"):
                baseline.run(matrix, 2, 0, Stop())


def test_only_methods_that_take_weights_get_a_merged_matrix():
    assert all(b.takes_weights for b in BASELINES.values() if b.merges)


def test_the_registry_itself_is_light():
    code = (
        "import sys, boolfact.baselines.registry;"
        "print([n for n in ('numba', 'sklearn', 'scipy') if n in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
