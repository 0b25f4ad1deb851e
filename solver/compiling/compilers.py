"""Numba's pipelines for kernels and their parts: its passes, with our last one."""

from __future__ import annotations

from typing import Any, ClassVar

from numba.core.compiler import CompilerBase, DefaultPassBuilder, Flags
from numba.core.typed_passes import NativeLowering

from solver.compiling.linking import KernelLowering, Lowering, PartLowering


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


class _Compiler(CompilerBase):
    """Numba's pipeline with another last pass."""

    lowering: ClassVar[type[Lowering]]

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)  # type: ignore[no-untyped-call]
        self.state.flags = SharedFlags(self.state.flags)  # type: ignore[no-untyped-call]

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
    """The `pipeline_class` of what kernels call."""

    lowering = PartLowering
