"""Compilation of functions to kernels, and to functions that kernels may call."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from llvmlite.binding import ffi
from numba.core.compiler_lock import global_compiler_lock

from solver.compiling.parts import PLAIN, part
from solver.system.cache import cache_root
from solver.system.forks import hold_over_forks

F = TypeVar("F", bound=Callable[..., Any])

CHECK_VARIABLE = "NESTOR_CHECK"
#: True if kernels check the bounds of arrays, for authors of domains; see `solver.testing`.
CHECKED = os.environ.get(CHECK_VARIABLE, "0") not in ("", "0")

NUMBA: Any = numba.config
NUMBA.CACHE_DIR = str(cache_root() / "numba" / ("checked" if CHECKED else "code"))
if CHECKED:
    NUMBA.BOUNDSCHECK = 1

# The thread that compiles does not go on in a forked process, nor gives the locks up there.
for _lock in (global_compiler_lock, ffi.lib._lock):
    if hasattr(_lock, "_lock"):
        hold_over_forks(_lock._lock)


def _compiled(function: F, **options: Any) -> F:
    """Compile `function`, on first use, with the GIL released."""
    options |= {"nogil": True, "error_model": "numpy"}
    if PLAIN:
        return cast(F, numba.njit(**options)(function))
    from solver.compiling.caching import KernelCache
    from solver.compiling.compilers import KernelCompiler

    kernel: Any = numba.njit(**options, pipeline_class=KernelCompiler)(function)
    if hasattr(kernel, "py_func"):  # else plain Python, under NUMBA_DISABLE_JIT
        kernel._cache = KernelCache(kernel.py_func)
    return cast(F, kernel)


def allocating_kernel(function: F) -> F:
    """Compile `function`, on first use, with the GIL released and the result kept on disk.

    A division by zero gives inf, as in NumPy: no branch, no exception.
    """
    return _compiled(function)


def kernel(function: F) -> F:
    """Compile `function` like `allocating_kernel`, without reference counts: it cannot allocate.

    If instances and states are tuples of arrays, Numba counts references to
    each array at each call, with atomic instructions: four times the cost of
    a playout. The caller's references keep the arrays alive.
    """
    return _compiled(function) if PLAIN else _compiled(function, _nrt=False)


def external(signature: Any, function: Callable[..., Any]) -> Any:
    """Compile `function` now, callable from C: kernels call it by its `address`."""
    options: dict[str, Any] = {"error_model": "numpy"}
    if PLAIN:
        return numba.cfunc(signature, **options)(function)
    from solver.compiling.compilers import new_callback

    return new_callback(signature, function, {**options, "_nrt": False})


def inlined(function: F) -> F:
    """Let kernels and domain functions call `function`, copied into every caller.

    Called from Python it is plain Python.
    """
    return _callable(function, forceinline=True)


def called(function: F) -> F:
    """`inlined`, but never copied: for large functions, of which copies cost."""
    return _callable(function, forceinline=False)


def _callable(function: F, *, forceinline: bool) -> F:
    @part(function, forceinline=forceinline)
    def resolve(*args: Any, **kwargs: Any) -> F:
        return function

    return function


def compile_for(kernel: Any, *arguments: Any) -> None:
    """Compile `kernel` for arguments like these, or load it from disk, without calling it."""
    if hasattr(kernel, "compile"):  # else Numba is switched off
        kernel.compile(tuple(map(numba.typeof, arguments)))
