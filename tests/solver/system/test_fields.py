"""Fields of dataclasses: kinds, ranges and texts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest

from solver.errors import FieldError, InputError
from solver.system.fields import REQUIRED, Range, check_fields, fields_of


@dataclass(frozen=True)
class Base:
    """Class that others derive from.

    Parameters
    ----------
    size : int
        Rows, and
        columns.
    """

    size: Annotated[int, Range(1, 9)] = 4


@dataclass(frozen=True)
class Options(Base):
    """All kinds of fields.

    Parameters
    ----------
    wrap : bool
        Whether `edges` meet [1]_.
    """

    wrap: bool = True
    share: Annotated[float, Range(0, 1, "of the cells")] = 0.5
    seconds: Annotated[float, Range(0, above=True)] | None = None
    ties: Literal["random", "first"] = "random"
    players: Literal[2, 3] = 2
    limit: int | None = 5
    text: str = ""

    def __post_init__(self) -> None:
        check_fields(self)


FIELDS = fields_of(Options)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("size", "9", 9),
        ("wrap", "False", False),
        ("wrap", "true", True),
        ("share", "1", 1.0),
        ("seconds", "none", None),
        ("seconds", "0.5", 0.5),
        ("players", "3", 3),
        ("limit", "none", None),
        ("limit", "-7", -7),
        ("text", "none", "none"),
    ],
)
def test_texts_become_values_of_their_kind(name: str, text: str, value: object) -> None:
    """Those of a `Literal` have the type of its values; `none` is None where that is a value."""
    found = FIELDS[name].parse(text)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("size", "0", "is 0, expected 1 ... 9"),
        ("size", "2.5", "is '2.5', expected a whole number, 1 ... 9"),
        ("wrap", "no", "is 'no', expected true or false"),
        ("share", "1.5", "is 1.5, expected 0 ... 1 of the cells"),
        ("share", "nan", "is nan, expected a number, 0 ... 1 of the cells"),
        ("seconds", "0", "is 0.0, expected more than 0, or none"),
        ("seconds", "inf", "is inf, expected more than 0, or none"),
        ("ties", "last", "is 'last', expected random or first"),
        ("players", "4", "is '4', expected 2 or 3"),
        ("limit", "x", "is 'x', expected a whole number, or none"),
    ],
)
def test_texts_that_do_not_fit(name: str, text: str, complaint: str) -> None:
    """The message names the field, the value and what was expected."""
    with pytest.raises(FieldError) as caught:
        FIELDS[name].parse(text)
    assert (caught.value.field, caught.value.complaint) == (name, complaint)
    assert str(caught.value) == f"{name} {complaint}"


@pytest.mark.parametrize(
    "values",
    [
        {"size": True}, {"size": 1.0}, {"wrap": 1}, {"share": "0.5"}, {"share": math.inf},
        {"ties": None}, {"players": 2.5}, {"text": None}, {"limit": "5"}, {"share": 10**400},
    ],
)  # fmt: skip
def test_values_from_python_are_checked(values: dict[str, Any]) -> None:
    """Kinds are not mixed up: a truth is no number, a text no number."""
    (name,) = values
    with pytest.raises(FieldError, match=f"^{name} is "):
        Options(**values)


def test_values_that_fit_are_kept() -> None:
    """Whole numbers stand for real ones, NumPy's for Python's."""
    np = pytest.importorskip("numpy")
    assert Options(size=np.int64(3), share=1, limit=None).share == 1


def test_texts_come_from_docstrings() -> None:
    """Those of a base class too, without marks and line breaks."""
    assert FIELDS["size"].text == "Rows, and columns."
    assert FIELDS["wrap"].text == "Whether edges meet."
    assert FIELDS["text"].text == ""


def test_fields_that_no_command_line_can_give() -> None:
    """They are refused by name, before any option is made."""

    @dataclass(frozen=True)
    class Lists:
        """Class with a list."""

        names: list[str]

    with pytest.raises(InputError, match=r"Lists: names is annotated .*, expected bool, int, "):
        fields_of(Lists)


def test_a_field_without_a_default() -> None:
    """It says that it has none."""

    @dataclass(frozen=True)
    class Needed:
        """Class with a field that must be given."""

        size: int

    assert fields_of(Needed)["size"].default is REQUIRED
