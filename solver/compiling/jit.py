"""Compilation of functions to kernels, and to functions that kernels may call."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

from solver.compiling.parts import PLAIN, begin_compiling, begin_loading, part
from solver.system.forks import lock_over_forks

F = TypeVar("F", bound=Callable[..., Any])

_lock = lock_over_forks()


class _Kernel:
    """Function that Numba compiles, with the GIL released; Numba is imported at its first use.

    Attributes of Numba's dispatcher are attributes of the kernel.
    """

    _dispatcher: Callable[..., Any] | None = None
    _part: Any = None

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self.py_func = function
        self._options = options | {"nogil": True, "error_model": "numpy"}

    def __call__(self, *arguments: Any) -> Any:
        return (self._dispatcher or self.dispatcher)(*arguments)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # whoever looks for these does not ask Numba
            raise AttributeError(name)
        return getattr(self.dispatcher, name)

    @property
    def dispatcher(self) -> Callable[..., Any]:
        """Numba's dispatcher; the plain function under NUMBA_DISABLE_JIT."""
        begin_loading()
        with _lock:
            if self._dispatcher is None:
                self._dispatcher = _new_dispatcher(self.py_func, self._options)
            return self._dispatcher

    @property
    def _numba_type_(self) -> Any:
        """Type of the kernel where others call it, as a part of theirs."""
        begin_compiling()
        if PLAIN or not hasattr(self.dispatcher, "py_func"):
            return self.dispatcher._numba_type_  # type: ignore[attr-defined]
        with _lock:
            if self._part is None:
                self._part = _new_part(self.py_func, self._options)
            return self._part._numba_type_


def _new_dispatcher(function: Callable[..., Any], options: dict[str, Any]) -> Callable[..., Any]:
    import numba

    if PLAIN:
        begin_compiling()
        return cast("Callable[..., Any]", numba.njit(**options)(function))
    from solver.compiling.machine_code.caching import KernelCache
    from solver.compiling.machine_code.compilers import KERNEL_OPTIONS

    dispatcher: Any = numba.njit(**options, **KERNEL_OPTIONS)(function)
    if hasattr(dispatcher, "py_func"):  # else plain Python, under NUMBA_DISABLE_JIT
        dispatcher._cache = KernelCache(dispatcher.py_func, begin_compiling)
    return cast("Callable[..., Any]", dispatcher)


def _new_part(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """Return the dispatcher of a kernel that others call."""
    import numba

    from solver.compiling.machine_code.compilers import PART_OPTIONS

    return numba.njit(**options, **PART_OPTIONS)(function)


def allocating_kernel(function: F) -> F:
    """Compile `function`, on first use, with the GIL released and the result kept on disk.

    A division by zero gives inf, as in NumPy: no branch, no exception.
    """
    return cast("F", _Kernel(function, {}))


def kernel(function: F) -> F:
    """Compile `function` like `allocating_kernel`, without reference counts: it cannot allocate.

    If instances and states are tuples of arrays, Numba counts references to
    each array at each call, with atomic instructions: four times the cost of
    a playout. The caller's references keep the arrays alive.
    """
    return cast("F", _Kernel(function, {} if PLAIN else {"_nrt": False}))


def external(signature: str, function: Callable[..., Any]) -> Any:
    """Compile `function` now, callable from C: kernels call it by its `address`."""
    begin_loading()
    options: dict[str, Any] = {"error_model": "numpy"}
    if PLAIN:
        import numba

        begin_compiling()
        return numba.cfunc(signature, **options)(function)
    from solver.compiling.machine_code.compilers import new_callback

    return new_callback(signature, function, {**options, "_nrt": False}, begin_compiling)


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
        from numba import typeof

        kernel.compile(tuple(map(typeof, arguments)))
