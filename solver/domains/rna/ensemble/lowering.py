"""LLVM's code of the inner loops of the partition function.

`vectors.py` has the functions, with the same names, that this code replaces. Each function here is
the definition of an intrinsic, as in `solver.domains.rna.fold.lowering`.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils as untyped_cgutils

from solver.domains.rna.ensemble.sizes import LANES
from solver.domains.rna.fold.sizes import MIN_LOOP

cgutils: Any = untyped_cgutils

_INT, _FLOAT = ir.IntType(64), ir.DoubleType()
_VECTOR = ir.VectorType(_FLOAT, LANES)


def _number(value: int) -> Any:
    return ir.Constant(_INT, value)


def _data(context: Any, builder: Any, signature: Any, arguments: Any, place: int) -> Any:
    """Pointer to the first number of an array among the arguments."""
    proxy = cgutils.create_struct_proxy(signature.args[place])
    return proxy(context, builder, value=arguments[place]).data


def _vector_at(builder: Any, data: Any, index: Any) -> Any:
    return builder.bitcast(builder.gep(data, [index]), _VECTOR.as_pointer())


def _load(builder: Any, data: Any, index: Any) -> Any:
    """Vector from place `index` on."""
    return builder.load(_vector_at(builder, data, index), align=8)


def _store(builder: Any, vector: Any, data: Any, index: Any) -> None:
    builder.store(vector, _vector_at(builder, data, index), align=8)


def _copies(builder: Any, number: Any) -> Any:
    """Vector of a number in all lanes."""
    vector = builder.insert_element(
        ir.Constant(_VECTOR, ir.Undefined), number, ir.Constant(ir.IntType(32), 0)
    )
    mask = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(vector, vector, mask)


def _copies_of(builder: Any, table: Any, index: Any) -> Any:
    """Vector of the number at a place in all lanes."""
    return _copies(builder, builder.load(builder.gep(table, [index])))


def _reach(builder: Any, column: Any, reach: Any, most: Any) -> Any:
    """Largest size of the loops of the columns from `column` on."""
    size = builder.add(column, reach)
    return builder.select(builder.icmp_signed("<", size, most), size, most)


def extend_loops(  # type: ignore[no-untyped-def]
    typing_context, matrix, left, left_step, right, right_step, first, last, reach, most,
    extended, at, width, unequal, initial, sums,
):  # fmt: skip
    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        _, left, left_step, right, right_step, first, last, reach, most, _, at, width, *_ = (
            arguments
        )
        matrix, extended, unequal, initial, sums = (
            _data(context, builder, signature, arguments, place) for place in (0, 9, 12, 13, 14)
        )
        add, mul = builder.add, builder.mul
        end = add(last, _number(1))
        with cgutils.for_range_slice(builder, first, end, _number(LANES), inc=True) as (j, _):
            total = cgutils.alloca_once_value(builder, _load(builder, sums, j))
            size = _reach(builder, j, reach, most)
            diagonal = add(at, j)
            with cgutils.for_range_slice(
                builder, size, _number(MIN_LOOP - 1), _number(-1), inc=False
            ) as (u, _):
                one = _load(builder, matrix, add(add(left, mul(u, left_step)), j))
                other = _load(builder, matrix, add(add(right, mul(u, right_step)), j))
                edge = builder.fmul(builder.fadd(one, other), _copies_of(builder, unequal, u))
                before = add(mul(builder.sub(u, _number(2)), width), diagonal)
                loops = builder.fadd(_load(builder, extended, before), edge)
                _store(builder, loops, extended, add(mul(u, width), diagonal))
                more = builder.fmul(loops, _copies_of(builder, initial, u))
                builder.store(builder.fadd(builder.load(total), more), total)
            _store(builder, builder.load(total), sums, j)
        return context.get_dummy_value()

    int64 = types.int64
    numbers = (int64,) * 8
    signature = types.void(matrix, *numbers, extended, int64, int64, unequal, initial, sums)
    return signature, generate


def add_loops(  # type: ignore[no-untyped-def]
    typing_context, matrix, left, left_step, right, right_step, first, last, reach, least, most,
    factors, sums,
):  # fmt: skip
    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        _, left, left_step, right, right_step, first, last, reach, least, most, *_ = arguments
        matrix, factors, sums = (
            _data(context, builder, signature, arguments, place) for place in (0, 10, 11)
        )
        add, mul = builder.add, builder.mul
        end = add(last, _number(1))
        with cgutils.for_range_slice(builder, first, end, _number(LANES), inc=True) as (j, _):
            total = cgutils.alloca_once_value(builder, _load(builder, sums, j))
            size = _reach(builder, j, reach, most)
            with cgutils.for_range_slice(
                builder, size, builder.sub(least, _number(1)), _number(-1), inc=False
            ) as (u, _):
                one = _load(builder, matrix, add(add(left, mul(u, left_step)), j))
                other = _load(builder, matrix, add(add(right, mul(u, right_step)), j))
                more = builder.fmul(builder.fadd(one, other), _copies_of(builder, factors, u))
                builder.store(builder.fadd(builder.load(total), more), total)
            _store(builder, builder.load(total), sums, j)
        return context.get_dummy_value()

    numbers = (types.int64,) * 9
    return types.void(matrix, *numbers, factors, sums), generate


def add_scaled(typing_context, target, at, source, there, factor, count):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        _, at, _, there, factor, count = arguments
        target, source = (_data(context, builder, signature, arguments, place) for place in (0, 2))
        vector = _copies(builder, factor)
        add = builder.add
        whole = builder.sub(count, builder.srem(count, _number(LANES)))
        with cgutils.for_range_slice(builder, _number(0), whole, _number(LANES), inc=True) as (
            place,
            _,
        ):
            to = add(at, place)
            more = builder.fmul(_load(builder, source, add(there, place)), vector)
            _store(builder, builder.fadd(_load(builder, target, to), more), target, to)
        with cgutils.for_range_slice(builder, whole, count, _number(1), inc=True) as (place, _):
            to = builder.gep(target, [add(at, place)])
            number = builder.load(builder.gep(source, [add(there, place)]))
            builder.store(builder.fadd(builder.load(to), builder.fmul(number, factor)), to)
        return context.get_dummy_value()

    int64 = types.int64
    return types.void(target, int64, source, int64, types.float64, int64), generate


def product(typing_context, one, at, other, there, count):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        _, at, _, there, count = arguments
        one, other = (_data(context, builder, signature, arguments, place) for place in (0, 2))
        total = cgutils.alloca_once_value(builder, ir.Constant(_VECTOR, [0.0] * LANES))
        with cgutils.for_range_slice(builder, _number(0), count, _number(LANES), inc=True) as (
            place,
            _,
        ):
            first = _load(builder, one, builder.add(at, place))
            second = _load(builder, other, builder.add(there, place))
            builder.store(builder.fadd(builder.load(total), builder.fmul(first, second)), total)
        lanes = builder.load(total)
        for half in (4, 2, 1):
            mask = [(lane + half) % LANES for lane in range(LANES)]
            constant = ir.Constant(ir.VectorType(ir.IntType(32), LANES), mask)
            lanes = builder.fadd(lanes, builder.shuffle_vector(lanes, lanes, constant))
        return builder.extract_element(lanes, ir.Constant(ir.IntType(32), 0))

    int64 = types.int64
    return types.float64(one, int64, other, int64, int64), generate
