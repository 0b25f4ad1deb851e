"""Code of functions that only kernels call: their callees are linked once, in the kernel.

Numba gives every function that compiled code calls machine code of its own, and before
that links into it, and optimises, all that it calls: a function ten calls below a kernel is
optimised ten times. Here such a part is optimised by itself and waits for the kernel, which
takes all its parts, optimises the whole, and alone becomes machine code. It halves
the time of compiling.
"""

from __future__ import annotations

import functools
from typing import Any, ClassVar

import llvmlite.binding as llvm
import numba
from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering

from solver.compiling.machine_code.lowering import BriefLower

NUMBA: Any = numba.config

#: How names of functions begin that Numba has compiled.
COMPILED = "_ZN"


class _Library(JITCodeLibrary):
    """Code of a kernel or a part; LLVM's passes for a function are set up once."""

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout
        passes, builder = _function_passes(self._codegen)
        for function in ll_module.functions:
            if not function.is_declaration:
                passes.run(function, builder)


@functools.cache
def _function_passes(codegen: Any) -> Any:
    """LLVM's passes for a function: to set them up takes as long as to run them.

    Loops are unrolled in the kernel only: here each copy of a call would become one of a function.
    """
    tuning = llvm.create_pipeline_tuning_options(NUMBA.OPT)
    tuning.loop_unrolling = False
    builder = llvm.create_pass_builder(codegen._tm, tuning)
    return builder.getFunctionPassManager(), builder


class Part(_Library):
    """Code of one function, to be linked into kernels and never run by itself."""

    @classmethod
    def from_code(cls, codegen: Any, name: str, code: bytes, reload_init: Any) -> Part:
        """Return the part of the optimised code, bitcode of LLVM, that another process made."""
        library = cls(codegen, name)
        library._final_module = llvm.parse_bitcode(code)
        library._reload_init.update(reload_init)
        library._finalized = True
        return library

    @property
    def has_dynamic_globals(self) -> bool:
        """True if the code, or code that it calls, holds in this process only."""
        self._ensure_finalized()  # type: ignore[no-untyped-call]
        return any(library._dynamic_globals for library in (self, *_called_by(self)))

    def finalize(self) -> None:
        """Leave linking and machine code to the kernel."""
        self._finalize_dynamic_globals()  # type: ignore[no-untyped-call]
        self._finalized = True

    def alone(self) -> Any:
        """Code of this function without that of others."""
        return super()._get_module_for_linking()  # type: ignore[no-untyped-call]

    def _get_module_for_linking(self) -> Any:
        """Code for callers that are neither kernels nor parts."""
        return self.with_callees()

    def with_callees(self) -> Any:
        """Code with that of all that it calls."""
        module = self.alone().clone()
        for library in _called_by(self):
            code = library.alone() if isinstance(library, Part) else _linkable(library)
            module.link_in(code, preserve=True)
        return module


class Kernel(_Library):
    """Code of a kernel and of all its parts."""

    def _optimize_final_module(self) -> None:
        """Optimise once: Numba does a little before, for reference counts that kernels lack."""
        for function in self._final_module.functions:  # a call of it would end the process
            if function.is_declaration and function.name.startswith(COMPILED):
                raise RuntimeError(f"{self.name} calls {function.name}, which is not linked")
        passes, builder = self._codegen._module_pass_manager()  # type: ignore[no-untyped-call]
        passes.run(self._final_module, builder)

    def finalize(self) -> None:
        """Link the functions that the kernel calls, directly or through others."""
        libraries = _called_by(self)
        for library in libraries:
            if isinstance(library, Part):
                self._reload_init.update(library._reload_init)
                self._final_module.link_in(library.alone(), preserve=True)
        self._linking_libraries = [part for part in libraries if not isinstance(part, Part)]
        super().finalize()  # type: ignore[no-untyped-call]


def _linkable(library: JITCodeLibrary) -> Any:
    return library._get_module_for_linking()  # type: ignore[no-untyped-call]


def _called_by(library: JITCodeLibrary) -> list[JITCodeLibrary]:
    """Return the libraries that `library` calls, directly or through others.

    Each comes behind all that call it: LLVM drops what nothing that is there already refers to.
    """
    found: dict[JITCodeLibrary, None] = {}  # each behind all that it calls

    def collect(caller: JITCodeLibrary) -> None:
        for called in caller._linking_libraries:
            if called not in found:
                if isinstance(called, Part):
                    collect(called)
                found[called] = None

    collect(library)
    return list(reversed(found))


def handle_of(description: Any, environment: Any, library: Part) -> Any:
    """Return the function object by which Numba knows a part; Python cannot call it."""
    name = description.qualname.split(".")[-1]
    module = description.lookup_module()
    return _dynfunc.make_function(module, name, name, 0, environment, (library,))


class Lowering(NativeLowering):
    """Numba's lowering into a library of our own class."""

    library_class: ClassVar[type[JITCodeLibrary]]

    @property
    def lowering_class(self) -> type[BriefLower]:
        """Class that writes LLVM's language."""
        return BriefLower

    def run_pass(self, state: Any) -> bool:
        """Lower the function into a library of `library_class`."""
        codegen = state.targetctx.codegen()
        state.library = self.library_class(codegen, state.func_id.func_qualname)
        state.library.enable_object_caching()
        return bool(super().run_pass(state))  # type: ignore[no-untyped-call]


@register_pass(mutates_CFG=True, analysis_only=False)  # type: ignore[no-untyped-call]
class KernelLowering(Lowering):
    """The last pass of kernels."""

    _name = "kernel_lowering"  # type: ignore[assignment]
    library_class = Kernel


@register_pass(mutates_CFG=True, analysis_only=False)  # type: ignore[no-untyped-call]
class PartLowering(Lowering):
    """Last compiler pass of functions that kernels call."""

    _name = "part_lowering"  # type: ignore[assignment]
    library_class = Part

    def run_pass(self, state: Any) -> bool:
        """Lower; the function that Python could call has no code behind it."""
        state.flags.no_compile = True
        super().run_pass(state)
        lowered = state.cr
        handle = handle_of(lowered.fndesc, lowered.env, state.library)
        state.targetctx.insert_user_function(handle, lowered.fndesc, [state.library])
        state.cr = lowered._replace(cfunc=handle)
        return True
