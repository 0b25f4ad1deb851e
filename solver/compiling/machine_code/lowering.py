"""Lowering to LLVM's language with less of it: Numba's, where nothing counts references.

A state is a tuple of dozens of arrays, hundreds of machine words. Numba takes it apart for each
call and puts it together again in the function called, and copies what several blocks use into
memory and back, for LLVM to undo all of it: a quarter of the compile time.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from numba.core import ir, types
from numba.core.analysis import compute_cfg_from_blocks, compute_use_defs, must_use_alloca
from numba.core.datamodel.models import TupleModel, UniTupleModel
from numba.core.datamodel.registry import register_default
from numba.core.lowering import Lower


class BriefLower(Lower):
    """Numba's lowering; without reference counts, values that are set once are never in memory."""

    @property
    def _is_brief(self) -> bool:
        debug = self._disable_sroa_like_opt
        return not (self.context.enable_nrt or debug or self.func_ir.func_id.is_generator)

    def _find_singly_assigned_variable(self) -> None:
        super()._find_singly_assigned_variable()  # type: ignore[no-untyped-call]
        if self._is_brief:
            self._singly_assigned_vars |= _set_once(dict(self.blocks))

    def storevar(self, value: Any, name: str, argidx: int | None = None) -> None:
        """Store a value; that which was there before counts no references."""
        if self._is_brief and name not in self._singly_assigned_vars:
            self._alloca_var(name, self.typeof(name))  # type: ignore[no-untyped-call]
            self.builder.store(value, self.getvar(name))  # type: ignore[no-untyped-call]
        else:
            super().storevar(value, name, argidx)  # type: ignore[no-untyped-call]

    def delvar(self, name: str) -> None:
        """Do nothing for a variable that counts no references."""
        if not self._is_brief:
            super().delvar(name)  # type: ignore[no-untyped-call]


def _set_once(blocks: dict[int, Any]) -> set[str]:
    """Return variables with one assignment, in a block that is passed before all that use them."""
    use_defs = compute_use_defs(blocks)  # type: ignore[no-untyped-call]
    assigned: dict[str, list[int]] = defaultdict(list)
    for place, block in blocks.items():
        for step in block.find_insts(ir.Assign):
            assigned[step.target.name].append(place)
    used: dict[str, list[int]] = defaultdict(list)
    for place, names in use_defs.usemap.items():
        for name in names:
            used[name].append(place)
    before = compute_cfg_from_blocks(blocks).dominators()  # type: ignore[no-untyped-call]
    in_memory = must_use_alloca(blocks)  # type: ignore[no-untyped-call]
    found = set()
    for name, places in assigned.items():
        if len(places) == 1 and name not in in_memory:
            [place] = places
            # Blocks are lowered in order.
            if all(place < other and place in before.get(other, ()) for other in used[name]):
                found.add(name)
    return found


class _Whole:
    """Model of values that are arguments as they are, not word by word."""

    def get_argument_type(self) -> Any:
        """Return LLVM's type of an argument."""
        return self.get_value_type()  # type: ignore[attr-defined]

    def as_argument(self, _: Any, value: Any) -> Any:
        """Return the argument for a value."""
        return value

    def from_argument(self, _: Any, value: Any) -> Any:
        """Return the value of an argument."""
        return value


def pass_tuples_whole() -> None:
    """Let NamedTuples be one argument each; for the processor it is the same."""
    for kind, model in ((types.NamedTuple, TupleModel), (types.NamedUniTuple, UniTupleModel)):
        register_default(kind)(type("Whole", (_Whole, model), {}))
