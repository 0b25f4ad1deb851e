"""Compilation of functions that only kernels call: their callees are linked once, in the kernel.

Numba gives every function that compiled code calls machine code of its own, and before
that links into it, and optimises, all that it calls: a function ten calls below a kernel is
optimised ten times. Here such a part is optimised by itself and waits for the kernel, which
takes all its parts, optimises the whole, and alone becomes machine code. It halves
what compiling takes; `benchmarks/measured.md` has the table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

from numba import _dynfunc, types  # type: ignore[attr-defined]
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.targetconfig import ConfigStack
from numba.core.typed_passes import NativeLowering
from numba.core.typing.templates import infer, infer_global, make_overload_template

F = TypeVar("F", bound=Callable[..., Any])


class _Part(JITCodeLibrary):
    """Code of one function, to be linked into kernels and never run by itself."""

    def finalize(self) -> None:
        """Leave linking and machine code to the kernel."""
        self._optimize_final_module()  # type: ignore[no-untyped-call]
        self._finalize_dynamic_globals()  # type: ignore[no-untyped-call]
        self._finalized = True

    def alone(self) -> Any:
        """Code of this function without that of others."""
        return super()._get_module_for_linking()  # type: ignore[no-untyped-call]

    def _get_module_for_linking(self) -> Any:
        """Code with all that it calls: for callers that are neither kernels nor parts."""
        module = self.alone().clone()
        for library in _called_by(self):
            code = library.alone() if isinstance(library, _Part) else _linkable(library)
            module.link_in(code, preserve=True)
        return module


class _Kernel(JITCodeLibrary):
    """Code of a kernel and of all its parts."""

    def finalize(self) -> None:
        """Link what the kernel calls, and what its parts call."""
        libraries = _called_by(self)
        for library in libraries:
            if isinstance(library, _Part):
                self._reload_init.update(library._reload_init)
                self._final_module.link_in(library.alone(), preserve=True)
        self._linking_libraries = [part for part in libraries if not isinstance(part, _Part)]
        super().finalize()  # type: ignore[no-untyped-call]


def _linkable(library: JITCodeLibrary) -> Any:
    return library._get_module_for_linking()  # type: ignore[no-untyped-call]


def _called_by(library: JITCodeLibrary) -> list[JITCodeLibrary]:
    """What `library` calls, and what its parts call; others hold what they call.

    Callers come first: LLVM drops what nothing that is there already refers to.
    """
    found: dict[JITCodeLibrary, None] = {}

    def collect(caller: JITCodeLibrary) -> None:
        for called in caller._linking_libraries:
            if called not in found:
                found[called] = None
                if isinstance(called, _Part):
                    collect(called)

    collect(library)
    return list(found)


class _Lowering(NativeLowering):
    """Numba's lowering into a library of our own class."""

    library_class: ClassVar[type[JITCodeLibrary]]

    def run_pass(self, state: Any) -> bool:
        """Lower, and compile what is to be compiled."""
        codegen = state.targetctx.codegen()
        state.library = self.library_class(codegen, state.func_id.func_qualname)
        state.library.enable_object_caching()
        return bool(super().run_pass(state))  # type: ignore[no-untyped-call]


@register_pass(mutates_CFG=True, analysis_only=False)  # type: ignore[no-untyped-call]
class _KernelLowering(_Lowering):
    _name = "kernel_lowering"  # type: ignore[assignment]
    library_class = _Kernel


@register_pass(mutates_CFG=True, analysis_only=False)  # type: ignore[no-untyped-call]
class _PartLowering(_Lowering):
    _name = "part_lowering"  # type: ignore[assignment]
    library_class = _Part

    def run_pass(self, state: Any) -> bool:
        """Lower; the function that Python could call has no code behind it."""
        state.flags.no_compile = True
        super().run_pass(state)
        lowered, library = state.cr, state.library
        name = lowered.fndesc.qualname.split(".")[-1]
        handle = _dynfunc.make_function(
            lowered.fndesc.lookup_module(), name, name, 0, lowered.env, (library,)
        )
        state.targetctx.insert_user_function(handle, lowered.fndesc, [library])
        state.cr = lowered._replace(cfunc=handle)
        return True


class _Compiler(CompilerBase):
    """Numba's pipeline with another last pass."""

    lowering: ClassVar[type[_Lowering]]

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

    lowering = _KernelLowering


class PartCompiler(_Compiler):
    """The `pipeline_class` of what kernels call."""

    lowering = _PartLowering


#: Flags of a caller that are nothing to what it calls.
_OF_CALLERS = ("no_compile", "no_cpython_wrapper", "no_cfunc_wrapper", "release_gil")


def part(function: Callable[..., Any], **options: Any) -> Callable[[F], F]:
    """Decorate Numba's `overload` of `function`, for parts of kernels.

    One version serves all widths of integers, and all callers: Numba would compile one for each.
    """
    options |= {
        "error_model": "numpy",
        "pipeline_class": PartCompiler,
        "no_cpython_wrapper": True,
        "no_cfunc_wrapper": True,
    }

    # What is copied into callers, or not, whoever they are, is so for callers of both kinds.
    apart = _OF_CALLERS + (("forceinline",) if "forceinline" in options else ())

    def decorate(resolve: F) -> F:
        template = _template(function, resolve, options)

        class Template(template):  # type: ignore[valid-type, misc]
            def generic(self, args: Any, kws: Any) -> Any:
                wide = {name: _widened(kind) for name, kind in dict(kws).items()}
                return super().generic(tuple(map(_widened, args)), wide)

            def _get_impl(self, args: Any, kws: Any) -> Any:
                flags = ConfigStack.top_or_none()  # type: ignore[no-untyped-call]
                if flags is not None:
                    flags = flags.copy()
                    for name in apart:
                        flags.discard(name)
                key = (self.context, tuple(args), tuple(kws.items()), flags)
                if key not in self._impl_cache:
                    self._build_impl(key, args, kws)
                return self._impl_cache[key]

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
