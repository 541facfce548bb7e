"""Eight float64 lanes as one value inside Numba kernels: loads, stores, arithmetic and the logistic function in SIMD.

Numba turns a loop over lanes into SIMD code only under narrow conditions. Here the LLVM vector is a type of its own,
so a kernel written with it is vectorised on every CPU, and reads like its plain twin. `get`, `put`, `exp`, `log`,
`root`, `larger` and `smallest` work on numbers and on lanes alike: what is written with them serves one lane and eight.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, overload, register_jitable, register_model

from ludometer.arrays import Floats

WIDTH = 8
"""Lanes in one vector: eight doubles are a cache line and an AVX-512 register; narrower CPUs split it."""

_VECTOR = ir.VectorType(ir.DoubleType(), WIDTH)
_BITS = ir.VectorType(ir.IntType(64), WIDTH)


def allocate(n_rows: int, n_lanes: int) -> Floats:
    """Zeros of shape (rows, lanes rounded up to whole vectors), on a cache line's boundary.

    >>> allocate(3, 5).shape
    (3, 8)
    """
    n_columns = -(-n_lanes // WIDTH) * WIDTH
    raw = np.zeros(n_rows * n_columns + WIDTH, np.float64)
    offset = -raw.ctypes.data % (8 * WIDTH) // 8
    return raw[offset : offset + n_rows * n_columns].reshape(n_rows, n_columns)


class Lanes(types.Type):  # type: ignore[misc]
    """Numba's type of a vector of eight doubles."""

    def __init__(self) -> None:
        super().__init__(name="Lanes")


LANES = Lanes()


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, fe_type: Any) -> None:
        super().__init__(manager, fe_type, _VECTOR)


def _element(context: Any, builder: Any, array_type: Any, array: Any, row: Any, column: Any) -> Any:
    """A pointer to the vector that starts at array[row, column]."""
    view = context.make_array(array_type)(context, builder, array)
    n_columns = cgutils.unpack_tuple(builder, view.shape, 2)[1]
    index = builder.add(builder.mul(row, n_columns), column)
    return builder.bitcast(builder.gep(view.data, [index]), _VECTOR.as_pointer())


@intrinsic
def load(typing: Any, array: Any, row: Any, column: Any) -> Any:  # noqa: ARG001
    """The eight values of array[row, column:column + 8]."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_element(context, builder, signature.args[0], *args), align=8)

    return LANES(array, types.intp, types.intp), codegen


@intrinsic
def store(typing: Any, array: Any, row: Any, column: Any, value: Any) -> Any:  # noqa: ARG001
    """Write the eight values to array[row, column:column + 8]."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _element(context, builder, signature.args[0], *args[:3])
        builder.store(args[3], pointer, align=8)
        return context.get_dummy_value()

    return types.void(array, types.intp, types.intp, LANES), codegen


@intrinsic
def prefetch(typing: Any, array: Any, row: Any, column: Any) -> Any:  # noqa: ARG001
    """Ask for the cache line of array[row, column], which will be read and written soon."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = builder.bitcast(_element(context, builder, signature.args[0], *args), ir.IntType(8).as_pointer())
        hint = ir.FunctionType(ir.VoidType(), [pointer.type] + [ir.IntType(32)] * 3)
        for_writing, keep, data = (ir.Constant(ir.IntType(32), flag) for flag in (1, 3, 1))
        builder.call(
            cgutils.get_or_insert_function(builder.module, hint, "llvm.prefetch.p0"), [pointer, for_writing, keep, data]
        )
        return context.get_dummy_value()

    return types.void(array, types.intp, types.intp), codegen


@intrinsic
def borrow(typing: Any, array: Any) -> Any:  # noqa: ARG001
    """The same array without an owner, for handing on in a loop: counting its users costs more than a short kernel.

    Only for arrays that a kernel was given, whose owner waits for its end.
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, args[0])
        view.meminfo = cgutils.get_null_value(view.meminfo.type)
        return view._getvalue()

    return array(array), codegen


@intrinsic
def splat(typing: Any, value: Any) -> Any:  # noqa: ARG001
    """The same number in all lanes."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        empty = ir.Constant(_VECTOR, ir.Undefined)
        one = builder.insert_element(empty, args[0], ir.Constant(ir.IntType(32), 0))
        return builder.shuffle_vector(one, empty, ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH))

    return LANES(types.float64), codegen


@intrinsic
def multiply_add(typing: Any, a: Any, b: Any, c: Any) -> Any:  # noqa: ARG001
    """a * b + c, fused where the CPU can."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        fused = ir.FunctionType(_VECTOR, [_VECTOR] * 3)
        return builder.call(cgutils.get_or_insert_function(builder.module, fused, f"llvm.fmuladd.v{WIDTH}f64"), args)

    return LANES(LANES, LANES, LANES), codegen


@intrinsic
def _scale_by_power(typing: Any, value: Any, shifted: Any) -> Any:  # noqa: ARG001
    """value * 2**n, where n stands in the low bits of shifted = n + 1.5 * 2**52."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        exponent = builder.shl(builder.bitcast(args[1], _BITS), ir.Constant(_BITS, [52] * WIDTH))
        return builder.bitcast(builder.add(builder.bitcast(args[0], _BITS), exponent), _VECTOR)

    return LANES(LANES, LANES), codegen


def _arithmetic(symbol: Any, instruction: str) -> None:
    @intrinsic
    def apply(typing: Any, a: Any, b: Any) -> Any:  # noqa: ARG001
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
            return getattr(builder, instruction)(*args)

        return LANES(LANES, LANES), codegen

    @overload(symbol, strict=False)  # annotations on one side only are fine
    def typed(a: Any, b: Any) -> Any:
        if isinstance(a, Lanes) and isinstance(b, Lanes):
            return lambda a, b: apply(a, b)  # noqa: PLW0108 - Numba wants a Python function
        if isinstance(a, Lanes) and isinstance(b, types.Float):
            return lambda a, b: apply(a, splat(b))
        if isinstance(a, types.Float) and isinstance(b, Lanes):
            return lambda a, b: apply(splat(a), b)
        return None


for _symbol, _instruction in (
    (operator.add, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
):
    _arithmetic(_symbol, _instruction)


@intrinsic
def _clamp(typing: Any, value: Any, limit: Any) -> Any:  # noqa: ARG001
    """value, but not above limit nor below -limit."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        value, limit = args
        negative = builder.fneg(limit)
        value = builder.select(builder.fcmp_ordered("<", value, limit), value, limit)
        return builder.select(builder.fcmp_ordered(">", value, negative), value, negative)

    return LANES(LANES, LANES), codegen


@intrinsic
def _maximum(typing: Any, a: Any, b: Any) -> Any:  # noqa: ARG001
    """The larger of two values in every lane."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        return builder.select(builder.fcmp_ordered(">", *args), *args)

    return LANES(LANES, LANES), codegen


@intrinsic
def _square_root(typing: Any, value: Any) -> Any:  # noqa: ARG001
    """The square root in every lane."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        root = ir.FunctionType(_VECTOR, [_VECTOR])
        return builder.call(cgutils.get_or_insert_function(builder.module, root, f"llvm.sqrt.v{WIDTH}f64"), args)

    return LANES(LANES), codegen


@intrinsic
def _split(typing: Any, value: Any) -> Any:  # noqa: ARG001
    """(n, m) with value = 2**n m and m from 1/sqrt(2) to sqrt(2), in every lane; for values that are normal."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        def constant(number: int) -> Any:
            return ir.Constant(_BITS, [number] * WIDTH)

        # sqrt(1/2) becomes the beginning of a binade, so that the mantissa is on both sides of 1
        shift = 0x3FF0000000000000 - 0x3FE6A09E667F3BCD
        bits = builder.add(builder.bitcast(args[0], _BITS), constant(shift))
        exponent = builder.sub(builder.ashr(bits, constant(52)), constant(1023))
        mantissa = builder.add(builder.and_(bits, constant((1 << 52) - 1)), constant(0x3FE6A09E667F3BCD))
        pair = builder.sitofp(exponent, _VECTOR), builder.bitcast(mantissa, _VECTOR)
        return context.make_tuple(builder, signature.return_type, pair)

    return types.UniTuple(LANES, 2)(LANES), codegen


@register_jitable
def logarithm(x):  # type: ignore[no-untyped-def]  # Numba infers the types
    """log(x) in every lane, to 4e-16 of its value near 1; x must be a normal positive number."""
    n, m = _split(x)
    s = (m - splat(1.0)) / (m + splat(1.0))
    z = s * s
    p = splat(1.0 / 19.0)
    p = multiply_add(p, z, splat(1.0 / 17.0))
    p = multiply_add(p, z, splat(1.0 / 15.0))
    p = multiply_add(p, z, splat(1.0 / 13.0))
    p = multiply_add(p, z, splat(1.0 / 11.0))
    p = multiply_add(p, z, splat(1.0 / 9.0))
    p = multiply_add(p, z, splat(1.0 / 7.0))
    p = multiply_add(p, z, splat(1.0 / 5.0))
    p = multiply_add(p, z, splat(1.0 / 3.0))
    p = multiply_add(p, z, splat(1.0))
    return multiply_add(n, splat(0.6931471805599453), splat(2.0) * s * p)


@register_jitable
def logistic(x):  # type: ignore[no-untyped-def]  # Numba infers the types
    """1 / (1 + exp(-x)) in every lane, to 1e-15; beyond |x| = 700 as at 700, so nothing overflows."""
    return splat(1.0) / (splat(1.0) + exponential(splat(0.0) - x))


@register_jitable
def exponential(x):  # type: ignore[no-untyped-def]  # Numba infers the types
    """exp(x) in every lane, to 1e-15 and |x| / 2e16 of its value; beyond |x| = 700 as at 700."""
    x = _clamp(x, splat(700.0))
    magic = splat(6755399441055744.0)
    shifted = multiply_add(x, splat(1.4426950408889634), magic)
    n = shifted - magic
    t = multiply_add(n, splat(-0.6931471805599453), x)
    p = splat(2.08767569878681e-09)
    p = multiply_add(p, t, splat(2.505210838544172e-08))
    p = multiply_add(p, t, splat(2.755731922398589e-07))
    p = multiply_add(p, t, splat(2.7557319223985893e-06))
    p = multiply_add(p, t, splat(2.48015873015873e-05))
    p = multiply_add(p, t, splat(1.984126984126984e-04))
    p = multiply_add(p, t, splat(1.388888888888889e-03))
    p = multiply_add(p, t, splat(8.333333333333333e-03))
    p = multiply_add(p, t, splat(4.1666666666666664e-02))
    p = multiply_add(p, t, splat(1.6666666666666666e-01))
    p = multiply_add(p, t, splat(0.5))
    p = multiply_add(p, t, splat(1.0))
    p = multiply_add(p, t, splat(1.0))
    return _scale_by_power(p, shifted)


def get(array: Any, row: int | np.integer[Any]) -> Any:
    """array[row], or its first eight lanes as one value."""
    return array[row] if array.ndim == 1 else array[row].copy()


@overload(get, strict=False)
def _get(array: Any, row: Any) -> Any:  # noqa: ARG001
    if array.ndim == 1:
        return lambda array, row: array[row]
    return lambda array, row: load(array, row, 0)


def put(array: Any, row: int | np.integer[Any], value: Any) -> None:
    """array[row] = value, or its first eight lanes."""
    array[row] = value


@overload(put, strict=False)
def _put(array: Any, row: Any, value: Any) -> Any:  # noqa: ARG001
    if array.ndim == 1:

        def put_number(array: Any, row: Any, value: Any) -> None:
            array[row] = value

        return put_number
    return lambda array, row, value: store(array, row, 0, value)


def exp(x: Any) -> Any:
    """The exponential function."""
    return np.exp(np.clip(x, -700, 700))


@overload(exp, strict=False)
def _exp(x: Any) -> Any:
    if isinstance(x, Lanes):
        return lambda x: exponential(x)  # noqa: PLW0108 - Numba wants a Python function
    return lambda x: math.exp(x)  # noqa: PLW0108


def log(x: Any) -> Any:
    """The natural logarithm of positive numbers."""
    return np.log(x)


@overload(log, strict=False)
def _log(x: Any) -> Any:
    if isinstance(x, Lanes):
        return lambda x: logarithm(x)  # noqa: PLW0108 - Numba wants a Python function
    return lambda x: math.log(x)  # noqa: PLW0108


def root(x: Any) -> Any:
    """The square root."""
    return np.sqrt(x)


@overload(root, strict=False)
def _root(x: Any) -> Any:
    if isinstance(x, Lanes):
        return lambda x: _square_root(x)  # noqa: PLW0108 - Numba wants a Python function
    return lambda x: math.sqrt(x)  # noqa: PLW0108


def larger(a: Any, b: Any) -> Any:
    """The larger of two, in every lane; if one is a number it is b."""
    return np.maximum(a, b)


@overload(larger, strict=False)
def _larger(a: Any, b: Any) -> Any:
    if isinstance(a, Lanes) and isinstance(b, Lanes):
        return lambda a, b: _maximum(a, b)  # noqa: PLW0108
    if isinstance(a, Lanes):
        return lambda a, b: _maximum(a, splat(b))
    return lambda a, b: a if a > b else b


def smallest(array: Any, row: int) -> float:
    """array[row], or the smallest of its first eight lanes."""
    return float(np.min(array[row]))


@overload(smallest, strict=False)
def _smallest(array: Any, row: Any) -> Any:  # noqa: ARG001
    if array.ndim == 1:
        return lambda array, row: array[row]

    def smallest_lane(array: Any, row: Any) -> Any:
        least = array[row, 0]
        for lane in range(1, WIDTH):
            least = min(least, array[row, lane])
        return least

    return smallest_lane
