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


def _variables(_: Any, value: Any) -> list[Any]:
    """Return the variables in a part of an instruction, as Numba's own function does."""
    kind = type(value)
    if kind is ir.Var:
        return [value]
    if kind is dict:
        value = value.values()
    elif kind is not tuple and kind is not list:
        return value.list_vars() if isinstance(value, ir.Inst) else []  # type: ignore[no-untyped-call]
    found: list[Any] = []
    for item in value:
        kind = type(item)
        if kind is ir.Var:
            found.append(item)
        elif kind not in _WITHOUT_VARIABLES:
            found += _variables(None, item)
    return found


_WITHOUT_VARIABLES = frozenset({str, int, bool, type(None), ir.Loc})


def _hash_of_class(kind: Any) -> int:
    return hash(kind.instance_class)


def hasten() -> None:
    """Let Numba find the variables of an instruction, and types in tables, sooner.

    It lists variables nine times for each function, and makes the hash of a state's type of the
    types of all that is in it, a hundred thousand times for a kernel.
    """
    ir.Inst._rec_list_vars = _variables  # type: ignore[method-assign]
    for kind in (types.NamedTuple, types.NamedUniTuple):
        kind.__hash__ = _hash_of_class  # type: ignore[assignment, method-assign]
