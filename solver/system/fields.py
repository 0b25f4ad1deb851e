"""Fields of dataclasses: their kinds, ranges and texts, written once in the class.

The annotations say what the values of a field may be: `bool`, `int`, `float`, `str`, a `Literal`,
one of these or None, and for numbers a `Range` beside them, `Annotated[int, Range(1)]`. The
numpydoc docstring says what they mean. Options of commands, JSON objects and checks are made of
that.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
import numbers
import re
import sys
import types
import typing
from collections.abc import Mapping
from typing import Any

from solver.errors import FieldError, InputError, quoted

#: Kinds of values, and how messages call them.
KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
#: Word of a command line for a value that is None.
NONE = "none"
#: Bounds that messages name only where a value is beyond them.
HUGE = 1e15
#: Default of a field that has none.
REQUIRED = inspect.Parameter.empty
_SWITCH = {"true": True, "false": False}


@dataclasses.dataclass(frozen=True)
class Range:
    """Interval that a number lies in; without infinity unless a bound is infinite."""

    least: float = -sys.float_info.max
    most: float = sys.float_info.max
    unit: str = ""
    above: bool = False
    """True if `least` itself is excluded."""

    def __contains__(self, value: float) -> bool:
        return value <= self.most and (value > self.least if self.above else value >= self.least)

    def __str__(self) -> str:
        least, most = _number(self.least), _number(self.most)
        if self.most >= HUGE:
            text = f"more than {least}" if self.above else f"{least} or more"
        else:
            text = f"more than {least}, {most} at most" if self.above else f"{least} ... {most}"
        return f"{text} {self.unit}".strip()


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,g}"


@dataclasses.dataclass(frozen=True)
class Field:
    """A field of a dataclass that a command line or a JSON object can give."""

    name: str
    kind: type
    """One of `KINDS`; of a `Literal` that of its values."""
    choices: tuple[Any, ...] = ()
    """Values of a `Literal`."""
    range: Range | None = None
    optional: bool = False
    """True if the value may be None."""
    default: Any = REQUIRED
    text: str = ""
    """Description, from the docstring."""
    default_text: str = ""
    """Default in words, from `metadata["default"]`, where a problem decides it."""
    is_set_later: bool = False
    """True if the value is None until something other than the caller sets it."""

    @property
    def expected(self) -> str:
        """Permitted values, in words."""
        if self.choices:
            return f"{_alternatives(self.choices)}{self._or_none}"
        bounds = "" if self.range is None else f", {self.range}"
        return f"{KINDS[self.kind]}{bounds}{self._or_none}"

    @property
    def _or_none(self) -> str:
        return f", or {NONE}" if self.optional else ""

    def parse(self, text: str) -> Any:
        """Return the value that `text` stands for.

        Raises
        ------
        FieldError
            If it stands for none.
        """
        if self.optional and text == NONE:
            return None
        return self.check(self._converted(text))

    def _converted(self, text: str) -> Any:
        if self.choices:
            return next((value for value in self.choices if str(value) == text), text)
        if self.kind is bool:
            return _SWITCH.get(text.lower(), text)
        try:
            return self.kind(text)
        except ValueError:  # not a number: `check` says so
            return text

    def check(self, value: Any) -> Any:
        """Return `value` if the field may have it.

        Raises
        ------
        FieldError
            If it may not.
        """
        may_be_none = self.optional or self.is_set_later
        if not (self._fits(value) or (value is None and may_be_none)):
            shown = quoted(value, self.choices) if self.choices else _shown(value)
            raise FieldError(self.name, f"is {shown}, expected {self._expected_of(value)}")
        return value

    def _fits(self, value: Any) -> bool:
        if self.choices:
            return value in self.choices
        if not _is_kind(value, self.kind):
            return False
        return self.kind not in (int, float) or value in (self.range or Range())

    def _expected_of(self, value: Any) -> str:
        """Kind alone where `value` is of another, range alone where it is out of it."""
        if self.choices or self.range is None or not _is_kind(value, self.kind):
            return self.expected
        if sys.float_info.max > self.range.most >= HUGE and value > self.range.most:
            return f"{_number(self.range.most)} at most"
        return f"{self.range}{self._or_none}"


def _alternatives(choices: tuple[Any, ...]) -> str:
    words = [str(choice) for choice in choices]
    return " or ".join(words) if len(words) == 2 else f"one of: {', '.join(words)}"


def _shown(value: Any) -> str:
    return str(value) if isinstance(value, float) else quoted(value)


def _is_kind(value: Any, kind: type) -> bool:
    if kind is int:
        return isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if kind is float:
        return (
            isinstance(value, numbers.Real)
            and not isinstance(value, bool)
            and (isinstance(value, numbers.Rational) or not math.isnan(value))  # of any size
        )
    return isinstance(value, kind)


#: Fields of the classes that were asked for.
_known: dict[type, Mapping[str, Field]] = {}


def fields_of(cls: type) -> Mapping[str, Field]:
    """Return the fields of a dataclass by name, in order.

    Raises
    ------
    InputError
        If the annotation of one is of no kind that can be written on a command line.
    """
    if cls not in _known:
        kinds = typing.get_type_hints(cls, include_extras=True)
        texts = parameter_texts(cls)
        found: list[dataclasses.Field[Any]] = list(dataclasses.fields(cls))
        _known[cls] = types.MappingProxyType(
            {
                field.name: _new_field(cls, field, kinds[field.name], texts.get(field.name, ""))
                for field in found
            }
        )
    return _known[cls]


def _new_field(cls: type, field: dataclasses.Field[Any], annotation: Any, text: str) -> Field:
    options, bounds = [annotation], None
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        options = list(typing.get_args(annotation))
    optional = type(None) in options
    options = [option for option in options if option is not type(None)]
    kind = options[0] if len(options) == 1 else None
    if typing.get_origin(kind) is typing.Annotated:
        kind, *extras = typing.get_args(kind)
        bounds = next((extra for extra in extras if isinstance(extra, Range)), None)
    choices: tuple[Any, ...] = ()
    if typing.get_origin(kind) is typing.Literal:
        choices = typing.get_args(kind)
        kind = type(choices[0]) if len(set(map(type, choices))) == 1 else None
    if kind not in KINDS:
        raise InputError(
            f"{cls.__module__}.{cls.__qualname__}: {field.name} is annotated {quoted(annotation)}, "
            "expected bool, int, float, str, a Literal of one of these, or one of these or None"
        )
    default = REQUIRED if field.default is dataclasses.MISSING else field.default
    default_text = field.metadata.get("default", "")
    is_set_later = default is None and default_text != ""
    return Field(
        field.name, kind, choices, bounds, optional, default, text, default_text, is_set_later
    )


def parameter_texts(cls: type) -> dict[str, str]:
    """Read the `Parameters` of a numpydoc docstring, and of the classes that it derives from."""
    inherited = parameter_texts(cls.__base__) if cls.__base__ is not None else {}
    doc = inspect.cleandoc(cls.__doc__ or "").split("Parameters\n----------\n", 1)[-1]
    doc = re.split(r"\n\w+\n-+\n", doc)[0]
    found = re.findall(r"^(\w+) : .*\n((?:^    .*\n?)+)", doc, re.MULTILINE)
    texts = {name: " ".join(text.split()).replace("`", "") for name, text in found}
    reference = r" (\(\[\d+\]_\)|\[\d+\]_)"
    return inherited | {name: re.sub(reference, "", text) for name, text in texts.items()}


def check_fields(instance: Any, cls: Any = None) -> None:
    """Check all fields of a dataclass, or those of its base `cls`, in a `__post_init__`.

    Raises
    ------
    FieldError
        If a value is of another kind than its annotation, none of its choices, or out of range.
    """
    for name, field in fields_of(cls or type(instance)).items():
        field.check(getattr(instance, name))
