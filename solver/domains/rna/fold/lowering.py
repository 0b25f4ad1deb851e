"""LLVM's code of the inner loops of folding, and of the call of a fold.

`vectors.py` and `call.py` have the functions, with the same names, that this code replaces.

On processors without registers of eight int32 LLVM splits them. Each function is the definition of
an intrinsic: it returns the signature for arguments of some types, and what generates the code.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils as untyped_cgutils
from numba.np import arrayobj as untyped_arrays

from solver.domains.rna.fold.sizes import LANES, MAX_LOOP, MIN_LOOP, STRETCH

cgutils: Any = untyped_cgutils
arrays: Any = untyped_arrays

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


def item(typing_context, array, index):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        data = _data(context, builder, signature.args[0], arguments[0])
        return builder.load(builder.gep(data, [arguments[1]]))

    return array.dtype(array, types.int64), generate


def part(typing_context, array, begin, count):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        array, begin, count = arguments
        data = builder.gep(_data(context, builder, signature.args[0], array), [begin])
        return _array(context, builder, signature.return_type, data, count)

    return array(array, types.int64, types.int64), generate


def _items_at(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    pointer = context.get_value_type(signature.return_type.dtype).as_pointer()
    data = builder.inttoptr(arguments[0], pointer)
    return _array(context, builder, signature.return_type, data, arguments[1])


def array_at(typing_context, address, count):  # type: ignore[no-untyped-def]
    return types.Array(types.int32, 1, "C")(types.int64, types.int64), _items_at


def letters_at(typing_context, address, count):  # type: ignore[no-untyped-def]
    return types.Array(types.uint8, 1, "C")(types.int64, types.int64), _items_at


def least_sum(typing_context, one, at, other, there, added):  # type: ignore[no-untyped-def]
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


def lower(typing_context, target, at, source, there, added, count):  # type: ignore[no-untyped-def]
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


def interior_row(  # type: ignore[no-untyped-def]
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


def call(typing_context, address, *numbers):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        numbers = [builder.extract_value(arguments[1], place) for place in range(6)]
        number = ir.IntType(64)
        function = ir.FunctionType(number, [number] * 6).as_pointer()
        return builder.call(builder.inttoptr(arguments[0], function), numbers)

    kinds = types.StarArgTuple([types.int64] * 6)  # type: ignore[no-untyped-call]
    return types.int64(types.int64, kinds), generate
