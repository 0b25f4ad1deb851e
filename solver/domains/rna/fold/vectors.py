"""Inner loops of folding, eight int32 at a time, in LLVM's own words.

They take 80 % of a fold's time, and their shape (reading two places above the one that is
written, counts that are rounded up to whole vectors because rows are padded) is nothing that
LLVM makes vectors of by itself. On processors without such registers it splits them.

All arrays are contiguous, of one dimension; places in them are not checked and never negative.
Each function is plain Python, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import config, types
from numba.core import cgutils as untyped_cgutils
from numba.extending import intrinsic, lower_builtin, type_callable
from numba.np import arrayobj as untyped_arrays

cgutils: Any = untyped_cgutils
arrays: Any = untyped_arrays
F = TypeVar("F", bound=Callable[..., Any])
Int32s = npt.NDArray[np.int32]

LANES = 8
#: Length of the stretches that `least_sum` looks at.
STRETCH = 32
#: Largest unpaired part of an interior loop.
MAX_LOOP = 30
#: Least unpaired part of the interior loops that `interior_row` works on.
MIN_LOOP = 4

_INT = ir.IntType(32)
_VECTOR = ir.VectorType(_INT, LANES)


def _data(context: Any, builder: Any, array_type: Any, array: Any) -> Any:
    """Pointer to the first number of an array."""
    return cgutils.create_struct_proxy(array_type)(context, builder, value=array).data


def _array(context: Any, builder: Any, array_type: Any, data: Any, count: Any) -> Any:
    """Array of `count` numbers at `data`; the caller keeps them alive."""
    array = arrays.make_array(array_type)(context, builder)
    size = context.get_constant(types.intp, context.get_abi_sizeof(data.type.pointee))
    arrays.populate_array(
        array, data=data, shape=[count], strides=[size], itemsize=size, meminfo=None
    )
    return array._getvalue()


def _vector_at(builder: Any, pointer: Any) -> Any:
    return builder.bitcast(pointer, _VECTOR.as_pointer())


def _load(builder: Any, data: Any, index: Any) -> Any:
    """Vector from place `index` on."""
    return builder.load(_vector_at(builder, builder.gep(data, [index])), align=4)


def _store(builder: Any, vector: Any, data: Any, index: Any) -> None:
    builder.store(vector, _vector_at(builder, builder.gep(data, [index])), align=4)


def _least(builder: Any, one: Any, other: Any) -> Any:
    return builder.select(builder.icmp_signed("<", one, other), one, other)


def _copies(builder: Any, number: Any) -> Any:
    """Vector of a number in all lanes."""
    vector = builder.insert_element(
        ir.Constant(_VECTOR, ir.Undefined), number, ir.Constant(_INT, 0)
    )
    mask = ir.Constant(ir.VectorType(_INT, LANES), [0] * LANES)
    return builder.shuffle_vector(vector, vector, mask)


def _number(value: int) -> Any:
    return ir.Constant(ir.IntType(64), value)


def _compiled(plain: F, compiled: Any) -> F:
    """Return the function that kernels call: where nothing is compiled, `plain`."""
    return plain if config.DISABLE_JIT else cast(F, compiled)  # type: ignore[attr-defined]


@intrinsic
def _item(typing_context, array, index):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        data = _data(context, builder, signature.args[0], arguments[0])
        return builder.load(builder.gep(data, [arguments[1]]))

    return array.dtype(array, types.int64), generate


def plain_item(array: Any, index: int) -> Any:
    """Return `array[index]`; Numba would look whether `index` is negative."""
    return array[index]


item = _compiled(plain_item, _item)


def part(array: Any, begin: int, count: int) -> Any:
    """Return `array[begin : begin + count]`; without reference counts none may return a slice."""
    return array[begin : begin + count]


@type_callable(part)
def _type_of_part(context):  # type: ignore[no-untyped-def]
    return lambda array, begin, count: array


@lower_builtin(part, types.Array, types.Integer, types.Integer)  # type: ignore[no-untyped-call]
def _lower_part(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
    array_type, *kinds = signature.args
    begin, count = (
        context.cast(builder, number, kind, types.int64)
        for number, kind in zip(arguments[1:], kinds, strict=True)
    )
    data = builder.gep(_data(context, builder, array_type, arguments[0]), [begin])
    return _array(context, builder, array_type, data, count)


def _array_at(item_type: Any) -> Any:
    @intrinsic
    def array_at(typing_context, address, count):  # type: ignore[no-untyped-def]
        """Return the `count` items at an address as an array."""

        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            pointer = context.get_value_type(item_type).as_pointer()
            data = builder.inttoptr(arguments[0], pointer)
            return _array(context, builder, signature.return_type, data, arguments[1])

        return types.Array(item_type, 1, "C")(types.int64, types.int64), generate

    return array_at


array_at, letters_at = _array_at(types.int32), _array_at(types.uint8)


@intrinsic
def _least_sum(typing_context, one, at, other, there, added):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        one, at, other, there, added = arguments
        one, other, added = (
            _data(context, builder, signature.args[place], arguments[place]) for place in (0, 2, 4)
        )
        least = None
        for begin in range(0, STRETCH, LANES):
            shift = _number(begin)
            nearer = _least(
                builder,
                _load(builder, one, builder.add(at, shift)),
                _load(builder, other, builder.add(there, shift)),
            )
            total = builder.add(nearer, _load(builder, added, shift))
            least = total if least is None else _least(builder, least, total)
        name = "llvm.vector.reduce.smin.v8i32"
        reduce = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(_INT, [_VECTOR]), name
        )
        return builder.call(reduce, [least])

    int64 = types.int64
    return types.int32(one, int64, other, int64, added), generate


def plain_least_sum(one: Int32s, at: int, other: Int32s, there: int, added: Int32s) -> int:
    """Least of `min(one[at + k], other[there + k]) + added[k]` over `STRETCH` places."""
    nearer = np.minimum(one[at : at + STRETCH], other[there : there + STRETCH])
    return int((nearer + added[:STRETCH]).min())


least_sum = _compiled(plain_least_sum, _least_sum)


@intrinsic
def _lower(typing_context, target, at, source, there, added, count):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        _, at, _, there, added, count = arguments
        target = _data(context, builder, signature.args[0], arguments[0])
        source = _data(context, builder, signature.args[2], arguments[2])
        added = builder.trunc(added, _INT)
        vector = _copies(builder, added)

        def lower_vector(place: Any) -> None:
            to = builder.add(at, place)
            total = builder.add(_load(builder, source, builder.add(there, place)), vector)
            _store(builder, _least(builder, total, _load(builder, target, to)), target, to)

        long = builder.icmp_signed(">=", count, _number(LANES))
        with builder.if_else(long) as (then, otherwise):
            with then:
                last = builder.sub(count, _number(LANES))
                with cgutils.for_range_slice(
                    builder, _number(0), last, _number(LANES), inc=True
                ) as (place, _):
                    lower_vector(place)
                lower_vector(last)  # again what is in two vectors: the least of both
            with otherwise, cgutils.for_range(builder, count) as loop:
                to = builder.gep(target, [builder.add(at, loop.index)])
                total = builder.add(
                    builder.load(builder.gep(source, [builder.add(there, loop.index)])), added
                )
                builder.store(_least(builder, total, builder.load(to)), to)
        return context.get_dummy_value()

    int64 = types.int64
    return types.void(target, int64, source, int64, int64, int64), generate


def plain_lower(
    target: Int32s, at: int, source: Int32s, there: int, added: int, count: int
) -> None:
    """Lower `count` numbers of `target` to those of `source` plus `added`, where these are less."""
    if count > 0:
        total = source[there : there + count] + np.int32(added)
        np.minimum(target[at : at + count], total, out=target[at : at + count])


lower = _compiled(plain_lower, _lower)


@intrinsic
def _interior_row(  # type: ignore[no-untyped-def]
    typing_context, closed, width, i, first, last, best, best_width, unequal, initial, least
):
    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        _, width, i, first, last, _, best_width, _, _, _ = arguments
        closed, best, unequal, initial, least = (
            _data(context, builder, signature.args[place], arguments[place])
            for place in (0, 5, 7, 8, 9)
        )
        add, sub, mul = builder.add, builder.sub, builder.mul
        inner_row = mul(add(i, _number(3)), width)
        end = add(last, _number(1))
        with cgutils.for_range_slice(builder, first, end, _number(LANES), inc=True) as (j, _):
            reach = sub(sub(add(j, _number(LANES - 1)), i), _number(6))
            reach = _least(builder, reach, _number(MAX_LOOP))
            lowest = cgutils.alloca_once_value(builder, _load(builder, least, j))
            diagonal = add(i, j)
            with cgutils.for_range_slice(
                builder, reach, _number(MIN_LOOP - 1), _number(-1), inc=False
            ) as (u, _):
                left = _load(builder, closed, add(inner_row, sub(add(j, _number(1)), u)))
                row = mul(sub(add(i, u), _number(1)), width)
                right = _load(builder, closed, add(row, sub(j, _number(3))))
                edge = _copies(builder, builder.load(builder.gep(unequal, [u])))
                both = add(_least(builder, left, right), edge)
                before = mul(sub(u, _number(2)), best_width)
                both = _least(builder, both, _load(builder, best, add(before, diagonal)))
                _store(builder, both, best, add(mul(u, best_width), diagonal))
                size = _copies(builder, builder.load(builder.gep(initial, [u])))
                total = add(both, size)
                builder.store(_least(builder, total, builder.load(lowest)), lowest)
            _store(builder, builder.load(lowest), least, j)
        return context.get_dummy_value()

    int64 = types.int64
    numbers = (int64, int64, int64, int64)
    return types.void(closed, *numbers, best, int64, unequal, initial, least), generate


def plain_interior_row(
    closed: Int32s,
    width: int,
    i: int,
    first: int,
    last: int,
    best: Int32s,
    best_width: int,
    unequal: Int32s,
    initial: Int32s,
    least: Int32s,
) -> None:
    """Best interior loops, of two or more unpaired bases on each side, of a row of pairs.

    Those of `u` unpaired bases that (i, j) closes are those that (i + 1, j - 1) closes with
    u - 2, one base longer on each side, and two with exactly two bases on one side (Lyngsø,
    Zuker & Pedersen 1999): what a loop costs depends on its size and on how unequal its sides are.

    Parameters
    ----------
    closed : int32[rows * width]
        Least energy inside each pair, with its mismatch outwards.
    i, first, last : int
        Row, first column (at least i + 10) and last; up to 7 more columns are written.
    best : int32[31 * best_width]
        For each size u, at i + j: least energy inside a loop of that size that (i, j) closes, as
        the row i + 1 has left it; rows 2 and 3 hold numbers that are never the least.
    unequal, initial : int32[31]
        For each size: cost of two bases on one side and u - 2 on the other, and of the size.
    least : int32[width]
        For each column, lowered to the least energy of such a loop, without the mismatch of (i, j).
    """
    for begin in range(first, last + 1, LANES):
        j, lanes = begin, slice(begin, begin + LANES)
        for u in range(min(MAX_LOOP, j + LANES - 1 - i - 6), MIN_LOOP - 1, -1):
            left = (i + 3) * width + j + 1 - u
            right = (i + u - 1) * width + j - 3
            both = np.minimum(closed[left : left + LANES], closed[right : right + LANES])
            both += unequal[u]
            before, place = (u - 2) * best_width + i + j, u * best_width + i + j
            np.minimum(both, best[before : before + LANES], out=both)
            best[place : place + LANES] = both
            np.minimum(least[lanes], both + initial[u], out=least[lanes])


interior_row = _compiled(plain_interior_row, _interior_row)
