"""Functions that are LLVM's own code inside kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
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
