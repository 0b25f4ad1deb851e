"""Whether a class of a user's file or of a package can stand among the algorithms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from solver.algorithms.run import ListedAlgorithm, options_of, require
from solver.compiling.user_files import check_name
from solver.errors import InputError
from solver.system.fields import REQUIRED, Field, fields_of


def check_class(cls: Any, where: str, known: Mapping[str, type[ListedAlgorithm]]) -> None:
    """Look at a class before any command makes options of it.

    Raises
    ------
    InputError
        What is missing, or does not fit an algorithm that is `known`; `where` begins the message.
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
                require(same, f"{where}: {field.name} is of another type than that of {other.name}")


def _words(field: Field) -> tuple[Any, ...]:
    """Words that a command line can give a field: the same for all algorithms with its option."""
    return field.kind, field.choices, field.optional
