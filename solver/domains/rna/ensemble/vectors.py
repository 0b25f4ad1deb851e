"""Inner loops of the partition function, eight float64 at a time.

As in `solver.domains.rna.fold.vectors`, with sums of products in place of least sums. Products and
sums are rounded one by one, in an order that depends on the places alone, so that results are the
same on every processor. Each function is plain Python, too.

All arrays are contiguous, of one dimension, and places in them are not checked.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import config, types
from numba.core import cgutils as untyped_cgutils
from numba.extending import intrinsic

from solver.domains.rna.fold.vectors import MIN_LOOP

cgutils: Any = untyped_cgutils
Floats = npt.NDArray[np.float64]

LANES = 8

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


@intrinsic
def _extend_loops(  # type: ignore[no-untyped-def]
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


def plain_extend_loops(
    matrix: Floats,
    left: int,
    left_step: int,
    right: int,
    right_step: int,
    first: int,
    last: int,
    reach: int,
    most: int,
    extended: Floats,
    at: int,
    width: int,
    unequal: Floats,
    initial: Floats,
    sums: Floats,
) -> None:
    """Add up interior loops of two or more unpaired bases on each side, for a row of pairs.

    Loops of `u` bases are those of u - 2 at the neighbouring pair of the same diagonal, one base
    longer on each side, and two with exactly two bases on one side (Lyngsø, Zuker & Pedersen
    1999): the factor of a loop depends on its size and on how unequal its sides are.

    Parameters
    ----------
    matrix : float64[rows * width]
        Of each pair at the other side of such loops, with its mismatch.
    left, left_step, right, right_step : int
        Of the pair in column j the others with two bases on one side and u - 2 on the other are at
        left + u * left_step + j and right + u * right_step + j.
    first, last : int
        Columns; up to 7 more are written.
    reach, most : int
        Sizes are up to `reach` + j and up to `most`.
    extended : float64[(most + 1) * width]
        At u * width + at + j the sum for each size, as the neighbouring row has left it; 0 for
        sizes 2 and 3.
    unequal, initial : float64[most + 1]
        Factors for each size: of two bases on one side, and of the size.
    sums : float64[width]
        Raised for each column, without the mismatch of the pair itself.
    """
    for j in range(first, last + 1, LANES):
        for u in range(min(reach + j, most), MIN_LOOP - 1, -1):
            one, other = left + u * left_step + j, right + u * right_step + j
            edge = (matrix[one : one + LANES] + matrix[other : other + LANES]) * unequal[u]
            before, place = (u - 2) * width + at + j, u * width + at + j
            loops = extended[before : before + LANES] + edge
            extended[place : place + LANES] = loops
            sums[j : j + LANES] += loops * initial[u]


@intrinsic
def _add_loops(  # type: ignore[no-untyped-def]
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


def plain_add_loops(
    matrix: Floats,
    left: int,
    left_step: int,
    right: int,
    right_step: int,
    first: int,
    last: int,
    reach: int,
    least: int,
    most: int,
    factors: Floats,
    sums: Floats,
) -> None:
    """Add up loops that have one size on one side, for a row of pairs.

    Parameters are those of `extend_loops`; sizes are at least `least`, each with its factor.
    """
    for j in range(first, last + 1, LANES):
        for u in range(min(reach + j, most), least - 1, -1):
            one, other = left + u * left_step + j, right + u * right_step + j
            both = matrix[one : one + LANES] + matrix[other : other + LANES]
            sums[j : j + LANES] += both * factors[u]


@intrinsic
def _add_scaled(typing_context, target, at, source, there, factor, count):  # type: ignore[no-untyped-def]
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


def plain_add_scaled(
    target: Floats, at: int, source: Floats, there: int, factor: float, count: int
) -> None:
    """Add `factor` times `count` numbers of `source` to those of `target`."""
    if count > 0:
        target[at : at + count] += source[there : there + count] * factor


@intrinsic
def _product(typing_context, one, at, other, there, count):  # type: ignore[no-untyped-def]
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


def plain_product(one: Floats, at: int, other: Floats, there: int, count: int) -> float:
    """Inner product of `count` numbers, and of up to 7 more to fill the last vector."""
    total = np.zeros(LANES)
    for place in range(0, count, LANES):
        first, second = at + place, there + place
        total += one[first : first + LANES] * other[second : second + LANES]
    for half in (4, 2, 1):
        total[:half] += total[half : 2 * half]
    return float(total[0])


_PLAIN = bool(config.DISABLE_JIT)  # type: ignore[attr-defined]
extend_loops: Any = plain_extend_loops if _PLAIN else _extend_loops
add_loops: Any = plain_add_loops if _PLAIN else _add_loops
add_scaled: Any = plain_add_scaled if _PLAIN else _add_scaled
product: Any = plain_product if _PLAIN else _product
