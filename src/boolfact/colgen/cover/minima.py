"""The loop on which exact pricing spends its time: a sum of minima, in 32 lanes.

What is left of a price s after a charge y is (s - y)^+ = s - min(y, s), so every worth is a sum of
prices less a sum of minima. LLVM does not find vectors in such a loop by itself, because the
arrays might overlap; so it is spelled out here, with the 32 sums in registers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, njit, types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

__all__ = ["LANES", "lower_to_listed", "take_off"]

LANES = 32
"""Sets that are evaluated side by side."""
_NUMBER = ir.IntType(32)
_COUNT = ir.IntType(64)
_VECTOR = ir.VectorType(_NUMBER, LANES)


@njit(cache=True, nogil=True)
def take_off(
    y: NDArray[np.int32],
    s: NDArray[np.int32],
    first: int,
    last: int,
    out: NDArray[np.int32],
    row: int,
) -> None:
    """Take off out[row], in every lane, the sum of min(y[t], s[t]) over t from first to last - 1.

    The arrays are contiguous, `y` and `out` have 32 columns, and no sum exceeds 32 bits.
    """
    _take_off(y, s, np.int64(first), np.int64(last), out, np.int64(row))  # type: ignore[call-arg]


@njit(cache=True, nogil=True)
def lower_to_listed(
    y: NDArray[np.int32],
    line: NDArray[np.int32],
    s: NDArray[np.int32],
    first: int,
    last: int,
    out: NDArray[np.int32],
) -> None:
    """Lower out[0], in every lane, to the sum of min(y[line[t]], s[t]) if that is less."""
    _lower_to_listed(y, line, s, np.int64(first), np.int64(last), out)  # type: ignore[call-arg]


@intrinsic  # type: ignore[misc]
def _take_off(
    context: Any, y: Any, s: Any, first: Any, last: Any, out: Any, row: Any
) -> tuple[Any, Any]:
    _check((y, 2), (s, 1), (out, 2))

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        y, s, out = (_data(context, builder, signature, arguments, at) for at in (0, 1, 4))
        total = _sum(builder, y, None, s, arguments[2], arguments[3])
        place = _lanes(builder, out, arguments[5])
        left = builder.sub(builder.load(place, align=4), total)
        builder.store(left, place, align=4)
        return context.get_dummy_value()

    return types.void(y, s, first, last, out, row), write


@intrinsic  # type: ignore[misc]
def _lower_to_listed(
    context: Any, y: Any, line: Any, s: Any, first: Any, last: Any, out: Any
) -> tuple[Any, Any]:
    _check((y, 2), (line, 1), (s, 1), (out, 2))

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        y, line, s, out = (_data(context, builder, signature, arguments, at) for at in (0, 1, 2, 5))
        total = _sum(builder, y, line, s, arguments[3], arguments[4])
        place = _lanes(builder, out, ir.Constant(_COUNT, 0))
        least = _smaller(builder, builder.load(place, align=4), total)
        builder.store(least, place, align=4)
        return context.get_dummy_value()

    return types.void(y, line, s, first, last, out), write


def _sum(builder: Any, y: Any, line: Any, s: Any, first: Any, last: Any) -> Any:
    """The loop: the lanes of y, in order or as listed, each at most s, added up."""
    total = cgutils.alloca_once_value(builder, ir.Constant(_VECTOR, [0] * LANES))
    step = ir.Constant(_COUNT, 1)
    with cgutils.for_range_slice(builder, first, last, step) as (t, _):
        at = t
        if line is not None:
            at = builder.sext(builder.load(builder.gep(line, [t]), align=4), _COUNT)
        lanes = builder.load(_lanes(builder, y, at), align=4)
        most = _spread(builder, builder.load(builder.gep(s, [t]), align=4))
        builder.store(builder.add(builder.load(total), _smaller(builder, lanes, most)), total)
    return builder.load(total)


def _check(*arrays: tuple[Any, int]) -> None:
    for array, dimensions in arrays:
        if array.dtype != types.int32 or array.ndim != dimensions or array.layout != "C":
            raise TypeError(f"a contiguous array of int32 is needed, got {array}")


def _data(context: Any, builder: Any, signature: Any, arguments: Any, at: int) -> Any:
    """Where the numbers of an array begin."""
    return context.make_array(signature.args[at])(context, builder, arguments[at]).data


def _lanes(builder: Any, data: Any, row: Any) -> Any:
    """The lanes of a row, wherever in memory they begin."""
    start = builder.gep(data, [builder.mul(row, ir.Constant(row.type, LANES))])
    return builder.bitcast(start, _VECTOR.as_pointer())


def _spread(builder: Any, value: Any) -> Any:
    """One number in every lane."""
    nothing = ir.Constant(_VECTOR, ir.Undefined)
    single = builder.insert_element(nothing, value, ir.Constant(_NUMBER, 0))
    return builder.shuffle_vector(single, nothing, ir.Constant(_VECTOR, [0] * LANES))


def _smaller(builder: Any, left: Any, right: Any) -> Any:
    return builder.select(builder.icmp_signed("<", left, right), left, right)


if config.DISABLE_JIT:  # type: ignore[attr-defined]
    # The same without compilation.
    def take_off(y, s, first, last, out, row):  # type: ignore
        out[row] -= np.minimum(y[first:last], s[first:last, None]).sum(axis=0, dtype=np.int32)

    def lower_to_listed(y, line, s, first, last, out):  # type: ignore
        total = np.minimum(y[line[first:last]], s[first:last, None]).sum(axis=0, dtype=np.int32)
        np.minimum(out[0], total, out=out[0])
