"""Functions that kernels call: compiled for them, and rules kept on disk for others."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

from numba.extending import overload

F = TypeVar("F", bound=Callable[..., Any])

PLAIN_VARIABLE = "NESTOR_PLAIN"
#: True if Numba compiles as it does by itself: slower, with nothing kept on disk, for versions of
#: it whose insides are not those that `compilers`, `linking` and `caching` build on.
PLAIN = os.environ.get(PLAIN_VARIABLE, "0") not in ("", "0")


def part(
    function: Callable[..., Any], *, forceinline: bool, keep: bool = False
) -> Callable[[F], F]:
    """Decorate Numba's `overload` of `function`, for parts of kernels.

    One version serves all widths of integers, and all callers: Numba would compile one for each.

    Parameters
    ----------
    forceinline : bool
        Copy the code into every caller, or else into none.
    keep : bool
        Keep the code on disk, with that of all that it calls, for other kernels in other processes.
    """
    options: Any = {"forceinline": forceinline, "error_model": "numpy"}
    if PLAIN:
        plain: Callable[[F], F] = overload(function, jit_options=options, strict=False)
        return plain
    from solver.compiling.compilers import shared_overload

    return shared_overload(function, options, keep=keep)
