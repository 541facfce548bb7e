"""The compiled scan for lines with a wrong number of fields: 64 bytes at a time, as the bits of one word."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, register_jitable

from ludometer.arrays import Counts
from ludometer.kernels.runtime.compile import JIT, kernel
from ludometer.kernels.text.lines import BLANK, LONG, NEWLINE, QUOTE, RETURN, SHORT, SPACE, Bytes, odd_rows_plain

WIDTH = 64

_BYTES = ir.VectorType(ir.IntType(8), WIDTH)


@intrinsic
def match_byte(typing: Any, data: Any, start: Any, byte: Any) -> Any:  # noqa: ARG001
    """Bit i is set where data[start + i] equals the byte, for the 64 bytes from start."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, args[0])
        pointer = builder.bitcast(builder.gep(view.data, [args[1]]), _BYTES.as_pointer())
        empty = ir.Constant(_BYTES, ir.Undefined)
        one = builder.insert_element(empty, args[2], ir.Constant(ir.IntType(32), 0))
        every = builder.shuffle_vector(one, empty, ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH))
        return builder.bitcast(builder.icmp_unsigned("==", builder.load(pointer, align=1), every), ir.IntType(64))

    return types.uint64(data, types.intp, types.uint8), codegen


@intrinsic
def count_bits(typing: Any, word: Any) -> Any:  # noqa: ARG001
    """How many bits are set."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        return builder.ctpop(args[0])

    return types.int64(types.uint64), codegen


@intrinsic
def lowest_bit(typing: Any, word: Any) -> Any:  # noqa: ARG001
    """The position of the lowest bit that is set; 64 if none is."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), codegen


def odd_rows_compiled(data: Bytes, separator: int, n_fields: int) -> tuple[Counts, Counts, bool]:
    """What `lines.odd_rows` gives, for large texts."""
    if not JIT:
        return odd_rows_plain(data, separator, n_fields)
    nothing = np.empty(0, np.int64)
    n_odd, is_open = _scan(data, separator, n_fields, nothing, nothing)
    rows, kinds = np.empty(n_odd, np.int64), np.empty(n_odd, np.int64)
    if n_odd:
        _scan(data, separator, n_fields, rows, kinds)
    return rows, kinds, is_open


@kernel
def _scan(data: Bytes, separator: int, n_fields: int, rows: Counts, kinds: Counts) -> tuple[int, bool]:
    """Count the odd lines, and write as many of them as there is room for."""
    n, n_odd, n_row, start, n_separators = len(data), 0, 0, 0, 0
    quoted = np.uint64(0)
    for block in range(0, n, WIDTH):
        inside = _between(_match(data, block, QUOTE)) ^ quoted
        quoted = np.uint64(0) - (inside >> np.uint64(63))
        separators = _match(data, block, separator) & ~inside
        ends = _match(data, block, NEWLINE) & ~inside
        while ends:
            position = lowest_bit(ends)
            below = (np.uint64(1) << np.uint64(position)) - np.uint64(1)
            n_separators += count_bits(separators & below)
            separators &= ~below
            ends &= ends - np.uint64(1)
            if n_separators + 1 != n_fields:
                if n_odd < len(rows):
                    rows[n_odd], kinds[n_odd] = n_row, _kind(data, start, block + position, n_separators, n_fields)
                n_odd += 1
            n_row, n_separators, start = n_row + 1, 0, block + position + 1
        n_separators += count_bits(separators)
    if start < n and n_separators + 1 != n_fields:
        if n_odd < len(rows):
            rows[n_odd], kinds[n_odd] = n_row, _kind(data, start, n, n_separators, n_fields)
        n_odd += 1
    return n_odd, quoted != 0


@register_jitable
def _match(data, start, byte):  # type: ignore[no-untyped-def]  # Numba infers the types
    """Where the byte stands among the next 64, the last block being shorter."""
    if start + WIDTH <= len(data):
        return match_byte(data, start, byte)
    word = np.uint64(0)
    for i in range(len(data) - start):
        if data[start + i] == byte:
            word |= np.uint64(1) << np.uint64(i)
    return word


@register_jitable
def _between(quotes):  # type: ignore[no-untyped-def]  # Numba infers the types
    """Set the bits from each opening quote up to its closing one: the running parity of the quotes."""
    for shift in (1, 2, 4, 8, 16, 32):
        quotes ^= quotes << np.uint64(shift)
    return quotes


@register_jitable
def _kind(data, start, end, n_separators, n_fields):  # type: ignore[no-untyped-def]  # Numba infers the types
    if n_separators + 1 > n_fields:
        return LONG
    for t in range(start, end):
        if data[t] not in (RETURN, SPACE):
            return SHORT
    return BLANK
