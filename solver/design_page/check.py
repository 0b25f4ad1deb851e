"""Checks of the page's input at each keystroke: drawings of the targets, or errors with places."""

from __future__ import annotations

import re
from typing import NotRequired, TypedDict

from solver.design_page.fields import FIELDS
from solver.design_page.request import UNNAMED, DesignRequest
from solver.domains.rna.drawings.structure import draw_structure
from solver.domains.rna.text import OPEN, RnaTarget
from solver.errors import FieldError, InputError

#: Longer structures are too small to see anything of.
MOST_DRAWN = 1000

_PLACE = re.compile(r"line (\d+)(?:, position (\d+)(?=: '(.)'|))?")


class Complaint(TypedDict):
    """Error in a field, or at a place in the targets."""

    message: str
    field: NotRequired[str]
    line: NotRequired[int]
    column: NotRequired[int]
    length: NotRequired[int]


class Named(TypedDict):
    """A target of the list."""

    name: str
    length: int


class Checked(TypedDict):
    """Response of the page to its current input."""

    targets: list[Named]
    shown: NotRequired[int]
    """Number of the target that is drawn, where there are any."""
    drawing: str
    errors: list[Complaint]


def check(plain: object, shown: int = 0) -> Checked:
    """Return names and lengths of the targets and the drawing of one, or the error.

    Parameters
    ----------
    plain : object
        Request as sent by the page.
    shown : int
        Number of the target to draw, from 0; the last if there are less.
    """
    if isinstance(plain, dict) and not str(plain.get("targets", "")).strip():
        return {"targets": [], "drawing": "", "errors": []}
    try:
        request = DesignRequest.of(plain)
    except InputError as error:  # of the options: the targets are shown all the same
        errors = [complaint(error, "")]
        request = DesignRequest(str(plain.get("targets", "")) if isinstance(plain, dict) else "")
    else:
        errors = []
    try:
        targets = request.named_targets()
    except InputError as error:
        return {
            "targets": [],
            "drawing": "",
            "errors": [complaint(error, request.targets), *errors],
        }
    return {
        "targets": [{"name": name, "length": len(one.structure)} for name, one in targets],
        "shown": (number := min(max(shown, 0), len(targets) - 1)),
        "drawing": _drawing(*targets[number]),
        "errors": errors,
    }


def _drawing(name: str, target: RnaTarget) -> str:
    structure = target.structure.replace(OPEN, ".")
    if len(structure) > MOST_DRAWN or target.plan or target.nick:
        return ""  # layouts are of one strand
    return draw_structure(structure, target.bases, f"{name}, target")


def complaint(error: InputError, text: str) -> Complaint:
    """Return the message of an error, with its field or its place in `text`."""
    message = str(error).removeprefix(f"{UNNAMED}: ")
    if isinstance(error, FieldError):
        name = error.field
        label = next((field.label for field in FIELDS if field.name == name), name)
        return {"message": f"{label} {error.complaint}", "field": name}
    named = _PLACE.match(message)
    if named is None:
        return {"message": message}
    line, column, length = _place(text, named)
    message = message[named.end(2 if named[2] else 1) :]
    where = f"line {line}" + (f", position {column}" if named[2] else "")
    return {"message": where + message, "line": line, "column": column, "length": length}


def _place(text: str, named: re.Match[str]) -> tuple[int, int, int]:
    """Line, column and length, from 1, of the place in a word that a message names.

    Bases that are fixed stand behind their structure or on a line below; a message has the line
    of the structure, and the letter that is wrong.
    """
    lines, number = text.splitlines(), int(named[1])
    if named[2] is not None:
        position, letter = int(named[2]), named[3]
        for line in range(number, len(lines) + 1):
            for word in re.finditer(r"\S+", lines[line - 1]):
                found = word[0][position - 1 : position]
                if found and letter in (None, found, found.upper()):
                    return line, word.start() + position, 1
    return number, 1, len(lines[number - 1])
