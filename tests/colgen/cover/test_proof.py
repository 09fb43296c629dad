"""The proof as an entry of the certificate."""

import json
from fractions import Fraction

import numpy as np
import pytest

from boolfact.colgen.cover.layout import make_layout
from boolfact.colgen.cover.point import rounded
from boolfact.colgen.cover.proof import PartProof, cover_bound
from boolfact.model.bound import Quantity
from colgen.cover.points import random_blocks, random_matrix, random_prices, written_out


@pytest.mark.parametrize("seed", range(20))
def test_an_entry_has_every_price_and_charge_once(seed):
    rng = np.random.default_rng(seed)
    n, m = (int(x) for x in rng.integers(1, 7, 2))
    layout = make_layout(random_matrix(rng, n, m), random_blocks(rng, n))
    point = rounded(layout, random_prices(rng, layout), 2)
    entry = PartProof(
        np.arange(n),
        np.arange(m),
        point,
        17,
    ).entry()
    prices, charges = written_out(layout, point)
    assert {(i, j): x for i, j, x in entry["p"]} == {e: x for e, x in prices.items() if x}
    assert {((i, c), (r, j)): x for i, c, r, j, x in entry["charges"]} == charges
    assert len(entry["charges"]) == len(charges)
    assert entry["blocks"] == [block for block in layout.blocks if len(block) > 1]
    assert entry["omega_bound"] == 17
    assert Fraction(entry["bound"]) == Fraction(int(point.p.sum()) - 34, point.scale)
    assert json.loads(json.dumps(entry)) == entry


def test_parts_add_up_and_none_counts_below_zero():
    rng = np.random.default_rng(0)
    layout = make_layout(random_matrix(rng, 4, 4))
    point = rounded(layout, random_prices(rng, layout), 1)
    good = PartProof(np.arange(4), np.arange(4), point, point.total - point.scale - 1)
    bad = PartProof(np.arange(4), np.arange(4), point, point.total + 5 * point.scale)
    assert (good.rounded, bad.rounded) == (2, 0)
    bound = cover_bound([good, bad, good], 1)
    assert bound.value == bound.rounded == 4
    assert bound.on is Quantity.ERROR
    assert bound.relaxation == "assigned cover, single rows, 3 groups of columns"
    assert bound.proof.entry()["transposed"] is False
    turned = cover_bound([good], 1, transposed=True)
    assert turned.relaxation == "assigned cover, single columns"
    assert turned.proof.entry()["transposed"] is True
