"""What a proved bound says of the error and of the objectives, and what reports say."""

from fractions import Fraction

import pytest

from boolfact.certificate.verdict import Check, ProvedBound, State, Verification, rounded_up
from boolfact.model.bound import Quantity

HALF, ONE = Fraction(1, 2), Fraction(1)
ON_ERROR, ON_OBJECTIVE = Quantity.ERROR, Quantity.OBJECTIVE


@pytest.mark.parametrize(
    ("on", "own", "asked", "expected"),
    [
        # The error is a bound on MIP(rho) from rho = 1 on, by itself.
        (ON_ERROR, None, ONE, 4),
        (ON_ERROR, None, Fraction(3, 2), 4),
        (ON_ERROR, None, Fraction(99, 100), None),
        # By prices for its rho it is one on MIP(rho) too, but only its value: not rounded up.
        (ON_ERROR, HALF, ONE, 4),
        (ON_ERROR, HALF, HALF, Fraction(10, 3)),
        (ON_ERROR, HALF, Fraction(3, 4), Fraction(10, 3)),
        (ON_ERROR, HALF, Fraction(1, 4), None),
        # MIP(rho) grows with rho.
        (ON_OBJECTIVE, HALF, HALF, Fraction(7, 2)),
        (ON_OBJECTIVE, HALF, ONE, Fraction(7, 2)),
        (ON_OBJECTIVE, ONE, Fraction(3, 2), 4),
        (ON_OBJECTIVE, HALF, Fraction(49, 100), None),
        (ON_OBJECTIVE, Fraction(2), Fraction(3, 2), None),
    ],
)
def test_what_a_bound_says_of_another_objective(on, own, asked, expected):
    bound = ProvedBound(on, own, 2, Fraction(10, 3), True)
    assert bound.for_objective(asked) == expected
    assert bound.for_error() == (4 if on is ON_ERROR else None)


@pytest.mark.parametrize(
    ("value", "on", "rho", "expected"),
    [
        (Fraction(7, 3), ON_ERROR, Fraction(19, 20), 3),
        (Fraction(7, 3), ON_ERROR, None, 3),
        (Fraction(7, 3), ON_OBJECTIVE, Fraction(19, 20), Fraction(47, 20)),
        (Fraction(7, 3), ON_OBJECTIVE, ONE, 3),
        (Fraction(3), ON_ERROR, None, 3),
        (Fraction(-7, 3), ON_ERROR, None, 0),
        (Fraction(-7, 3), ON_OBJECTIVE, HALF, 0),
        (Fraction(0), ON_ERROR, None, 0),
    ],
)
def test_rounding_up(value, on, rho, expected):
    assert rounded_up(value, on, rho) == expected
    assert ProvedBound(on, rho, 1, value, True).rounded == expected


def test_reports():
    passed, failed, left = (Check(state.name, state, "why") for state in State)
    report = Verification.of(iter([passed, failed, left]))
    assert (report.ok, report.complete) == (False, False)
    assert report.failed() == [failed]
    assert list(report) == [passed, failed, left]
    assert report["NOT_CHECKED"] is left
    with pytest.raises(KeyError, match="there is no check 'x'; there are PASSED, FAILED, NOT_CHEC"):
        report["x"]
    assert (Verification.of([passed, left]).ok, Verification.of([passed, left]).complete) == (
        True,
        False,
    )
    assert Verification.of([passed]).complete
    assert Verification.of([passed]).as_dict() == {
        "ok": True,
        "complete": True,
        "checks": [{"name": "PASSED", "state": "passed", "message": "why"}],
    }
