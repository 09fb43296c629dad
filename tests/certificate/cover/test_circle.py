"""The circle of a part is read with suspicion."""

import numpy as np
import pytest

from boolfact.certificate.cover.circle import MOST_USUAL, MOST_WEIGHT, Circle, Order, read_circle
from boolfact.certificate.reading import CertificateError

TRUE = {"order": [2, 0, 1], "weights": [1, 5, MOST_WEIGHT], "usual": [0, MOST_USUAL, 7]}


def test_a_circle_is_read_place_by_place():
    circle = read_circle(TRUE, 3)
    assert isinstance(circle, Circle)
    assert circle.order.tolist() == [2, 0, 1]
    assert circle.weights.tolist() == [1, 5, 1000000]
    assert circle.usual.tolist() == [0, 1000, 7]
    assert {x.dtype for x in (circle.order, circle.weights, circle.usual)} == {np.dtype(np.int64)}


def test_an_order_may_be_alone():
    circle = read_circle({"order": [2, 0, 1]}, 3)
    assert isinstance(circle, Order)
    assert circle.order.tolist() == [2, 0, 1]
    assert circle.order.dtype == np.int64


FALSE = {
    "order too short": ("order", [2, 0], "order of the circle must be a list of 3"),
    "order too long": ("order", [2, 0, 1, 3], "order of the circle must be a list of 3"),
    "a column twice": ("order", [2, 0, 0], "order of the circle has a column twice"),
    "a column beyond": ("order", [3, 0, 1], "order of the circle must be at most 2, got 3"),
    "a column below": ("order", [-1, 0, 1], "order of the circle must be at least 0"),
    "a column true": ("order", [2, 0, True], "order of the circle must be a whole number"),
    "a column a float": ("order", [2.0, 0, 1], "order of the circle must be a whole number"),
    "order a text": ("order", "201", "order of the circle must be a list of 3"),
    "order nothing": ("order", None, "order of the circle must be a list of 3"),
    "weight zero": ("weights", [1, 0, 1], "weights of the circle must be at least 1, got 0"),
    "weight below": ("weights", [1, -4, 1], "weights of the circle must be at least 1"),
    "weight too large": ("weights", [1, 1, 10**6 + 1], "weights of the circle must be at most"),
    "weight huge": ("weights", [1, 1, 10**40], "weights of the circle must be at most"),
    "weight a half": ("weights", [1, 1, 0.5], "weights of the circle must be a whole number"),
    "weight true": ("weights", [True, 1, 1], "weights of the circle must be a whole number"),
    "weight a text": ("weights", ["1", 1, 1], "weights of the circle must be a whole number"),
    "weights too few": ("weights", [1, 1], "weights of the circle must be a list of 3"),
    "usual below": ("usual", [-1, 0, 0], "usual of the circle must be at least 0"),
    "usual above": ("usual", [0, 1001, 0], "usual of the circle must be at most 1000"),
    "usual a share": ("usual", [0, 0.5, 0], "usual of the circle must be a whole number"),
    "usual true": ("usual", [0, True, 0], "usual of the circle must be a whole number"),
    "usual too many": ("usual", [0] * 4, "usual of the circle must be a list of 3"),
}


@pytest.mark.parametrize(("field", "value", "message"), FALSE.values(), ids=FALSE)
def test_what_is_not_a_circle_is_refused_by_name(field, value, message):
    with pytest.raises(CertificateError, match=message):
        read_circle({**TRUE, field: value}, 3)


@pytest.mark.parametrize("name", [name for name in FALSE if FALSE[name][0] == "order"])
def test_an_order_alone_must_be_one_as_well(name):
    field, value, message = FALSE[name]
    with pytest.raises(CertificateError, match=message):
        read_circle({field: value}, 3)


@pytest.mark.parametrize("circle", [None, [], "order", 3, True])
def test_a_circle_is_an_object(circle):
    with pytest.raises(CertificateError, match="circle must be an object"):
        read_circle(circle, 3)


@pytest.mark.parametrize("field", TRUE)
def test_every_field_is_needed(field):
    with pytest.raises(CertificateError, match=rf"order, weights and usual; not so: {field}"):
        read_circle({name: x for name, x in TRUE.items() if name != field}, 3)


@pytest.mark.parametrize("fields", [(), ("weights",), ("usual",)])
def test_without_an_order_there_is_no_circle(fields):
    with pytest.raises(CertificateError, match="order alone, or order, weights and usual; not so"):
        read_circle({name: TRUE[name] for name in fields}, 3)


def test_no_other_field_is_known():
    with pytest.raises(CertificateError, match="not so: shares"):
        read_circle({**TRUE, "shares": [1, 1, 1]}, 3)
    with pytest.raises(CertificateError, match="not so: shares, usual, weights"):
        read_circle({"order": [2, 0, 1], "shares": [1, 1, 1]}, 3)
