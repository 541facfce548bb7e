"""Eight float64 or sixteen float32 lanes as one value inside Numba kernels, in SIMD.

Numba turns a loop over lanes into SIMD code only under narrow conditions. Here the LLVM vector is a type of its own,
so a kernel written with it is vectorised on every CPU, and reads like its plain twin. `get`, `put`, `exp`, `log`,
`root`, `larger` and `smallest` work on numbers and on lanes alike: what is written with them serves one lane, eight
and sixteen. An array of doubles is loaded as eight lanes, one of single precision as sixteen: 64 bytes, a cache line
and an AVX-512 register, either way; narrower CPUs split it.
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

from ludometer.arrays import Floats, Singles

WIDTH, SINGLE_WIDTH = 8, 16
"""Lanes in one vector, of doubles and of single precision."""


def allocate(n_rows: int, n_lanes: int) -> Floats:
    """Zeros of shape (rows, lanes rounded up to whole vectors), on a cache line's boundary.

    >>> allocate(3, 5).shape
    (3, 8)
    """
    n_columns = -(-n_lanes // WIDTH) * WIDTH
    raw = np.zeros(n_rows * n_columns + WIDTH, np.float64)
    offset = -raw.ctypes.data % (8 * WIDTH) // 8
    return raw[offset : offset + n_rows * n_columns].reshape(n_rows, n_columns)


def allocate_single(n_rows: int) -> Singles:
    """The same for one vector of single precision: (rows, 16).

    >>> allocate_single(3).shape
    (3, 16)
    """
    return allocate(n_rows, WIDTH).view(np.float32)


class Lanes(types.Type):  # type: ignore[misc]
    """Numba's type of a vector: eight doubles, or sixteen floats of single precision."""

    def __init__(self, number: Any, width: int) -> None:
        super().__init__(name=f"Lanes({number} x {width})")
        self.number, self.width = number, width
        self.vector = ir.VectorType(ir.DoubleType() if number == types.float64 else ir.FloatType(), width)
        self.bits = ir.VectorType(ir.IntType(number.bitwidth), width)
        self.suffix = f"v{width}f{number.bitwidth}"


LANES, SINGLES = Lanes(types.float64, WIDTH), Lanes(types.float32, SINGLE_WIDTH)


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, fe_type: Any) -> None:
        super().__init__(manager, fe_type, fe_type.vector)


def _kind(array: Any) -> Lanes:
    return SINGLES if array.dtype == types.float32 else LANES


def _element(context: Any, builder: Any, array_type: Any, array: Any, row: Any, column: Any) -> Any:
    """A pointer to array[row, column]."""
    view = context.make_array(array_type)(context, builder, array)
    n_columns = cgutils.unpack_tuple(builder, view.shape, 2)[1]
    return builder.gep(view.data, [builder.add(builder.mul(row, n_columns), column)])


def _fill(builder: Any, kind: Lanes, value: Any) -> Any:
    """One number in all lanes of a vector."""
    empty = ir.Constant(kind.vector, ir.Undefined)
    one = builder.insert_element(empty, value, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(one, empty, ir.Constant(ir.VectorType(ir.IntType(32), kind.width), [0] * kind.width))


def _call(builder: Any, kind: Lanes, name: str, args: Any) -> Any:
    """A function of LLVM's on whole vectors."""
    function = ir.FunctionType(kind.vector, [kind.vector] * len(args))
    return builder.call(cgutils.get_or_insert_function(builder.module, function, f"llvm.{name}.{kind.suffix}"), args)


@intrinsic
def load(typing: Any, array: Any, row: Any, column: Any) -> Any:  # noqa: ARG001
    """The eight values of array[row, column:column + 8], or sixteen of single precision."""
    kind = _kind(array)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _element(context, builder, signature.args[0], *args)
        return builder.load(builder.bitcast(pointer, kind.vector.as_pointer()), align=kind.number.bitwidth // 8)

    return kind(array, types.intp, types.intp), codegen


@intrinsic
def store(typing: Any, array: Any, row: Any, column: Any, value: Any) -> Any:  # noqa: ARG001
    """Write the values to array[row, column:column + 8], or + 16."""
    kind = _kind(array)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _element(context, builder, signature.args[0], *args[:3])
        builder.store(args[3], builder.bitcast(pointer, kind.vector.as_pointer()), align=kind.number.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, types.intp, types.intp, kind), codegen


@intrinsic
def load_repeated(typing: Any, array: Any, row: Any, column: Any) -> Any:  # noqa: ARG001
    """The four values of array[row, column:column + 4], in single precision, four times over."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        four = ir.VectorType(ir.FloatType(), 4)
        pointer = _element(context, builder, signature.args[0], *args)
        value = builder.load(builder.bitcast(pointer, four.as_pointer()), align=4)
        order = ir.Constant(ir.VectorType(ir.IntType(32), SINGLE_WIDTH), [0, 1, 2, 3] * 4)
        return builder.shuffle_vector(value, ir.Constant(four, ir.Undefined), order)

    return SINGLES(array, types.intp, types.intp), codegen


@intrinsic
def load_four(typing: Any, array: Any, a: Any, b: Any, c: Any, d: Any) -> Any:  # noqa: ARG001
    """Rows a, b, c and d of an array with four columns, in single precision, one after the other."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        four = ir.VectorType(ir.FloatType(), 4)

        def row(number: Any) -> Any:
            pointer = _element(context, builder, signature.args[0], args[0], number, ir.Constant(number.type, 0))
            return builder.load(builder.bitcast(pointer, four.as_pointer()), align=4)

        def joined(low: Any, high: Any, width: int) -> Any:
            order = ir.Constant(ir.VectorType(ir.IntType(32), 2 * width), list(range(2 * width)))
            return builder.shuffle_vector(low, high, order)

        low, high = (joined(row(one), row(other), 4) for one, other in (args[1:3], args[3:]))
        return joined(low, high, 8)

    return SINGLES(array, types.intp, types.intp, types.intp, types.intp), codegen


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
    """The same double in all eight lanes."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        return _fill(builder, LANES, args[0])

    return LANES(types.float64), codegen


@intrinsic
def splat_like(typing: Any, like: Any, value: Any) -> Any:  # noqa: ARG001
    """The same number in all lanes of a vector of the kind of `like`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        return _fill(builder, like, args[1] if like == LANES else builder.fptrunc(args[1], ir.FloatType()))

    return like(like, types.float64), codegen


@intrinsic
def multiply_add(typing: Any, a: Any, b: Any, c: Any) -> Any:  # noqa: ARG001
    """a * b + c, fused where the CPU can."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        return _call(builder, a, "fmuladd", args)

    return a(a, a, a), codegen


_MANTISSA = {LANES: 52, SINGLES: 23}


@intrinsic
def _scale_by_power(typing: Any, value: Any, shifted: Any) -> Any:  # noqa: ARG001
    """value * 2**n, where n stands in the low bits of shifted = n + 1.5 * 2**(bits of the mantissa)."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        places = ir.Constant(value.bits, [_MANTISSA[value]] * value.width)
        exponent = builder.shl(builder.bitcast(args[1], value.bits), places)
        return builder.bitcast(builder.add(builder.bitcast(args[0], value.bits), exponent), value.vector)

    return value(value, value), codegen


def _arithmetic(symbol: Any, instruction: str) -> None:
    @intrinsic
    def apply(typing: Any, a: Any, b: Any) -> Any:  # noqa: ARG001
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
            return getattr(builder, instruction)(*args)

        return a(a, b), codegen

    @overload(symbol, strict=False)  # annotations on one side only are fine
    def typed(a: Any, b: Any) -> Any:
        if isinstance(a, Lanes) and a == b:
            return lambda a, b: apply(a, b)  # noqa: PLW0108 - Numba wants a Python function
        if isinstance(a, Lanes) and isinstance(b, types.Float):
            return lambda a, b: apply(a, splat_like(a, b))
        if isinstance(a, types.Float) and isinstance(b, Lanes):
            return lambda a, b: apply(splat_like(b, a), b)
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

    return value(value, limit), codegen


@intrinsic
def _maximum(typing: Any, a: Any, b: Any) -> Any:  # noqa: ARG001
    """The larger of two values in every lane."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        return builder.select(builder.fcmp_ordered(">", *args), *args)

    return a(a, b), codegen


@intrinsic
def choose_above(typing: Any, value: Any, bound: Any, above: Any, otherwise: Any) -> Any:  # noqa: ARG001
    """`above` in the lanes in which a value is larger than its bound, else `otherwise`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        return builder.select(builder.fcmp_ordered(">", args[0], args[1]), args[2], args[3])

    return above(value, bound, above, otherwise), codegen


@intrinsic
def _square_root(typing: Any, value: Any) -> Any:  # noqa: ARG001
    """The square root in every lane."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        return _call(builder, value, "sqrt", args)

    return value(value), codegen


_SQRT_HALF = {LANES: 0x3FE6A09E667F3BCD, SINGLES: 0x3F3504F3}
_ONE = {LANES: 0x3FF0000000000000, SINGLES: 0x3F800000}
_BIAS = {LANES: 1023, SINGLES: 127}


@intrinsic
def _split(typing: Any, value: Any) -> Any:  # noqa: ARG001
    """(n, m) with value = 2**n m and m from 1/sqrt(2) to sqrt(2), in every lane; for values that are normal."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        def constant(number: int) -> Any:
            return ir.Constant(value.bits, [number] * value.width)

        # sqrt(1/2) becomes the beginning of a binade, so that the mantissa is on both sides of 1
        bits = builder.add(builder.bitcast(args[0], value.bits), constant(_ONE[value] - _SQRT_HALF[value]))
        exponent = builder.sub(builder.ashr(bits, constant(_MANTISSA[value])), constant(_BIAS[value]))
        mantissa = builder.and_(bits, constant((1 << _MANTISSA[value]) - 1))
        mantissa = builder.add(mantissa, constant(_SQRT_HALF[value]))
        pair = builder.sitofp(exponent, value.vector), builder.bitcast(mantissa, value.vector)
        return context.make_tuple(builder, signature.return_type, pair)

    return types.UniTuple(value, 2)(value), codegen


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


@register_jitable
def single_logarithm(x):  # type: ignore[no-untyped-def]  # Numba infers the types
    """log(x) in every lane of single precision, to 2e-7 of the larger of its value and 1; x positive and normal."""
    n, m = _split(x)
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    p = z * (1.0 / 9.0) + 1.0 / 7.0
    p = p * z + 1.0 / 5.0
    p = p * z + 1.0 / 3.0
    p = p * z + 1.0
    return n * 0.6931471805599453 + s * 2.0 * p


@register_jitable
def single_exponential(x):  # type: ignore[no-untyped-def]  # Numba infers the types
    """exp(x) in every lane of single precision, to 2e-7 and |x| / 1e7 of its value; beyond |x| = 87 as at 87."""
    x = _clamp(x, splat_like(x, 87.0))
    magic = splat_like(x, 12582912.0)
    shifted = multiply_add(x, splat_like(x, 1.4426950408889634), magic)
    n = shifted - magic
    # ln 2 in two parts, of which the first has so few digits that its multiples are exact
    t = multiply_add(n, splat_like(x, -0.693359375), x)
    t = multiply_add(n, splat_like(x, 2.12194440e-4), t)
    p = splat_like(x, 1.388888888888889e-03)
    p = multiply_add(p, t, splat_like(x, 8.333333333333333e-03))
    p = multiply_add(p, t, splat_like(x, 4.1666666666666664e-02))
    p = multiply_add(p, t, splat_like(x, 1.6666666666666666e-01))
    p = multiply_add(p, t, splat_like(x, 0.5))
    p = multiply_add(p, t, splat_like(x, 1.0))
    p = multiply_add(p, t, splat_like(x, 1.0))
    return _scale_by_power(p, shifted)


def get(array: Any, row: int | np.integer[Any]) -> Any:
    """array[row], or its first lanes, as many as a vector has, as one value."""
    return array[row] if array.ndim == 1 else array[row].copy()


@overload(get, strict=False)
def _get(array: Any, row: Any) -> Any:  # noqa: ARG001
    if array.ndim == 1:
        return lambda array, row: array[row]
    return lambda array, row: load(array, row, 0)


def put(array: Any, row: int | np.integer[Any], value: Any) -> None:
    """array[row] = value, or its first lanes."""
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
        function = exponential if x == LANES else single_exponential
        return lambda x: function(x)  # noqa: PLW0108 - Numba wants a Python function
    return lambda x: math.exp(x)  # noqa: PLW0108


def log(x: Any) -> Any:
    """The natural logarithm of positive numbers."""
    return np.log(x)


@overload(log, strict=False)
def _log(x: Any) -> Any:
    if isinstance(x, Lanes):
        function = logarithm if x == LANES else single_logarithm
        return lambda x: function(x)  # noqa: PLW0108 - Numba wants a Python function
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
        return lambda a, b: _maximum(a, splat_like(a, b))
    return lambda a, b: a if a > b else b


def smallest(array: Any, row: int) -> float:
    """array[row], or the smallest of its first lanes."""
    return float(np.min(array[row]))


@overload(smallest, strict=False)
def _smallest(array: Any, row: Any) -> Any:  # noqa: ARG001
    if array.ndim == 1:
        return lambda array, row: array[row]

    width = _kind(array).width

    def smallest_lane(array: Any, row: Any) -> Any:
        least = array[row, 0]
        for lane in range(1, width):
            least = min(least, array[row, lane])
        return least

    return smallest_lane
