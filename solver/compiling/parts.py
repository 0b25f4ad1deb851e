"""Functions that kernels call: compiled for them, and rules kept on disk for others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from numba import types
from numba.core.targetconfig import ConfigStack
from numba.core.typing.templates import infer, infer_global, make_overload_template

from solver.compiling.caching import PartCache
from solver.compiling.compilers import PartCompiler, SharedFlags

F = TypeVar("F", bound=Callable[..., Any])

#: Flags of a caller that are nothing to what it calls.
_OF_CALLERS = (
    "forceinline",
    "no_compile",
    "no_cpython_wrapper",
    "no_cfunc_wrapper",
    "release_gil",
)


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
    options = {
        "forceinline": forceinline,
        "error_model": "numpy",
        "pipeline_class": PartCompiler,
        "no_cpython_wrapper": True,
        "no_cfunc_wrapper": True,
    }

    def decorate(resolve: F) -> F:
        template = _template(function, resolve, options)

        class Template(template):  # type: ignore[valid-type, misc]
            def generic(self, args: Any, kws: Any) -> Any:
                wide = {name: _widened(kind) for name, kind in dict(kws).items()}
                return super().generic(tuple(map(_widened, args)), wide)

            def _get_impl(self, args: Any, kws: Any) -> Any:
                flags = ConfigStack.top_or_none()  # type: ignore[no-untyped-call]
                if flags is not None:
                    flags = SharedFlags(flags)  # type: ignore[no-untyped-call]
                    for name in _OF_CALLERS:
                        flags.discard(name)  # type: ignore[no-untyped-call]
                    flags = flags.copy()
                key = (self.context, tuple(args), tuple(kws.items()), flags)
                if key not in self._impl_cache:
                    self._build_impl(key, args, kws)
                return self._impl_cache[key]

            def _get_jit_decorator(self) -> Any:
                compiled = super()._get_jit_decorator()
                if not keep:
                    return compiled

                def kept(**options: Any) -> Any:
                    def decorate(function: Callable[..., Any]) -> Any:
                        dispatcher = compiled(**options)(function)
                        dispatcher._cache = PartCache(function)
                        return dispatcher

                    return decorate

                return kept

        Template.__name__ = template.__name__
        infer(Template)  # type: ignore[no-untyped-call]
        infer_global(function, types.Function(Template))  # type: ignore[no-untyped-call]
        return resolve

    return decorate


def _template(function: Callable[..., Any], resolve: Callable[..., Any], options: Any) -> Any:
    return make_overload_template(function, resolve, options, strict=False, inline="never")  # type: ignore[no-untyped-call]


def _widened(kind: Any) -> Any:
    """int64 for an integer that it can hold."""
    whole = isinstance(kind, types.Integer)
    return types.int64 if whole and kind != types.uint64 else kind
