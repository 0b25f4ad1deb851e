"""Checks of a class from a user's file or a package that is to join the algorithms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from solver.algorithms.run import ListedAlgorithm, options_of, require
from solver.algorithms.tree import (
    OF_POLICY,
    STATISTICS,
    TreeAlgorithm,
    game_default,
    game_options,
)
from solver.algorithms.trees.listed import TREE_ALGORITHMS
from solver.compiling.user_files import check_name
from solver.errors import InputError, quoted
from solver.system.fields import REQUIRED, Field, fields_of


def check_class(cls: Any, where: str, known: Mapping[str, type[ListedAlgorithm]]) -> None:
    """Check a class before any command makes options of it.

    Raises
    ------
    InputError
        If a member is missing, or does not fit a `known` algorithm; `where` begins the message.
    """
    require("__dataclass_fields__" in vars(cls), f"{where} is no dataclass")
    require(cls.__dataclass_params__.frozen, f"{where} is no frozen dataclass")
    for attribute in ("name", "label"):
        require(hasattr(cls, attribute), f"{where} lacks the attribute {attribute!r}")
    check_name(cls.name, where, known, "another algorithm")
    for method in ("playouts_per_run", "new_run"):
        given = getattr(cls, method) is not getattr(ListedAlgorithm, method)
        require(given, f"{where} lacks the method {method!r}")
    suits = cls.suited_to.__func__ is not ListedAlgorithm.suited_to.__func__  # type: ignore[attr-defined]
    unset = any(option.default is None for option in options_of(cls))
    require(suits or not unset, f"{where} lacks `suited_to`, which sets what is None by default")
    idle = suits and not unset
    require(not idle, f"{where}: `suited_to` has no effect, no parameter is None by default")
    try:
        fields = fields_of(cls)
    except InputError as error:
        raise InputError(f"{where.rpartition(': ')[0]}: {error}") from None
    for option in options_of(cls):
        field = fields[option.name]
        require(field.default is not REQUIRED, f"{where}: {field.name} has no default")
        for other in known.values():
            if field.name in {known.name for known in options_of(other)}:
                same = _words(fields_of(other)[field.name]) == _words(field)
                require(same, f"{where}: {field.name} has another type than in {other.name}")
    if issubclass(cls, TreeAlgorithm):
        _check_tree_class(cls, where)


def _check_tree_class(cls: type[TreeAlgorithm], where: str) -> None:
    """Look at the rule of a tree search, and at where its parameters go."""
    rule = getattr(cls, "rule", None)
    require(cls.statistics in STATISTICS, f"{where}: statistics is {quoted(cls.statistics)}, "
            f"expected one of: {', '.join(STATISTICS)}")  # fmt: skip
    for option in game_options(cls):
        unset = game_default(option) is None
        require(not unset, f"{where}: {option.name} is None by default, which games cannot set")
    if isinstance(rule, str) and rule in {known.rule for known in TREE_ALGORITHMS.values()}:
        return
    named = isinstance(rule, type) and issubclass(rule, tuple) and hasattr(rule, "_fields")
    require(named, f"{where}: rule is {quoted(rule)}, expected a NamedTuple class of parameters")
    _check_rule(cls, where)


def _check_rule(cls: type[TreeAlgorithm], where: str) -> None:
    """Look at the class of parameters that is the rule of a tree search."""
    from solver.kernels.tree.node import move_value, move_values

    rule, fields = cls.rule, fields_of(cls)
    options = {option.name for option in game_options(cls)}
    functions = (move_value, move_values)
    require(
        any(function.implementation(rule) for function in functions),
        f"{where}: neither move_value nor move_values is registered for {rule.__name__}",
    )
    for name in rule._fields:
        require(name in options, f"{where} lacks the parameter {name} of {rule.__name__}")
        number = fields[name].kind in (bool, int, float)
        require(number, f"{where}: {name} is {fields[name].expected}, expected a number for a rule")
    of_all = {"proofs", "decisive", "leaf_playouts", "estimates", *OF_POLICY}
    idle = options - {*rule._fields} - of_all - ({"ref"} if cls.statistics != "none" else set())
    for name in sorted(idle) if cls.parameters is TreeAlgorithm.parameters else ():
        require(False, f"{where}: {name} has no effect, {rule.__name__} has no such field")


def _words(field: Field) -> tuple[Any, ...]:
    """Words that a command line can give a field: the same for all algorithms with its option."""
    return field.kind, field.choices, field.optional
