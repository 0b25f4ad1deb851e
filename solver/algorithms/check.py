"""Whether a class of a user's file or of a package can stand among the algorithms."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Mapping
from typing import Any

from solver.algorithms.run import ListedAlgorithm, options_of, require
from solver.compiling.user_files import check_name

#: What a command line can say, besides a `Literal`.
KINDS = (bool, int, float, str)


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
    kinds = typing.get_type_hints(cls)
    for option in options_of(cls):
        name, kind = option.name, kinds[option.name]
        fits = kind in KINDS or typing.get_origin(kind) is typing.Literal
        require(fits, f"{where}: {name} is no bool, int, float, str or Literal")
        require(option.default is not dataclasses.MISSING, f"{where}: {name} has no default")
        for other in known.values():
            if name in {field.name for field in options_of(other)}:
                same = typing.get_type_hints(other)[name] == kind
                require(same, f"{where}: {name} is of another type than that of {other.name}")
