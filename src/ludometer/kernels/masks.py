"""Sixty-four bytes at a time inside Numba kernels: where a byte stands, as the bits of one word."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

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
