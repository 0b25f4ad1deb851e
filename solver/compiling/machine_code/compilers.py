"""Numba's pipelines for kernels and their parts: its passes, with our last one, and our caches."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, TypeVar

from numba import types
from numba.core.ccallback import CFunc
from numba.core.compiler import CompilerBase, DefaultPassBuilder, Flags
from numba.core.sigutils import normalize_signature
from numba.core.targetconfig import ConfigStack
from numba.core.typed_passes import NativeLowering
from numba.core.typing.templates import infer, infer_global, make_overload_template

from solver.compiling.machine_code.caching import KernelCache, PartCache
from solver.compiling.machine_code.linking import KernelLowering, Lowering, PartLowering
from solver.system.start import COMMANDS

F = TypeVar("F", bound=Callable[..., Any])

#: Flags of a caller that are nothing to what it calls.
_OF_CALLERS = (
    "forceinline",
    "no_compile",
    "no_cpython_wrapper",
    "no_cfunc_wrapper",
    "release_gil",
)


class SharedFlags(Flags):
    """Numba's flags, for comparison made ready once.

    Numba looks up every call in tables with the caller's flags in their keys, which it makes of
    all flags each time: a tenth of what compiling takes.
    """

    __slots__ = ("_hash", "_key")
    _hash: int
    _key: tuple[Any, ...]

    def copy(self) -> SharedFlags:
        """Return the same flags, to be looked up and not to be changed."""
        copy = SharedFlags(self)  # type: ignore[no-untyped-call]
        copy._key = tuple(self.values().values())  # type: ignore[no-untyped-call]
        copy._hash = Flags.__hash__(self)  # type: ignore[no-untyped-call]
        return copy

    def __hash__(self) -> int:
        if hasattr(self, "_hash"):
            return self._hash
        return int(super().__hash__())  # type: ignore[no-untyped-call]

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if isinstance(other, SharedFlags) and hasattr(self, "_key") and hasattr(other, "_key"):
            return bool(self._key == other._key)
        return bool(super().__eq__(other))  # type: ignore[no-untyped-call]


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Let no garbage be looked for: a tenth of the compile time, and what is there is in use.

    Numba's lock is held meanwhile: no process is forked that would never collect any.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            if COMMANDS:
                _garbage.put_off()
            gc.enable()


class _Garbage:
    """Garbage of compiling in commands, collected for several kernels at once.

    To collect it takes a twentieth of the compile time, and most commands end before. Programs that
    use the package may have garbage of their own.
    """

    #: Objects that may wait, of about a hundred bytes each.
    MOST = 1_500_000

    def __init__(self) -> None:
        self._waiting = 0

    def put_off(self) -> None:
        """Let the next collections pass over what is there, or collect it."""
        self._waiting += gc.get_count()[0]
        if self._waiting < self.MOST:
            gc.freeze()
        else:
            self._waiting = 0
            gc.unfreeze()
            gc.collect()


_garbage = _Garbage()


class _Compiler(CompilerBase):
    """Numba's pipeline with another last pass."""

    lowering: ClassVar[type[Lowering]]

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)  # type: ignore[no-untyped-call]
        self.state.flags = SharedFlags(self.state.flags)  # type: ignore[no-untyped-call]

    def compile_extra(self, func: Any) -> Any:
        """Compile a function, and what it calls."""
        with _without_collecting():
            return super().compile_extra(func)  # type: ignore[no-untyped-call]

    def define_pipelines(self) -> list[Any]:
        """Passes from bytecode to machine code."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)  # type: ignore[no-untyped-call]
        passes.passes = [
            (self.lowering if step is NativeLowering else step, why) for step, why in passes.passes
        ]
        passes.finalize()
        return [passes]


class KernelCompiler(_Compiler):
    """The `pipeline_class` of kernels."""

    lowering = KernelLowering


class PartCompiler(_Compiler):
    """The `pipeline_class` of functions that kernels call."""

    lowering = PartLowering


#: Options of kernels: nobody calls them from C.
KERNEL_OPTIONS: dict[str, Any] = {"pipeline_class": KernelCompiler, "no_cfunc_wrapper": True}
#: Options of functions that only kernels call.
PART_OPTIONS: dict[str, Any] = {
    "pipeline_class": PartCompiler,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}


def new_callback(
    signature: Any,
    function: Callable[..., Any],
    options: dict[str, Any],
    begin_compiling: Callable[[], None],
) -> Any:
    """Return Numba's `cfunc` of `function`, kept on disk as kernels are."""
    normal = normalize_signature(signature)  # type: ignore[no-untyped-call]
    pipeline: Any = KernelCompiler
    callback: Any = CFunc(function, normal, {}, options, pipeline_class=pipeline)
    callback._cache = KernelCache(function, begin_compiling)
    callback.compile()
    return callback


def shared_overload(
    function: Callable[..., Any], options: dict[str, Any], *, keep: bool
) -> Callable[[F], F]:
    """Decorate Numba's `overload` of `function` as `solver.compiling.parts.part` says."""
    options |= PART_OPTIONS

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
