"""Functions that are LLVM's own code inside kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import infer, infer_global, make_intrinsic_template
from numba.cpython.unsafe.numbers import trailing_zeros
from numba.extending import intrinsic


def register_intrinsic(function: Callable[..., Any], define: Callable[..., Any]) -> None:
    """Let kernels that call `function` have the code of `define`, as `intrinsic` would have it."""
    name = function.__name__
    template = make_intrinsic_template(function, define, name)  # type: ignore[no-untyped-call]
    infer(template)  # type: ignore[no-untyped-call]
    infer_global(function, types.Function(template))  # type: ignore[no-untyped-call]


@intrinsic
def _population(context: Any, word: Any) -> Any:
    def build(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), build


@intrinsic
def float_bits(context: Any, number: Any) -> Any:
    """Bits of a float64 as uint64."""

    def build(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], target.get_value_type(types.uint64))

    return types.uint64(types.float64), build


def count_ones(word: Any) -> Any:
    """Return the number of bits set in `word`, as int64."""
    return np.int64(_population(np.uint64(word)))  # type: ignore[call-arg]


def lowest_one(word: Any) -> Any:
    """Return the number of the lowest bit of `word` that is set, as int64."""
    return np.int64(trailing_zeros(np.uint64(word)))  # type: ignore[call-arg]


def _item(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Address of an item of a one-dimensional array: the first two of `arguments`."""
    kind = signature.args[0]
    array = target.make_array(kind)(target, builder, arguments[0])
    place = [arguments[1]]
    return cgutils.get_item_pointer(  # type: ignore[no-untyped-call]
        target, builder, kind, array, place
    )


@intrinsic
def _add(context: Any, array: Any, index: Any, amount: Any) -> Any:
    operation = "fadd" if isinstance(array.dtype, types.Float) else "add"

    def build(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _item(target, builder, signature, arguments)
        return builder.atomic_rmw(operation, place, arguments[2], "acq_rel")

    return array.dtype(array, types.intp, array.dtype), build


@intrinsic
def _set_if(context: Any, array: Any, index: Any, expected: Any, number: Any) -> Any:
    def build(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _item(target, builder, signature, arguments)
        found = builder.cmpxchg(place, *arguments[2:], "acq_rel", "acquire")
        return builder.extract_value(found, 1)

    return types.boolean(array, types.intp, array.dtype, array.dtype), build


@intrinsic
def _store(context: Any, array: Any, index: Any, number: Any) -> Any:
    def build(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _item(target, builder, signature, arguments)
        align = target.get_abi_sizeof(target.get_value_type(array.dtype))
        builder.store_atomic(arguments[2], place, "release", align)
        return target.get_dummy_value()

    return types.void(array, types.intp, array.dtype), build


def fetch_add(array: Any, index: Any, amount: Any) -> Any:
    """Add to an item of an array, and return what it was."""
    return _add(array, index, array.dtype.type(amount))  # type: ignore[call-arg]


def compare_and_set(array: Any, index: Any, expected: Any, number: Any) -> Any:
    """Set an item that is `expected`; returns whether it was."""
    kind = array.dtype.type
    return _set_if(array, index, kind(expected), kind(number))  # type: ignore[call-arg]


def publish(array: Any, index: Any, number: Any) -> None:
    """Set an item behind all that was written before."""
    _store(array, index, array.dtype.type(number))  # type: ignore[call-arg]
