"""Arguments that many functions take, checked in one way and with one message."""

from __future__ import annotations

import numbers
import os
from typing import Any

__all__ = ["checked_seed", "checked_workers", "whole_number"]


def whole_number(name: str, value: Any, least: int) -> int:
    """A whole number that is at least this large.

    Examples
    --------
    >>> whole_number("members", 20.5, 4)
    Traceback (most recent call last):
        ...
    TypeError: members must be a whole number, got 20.5
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name} must be a whole number, got {value!r}")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {value}")
    return int(value)


def checked_seed(seed: Any) -> int:
    """A seed of random numbers."""
    if isinstance(seed, numbers.Integral) and seed < 0:
        raise ValueError(f"seed must not be negative, got {seed}")
    return whole_number("seed", seed, 0)


def checked_workers(workers: Any) -> int:
    """How many threads; None for as many as there are cores."""
    return (os.cpu_count() or 1) if workers is None else whole_number("workers", workers, 1)
