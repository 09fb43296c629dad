"""What column generation proves on bundled data is proved again by the verifier."""

import json
from fractions import Fraction

import numpy as np
import pytest

from boolfact.certificate import make_certificate, verify_certificate
from boolfact.certificate.document import seal
from boolfact.colgen.cover.grow import CoverSettings, bound_by_cover
from boolfact.colgen.loop import generate_columns
from boolfact.colgen.mlp.relaxation import MLP
from boolfact.colgen.node import ROOT
from boolfact.control.stop import Stop
from boolfact.datasets import load_dataset, planted
from boolfact.model.reduction import reduce_matrix

# Published by Kovacs, Gunluk and Hauser (2021): MLP(1) rounded up.
ZOO = [
    pytest.param(2, 272, id="zoo 2"),
    pytest.param(5, 127, id="zoo 5", marks=pytest.mark.slow),
    pytest.param(10, 39, id="zoo 10", marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("k", "expected"), ZOO)
def test_bounds_of_the_solver_are_confirmed(k, expected):
    matrix = load_dataset("zoo")
    reduction = reduce_matrix(matrix)
    bound = generate_columns(MLP(reduction.matrix, k), stop=Stop(time_limit=60)).bound
    certificate = json.loads(json.dumps(make_certificate(reduction, k, [bound])))
    report = verify_certificate(certificate, matrix)
    assert report.complete
    assert report.bounds[0].for_objective(Fraction(1)) == expected
    assert report.bounds[0].for_error() is None
    certificate["bounds"][0]["omega_bound"] -= 1
    assert not verify_certificate({**certificate, "seal": seal(certificate)}, matrix).ok


def test_a_bound_at_a_node_is_not_written_as_one_that_holds_everywhere():
    reduction = reduce_matrix(load_dataset("zoo"))
    entry = tuple(int(x) for x in np.argwhere(reduction.matrix.ones)[0])
    relaxation = MLP(reduction.matrix, 2, node=ROOT.leave(entry))
    bound = generate_columns(relaxation, stop=Stop(iteration_limit=10)).bound
    with pytest.raises(ValueError, match="a bound at a node holds there only"):
        make_certificate(reduction, 2, [bound])


@pytest.mark.parametrize("turned", [False, True], ids=["rows in blocks", "columns in blocks"])
@pytest.mark.parametrize("columns", [24, 4], ids=["whole", "in groups"])
@pytest.mark.parametrize("seed", range(4))
def test_bounds_by_assigned_cover_are_proved_again(seed, columns, turned):
    example = planted(14, 9, 3, noise=0.15, missing=0.1, seed=seed).matrix
    matrix = example.T if turned else example
    reduction = reduce_matrix(matrix)
    settings = CoverSettings(whole_columns=columns, part_columns=columns, hasty_columns=columns)
    growth = bound_by_cover(
        reduction.matrix, 2, stop=Stop(iteration_limit=30), settings=settings, seed=seed
    )
    certificate = make_certificate(reduction, 2, [growth.bound])
    assert certificate["bounds"][0]["transposed"] is turned
    report = verify_certificate(json.loads(json.dumps(certificate)), matrix)
    assert report.complete
    assert report.bounds[0].rounded == growth.bound.rounded > 0
    # Read on the wrong side, it must not pass.
    certificate["bounds"][0]["transposed"] = not turned
    certificate["seal"] = seal(certificate)
    assert not verify_certificate(certificate, matrix).complete
