"""Numba's own functions made quicker where it does the same again: what it finds is the same."""

from __future__ import annotations

from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from llvmlite.binding import ffi
from numba.core import analysis, errors, ir, types
from numba.core.base import BaseContext
from numba.core.postproc import PostProcessor, VariableLifetime
from numba.core.transforms import canonicalize_cfg
from numba.core.types.functions import BaseFunction
from numba.core.typing.context import BaseContext as TypingContext

_call_type: Any = BaseFunction.get_call_type
_refresh: Any = BaseContext.refresh
_post_process: Any = PostProcessor.run
_value_type: Any = TypingContext.resolve_value_type

#: Signatures of Numba's own functions by the types of their arguments.
_signatures: dict[Any, Any] = {}


def hasten() -> None:
    """Let Numba find variables, types and signatures sooner.

    It lists the variables of an instruction nine times for each function, makes the hash of a
    state's type of the types of all that is in it, a hundred thousand times for a kernel, tries
    seven signatures at each sum and index before it finds the one that it found the last time, with
    a text on each that does not fit, looks at all that is registered at two thousand look-ups,
    notes after each of nine passes which variables are alive where a block begins, and sets colours
    of a terminal up for twenty thousand messages that nobody reads: one for each function named.
    """
    ir.Inst._rec_list_vars = _variables  # type: ignore[method-assign]
    for kind in (types.NamedTuple, types.NamedUniTuple):
        kind.__hash__ = _hash_of_class  # type: ignore[assignment, method-assign]
    BaseFunction.get_call_type = _known_call_type  # type: ignore[assignment, method-assign]
    BaseContext.refresh = _refresh_if_new  # type: ignore[method-assign]
    PostProcessor.run = _without_entry_variables  # type: ignore[assignment, method-assign]
    ir.FunctionIR.get_block_entry_vars = _entry_variables  # type: ignore[method-assign]
    TypingContext.resolve_value_type = _type_of_value  # type: ignore[method-assign]
    if hasattr(errors, "HighlightColorScheme"):  # else there is no colorama
        errors.HighlightColorScheme._markup = _marked
    ffi.lib._lock._cblist.clear()  # nobody measures how long LLVM's lock is held


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


def _known_call_type(function: Any, context: Any, args: Any, kws: Any) -> Any:
    """Return the signature of a call, that of a call before where it is one of Numba's own.

    Overloads and intrinsics, whose code is another for other flags, have an own key for each code.
    """
    key = function, context, tuple(args), tuple(kws.items())
    signature = _signatures.get(key)
    if signature is None:
        signature = _call_type(function, context, args, kws)
        if function._impl_keys[signature.args] is function.typing_key:
            _signatures[key] = signature
    else:
        function._impl_keys[signature.args] = function.typing_key
    return signature


def _refresh_if_new(context: Any) -> None:
    """Take over what has been registered since the last time, if anything has."""
    registered = _registered(context)
    if getattr(context, "_registered", None) != registered:
        _refresh(context)
        context._registered = registered  # what it registers itself is taken over the next time


def _registered(context: Any) -> int:
    """Number of registrations that a context, or its typing context, takes over."""
    return sum(
        len(getattr(registry, name))
        for contexts in (context, context.typing_context)
        for registry, loader in contexts._registries.items()
        for name in loader.registry_items
    )


def _without_entry_variables(
    processor: Any, emit_dels: bool = False, extend_lifetimes: bool = False
) -> None:
    """Make the graph of blocks ready for the next pass, without the variables alive at entries.

    Only generators, and code with Python's objects, need these: see `_entry_variables`.
    """
    function = processor.func_ir
    if function.is_generator:
        _post_process(processor, emit_dels, extend_lifetimes)
        return
    function.blocks = canonicalize_cfg(function.blocks)  # type: ignore[no-untyped-call]
    function.variable_lifetime = VariableLifetime(function.blocks)  # type: ignore[no-untyped-call]
    function.generator_info = None
    if emit_dels:
        processor._insert_var_dels(extend_lifetimes=extend_lifetimes)


def _entry_variables(function: Any, block: Any) -> Any:
    """Return the variables alive where a block begins, of which code in object mode asks."""
    if block not in function.block_entry_vars:
        lives = function.variable_lifetime
        alive = analysis.compute_live_variables(  # type: ignore[no-untyped-call]
            lives.cfg, function.blocks, lives.usedefs.defmap, lives.deadmaps.combined
        )
        for offset, each in function.blocks.items():
            function.block_entry_vars[each] = alive[offset]
    return function.block_entry_vars[block]


def _type_of_value(context: Any, value: Any) -> Any:
    """Return the type of a constant; that of a function or module is in the context alone."""
    if type(value) in _REGISTERED:
        kind = context._get_global_type(value)
        if kind is not None:
            return kind
    return _value_type(context, value)


_REGISTERED = (FunctionType, BuiltinFunctionType, ModuleType)


def _marked(_: Any, text: str, color: str | None = None, style: str = "\x1b[1m") -> str:
    """Return the text in a colour, as Numba's own function does."""
    return f"{color or ''}{style}{text}\x1b[0m"
