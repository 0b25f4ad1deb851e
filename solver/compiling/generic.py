"""Single dispatch on the first argument's class, in Python and in compiled code.

`functools.singledispatch` resolved at compile time: in Python a table lookup on
the class, in Numba code an overload chosen by the NamedTuple class of the first
argument. Implementations are plain functions, so a kernel that calls generic
functions is compiled once per class, keeps its on-disk cache, and also runs
interpreted under NUMBA_DISABLE_JIT=1.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from solver.compiling.parts import part
from solver.compiling.sources import new_table

F = TypeVar("F", bound=Callable[..., Any])


def _without_annotations(function: Callable[..., Any]) -> Callable[..., Any]:
    return types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__
    )


class Generic(Protocol):
    """A generic function: call it, or register an implementation for a class."""

    def __call__(self, *args: Any) -> Any:
        """Call the implementation for the class of the first argument."""

    def register(self, cls: type) -> Callable[[F], F]:
        """Return the decorator of the implementation for `cls`."""

    def implementation(self, cls: type) -> Callable[..., Any] | None:
        """Return the function registered for `cls`, None if there is none."""


def generic(stub: Callable[..., Any]) -> Generic:
    """Turn `stub`, a signature with a docstring, into a generic function.

    `generic_with_default` does the same, with the body of `stub` for every class
    that nothing is registered for.

    Every implementation must repeat the stub's parameter names: Numba resolves
    the overload by them. It must be registered before the first kernel that
    needs it is compiled.
    """
    return _new_generic(stub, None)


def generic_with_default(stub: Callable[..., Any]) -> Generic:
    """See `generic`."""
    return _new_generic(stub, stub)


def _new_generic(stub: Callable[..., Any], default: Callable[..., Any] | None) -> Generic:
    table = new_table(stub.__module__)
    parameters = list(inspect.signature(stub).parameters)

    @functools.wraps(stub)
    def dispatch(*args: Any) -> Any:
        chosen = table.get(type(args[0]), default)
        if chosen is None:
            raise TypeError(f"{stub.__name__} is not defined for {type(args[0]).__name__}")
        return chosen(*args)

    def register(cls: type) -> Callable[[F], F]:
        def add(function: F) -> F:
            given = list(inspect.signature(function).parameters)
            if given != parameters:
                raise TypeError(
                    f"{stub.__name__} for {cls.__name__}: "
                    f"parameters are {given}, expected {parameters}"
                )
            if cls in table:
                raise TypeError(f"{stub.__name__} is already defined for {cls.__name__}")
            table[cls] = function
            return function

        return add

    def resolve(*args: Any) -> Callable[..., Any] | None:
        chosen = table.get(getattr(args[0], "instance_class", type(None)), default)
        return None if chosen is None else _without_annotations(chosen)

    # Numba compares whole signatures, annotations included, which differ by nature.
    resolve.__signature__ = inspect.signature(_without_annotations(stub))  # type: ignore[attr-defined]
    # States are dozens of machine words: as arguments of a call they cost 3 % of a playout.
    part(dispatch, keep=True, forceinline=True)(resolve)
    dispatch.register = register  # type: ignore[attr-defined]
    dispatch.implementation = table.get  # type: ignore[attr-defined]
    return dispatch  # type: ignore[return-value]
