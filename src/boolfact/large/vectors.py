"""Words side by side: bits that lines of words share, and unions of lines.

Numba leaves such short loops as they are, one word after another; these are vectors.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import config
from numba.core import types
from numba.core.cgutils import get_or_insert_function
from numba.extending import intrinsic
from numpy.typing import NDArray

__all__ = ["WIDE", "clear", "divide", "put_in", "shared"]

WIDE = 8
"""Words of a vector."""


def _words_at(context, builder, kind, array, place):  # type: ignore[no-untyped-def]
    """Where the words of an array from a place on are, as one vector."""
    first = builder.gep(context.make_array(kind)(context, builder, array).data, [place])
    return builder.bitcast(first, _vector().as_pointer())


def _vector() -> Any:
    return ir.VectorType(ir.IntType(64), WIDE)


def _load(builder, place):  # type: ignore[no-untyped-def]
    loaded = builder.load(place)
    loaded.align = 8
    return loaded


@intrinsic
def _shared(typing_context, a, i, b, j):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        vector, kinds = _vector(), signature.args
        both = builder.and_(
            _load(builder, _words_at(context, builder, kinds[0], args[0], args[1])),
            _load(builder, _words_at(context, builder, kinds[2], args[2], args[3])),
        )
        of_words = ir.FunctionType(vector, [vector])
        of_sum = ir.FunctionType(ir.IntType(64), [vector])
        count = get_or_insert_function(builder.module, of_words, f"llvm.ctpop.v{WIDE}i64")
        add = get_or_insert_function(builder.module, of_sum, f"llvm.vector.reduce.add.v{WIDE}i64")
        return builder.call(add, [builder.call(count, [both])])

    return types.int64(a, types.int64, b, types.int64), generate


def _shared_of(a: NDArray[np.uint64], i: int, b: NDArray[np.uint64], j: int) -> int:
    """The same without compilation."""
    both = a.reshape(-1)[i : i + WIDE] & b.reshape(-1)[j : j + WIDE]
    return int(np.bitwise_count(both).sum())


def _lines(context, builder, kind, args, count):  # type: ignore[no-untyped-def]
    """The places of a vector of each of the first lines, which lie `width` apart."""
    array, place, width = args[:3]
    steps = [builder.mul(width, width.type(line)) for line in range(count)]
    return [_words_at(context, builder, kind, array, builder.add(place, s)) for s in steps]


def _store(builder, place, words):  # type: ignore[no-untyped-def]
    builder.store(words, place).align = 8


@intrinsic
def _clear(typing_context, work, i, width):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        for place in _lines(context, builder, signature.args[0], args, 3):
            _store(builder, place, ir.Constant(_vector(), None))
        return context.get_dummy_value()

    return types.none(work, types.int64, types.int64), generate


def _clear_of(work: NDArray[np.uint64], i: int, width: int) -> None:
    """The same without compilation."""
    for line in _lines_of(work, i, width, 3):
        line[:] = 0


@intrinsic
def _put_in(typing_context, work, i, width, patterns, j, mask):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        places = _lines(context, builder, signature.args[0], args, 3)
        once, twice, inside = (_load(builder, place) for place in places)
        word = _load(builder, _words_at(context, builder, signature.args[3], args[3], args[4]))
        unknown = ir.Constant(_vector(), ir.Undefined)
        first = ir.Constant(ir.VectorType(ir.IntType(32), WIDE), [0] * WIDE)
        masks = builder.insert_element(unknown, args[5], ir.Constant(ir.IntType(32), 0))
        masks = builder.shuffle_vector(masks, unknown, first)
        _store(builder, places[0], builder.or_(once, word))
        _store(builder, places[1], builder.or_(twice, builder.and_(once, word)))
        _store(builder, places[2], builder.or_(inside, builder.and_(word, masks)))
        return context.get_dummy_value()

    return (
        types.none(work, types.int64, types.int64, patterns, types.int64, types.uint64),
        generate,
    )


def _put_in_of(
    work: NDArray[np.uint64],
    i: int,
    width: int,
    patterns: NDArray[np.uint64],
    j: int,
    mask: np.uint64,
) -> None:
    """The same without compilation."""
    word = patterns.reshape(-1)[j : j + WIDE]
    once, twice, inside = _lines_of(work, i, width, 3)
    twice |= once & word
    once |= word
    inside |= word & mask


@intrinsic
def _divide(typing_context, work, i, width):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        places = _lines(context, builder, signature.args[0], args, 9)
        once, twice, inside, ones, zeros = (_load(builder, place) for place in places[:5])
        free, own = builder.not_(inside), builder.and_(once, builder.not_(twice))
        _store(builder, places[5], builder.and_(ones, free))
        _store(builder, places[6], builder.and_(zeros, free))
        _store(builder, places[7], builder.and_(ones, own))
        _store(builder, places[8], builder.and_(zeros, own))
        return context.get_dummy_value()

    return types.none(work, types.int64, types.int64), generate


def _divide_of(work: NDArray[np.uint64], i: int, width: int) -> None:
    """The same without compilation."""
    lines = _lines_of(work, i, width, 9)
    once, twice, inside, ones, zeros = lines[:5]
    lines[5][:], lines[6][:] = ones & ~inside, zeros & ~inside
    lines[7][:], lines[8][:] = ones & once & ~twice, zeros & once & ~twice


def _lines_of(work: NDArray[np.uint64], i: int, width: int, count: int) -> list[NDArray[np.uint64]]:
    return [work.reshape(-1)[i + line * width :][:WIDE] for line in range(count)]


_compiled = not config.DISABLE_JIT  # type: ignore[attr-defined]

shared: Any = _shared if _compiled else _shared_of
"""Bits that `WIDE` words from place i of an array share with those from place j of another."""

clear: Any = _clear if _compiled else _clear_of
"""Make `WIDE` words of three lines 0, which lie `width` apart."""

put_in: Any = _put_in if _compiled else _put_in_of
"""Add `WIDE` words of a pattern to three lines: those of any pattern, of two of them, and,
through a mask, those of the sure ones."""

divide: Any = _divide if _compiled else _divide_of
"""From those three lines and two more, ones and zeros of a row, make four.

Ones and zeros that no sure pattern covers, and ones and zeros that just one pattern can cover.
"""
