"""`compare --plan`: several comparisons in one report.

A plan is a TOML file with a table for each comparison. Its keys are the options of `compare`
without the dashes, lists for lists of values; `problem` where it is not the name of the table;
`files` for the problems of files.
`title`, before the tables, is the heading of the report.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from solver.commands.options import Parser, file_name
from solver.errors import InputError, message_of, option_word, quoted
from solver.system.files import read_toml

if TYPE_CHECKING:
    from pipeline.comparing.comparison import Comparison

#: Folder, beside the report, with a folder of runs for each comparison.
RUNS = "runs"


def is_plan(argv: Sequence[str]) -> bool:
    """Return whether the arguments of `compare` name a plan."""
    return any(word == "--plan" or word.startswith("--plan=") for word in argv)


@contextmanager
def errors_at(place: str) -> Iterator[None]:
    """Name the table at `place` in what is wrong with it."""
    try:
        yield
    except (InputError, argparse.ArgumentError) as error:
        raise InputError(f"{place}: {message_of(error)}") from None


def refuse_shared(comparisons: Mapping[str, Comparison[Any, Any, Any]]) -> None:
    """Raise `InputError` if two comparisons, by their places, have a job in common.

    A report on all would count it twice.
    """
    known: dict[tuple[type, Any], str] = {}
    for place, comparison in comparisons.items():
        for key in {comparison.key(job) for job in comparison.jobs}:
            other = known.setdefault((type(comparison), key), place)
            if other != place:
                raise InputError(f"{place}: runs of {other} again, expected each in one table")


@dataclass(frozen=True)
class Plan:
    """Several comparisons, and the report on all of them."""

    title: str | None
    commands: dict[str, list[str]]
    """Arguments of `compare` of each, by the place of its table in the file."""
    out: Path


def read_plan(argv: Sequence[str]) -> Plan:
    """Read the plan that the arguments of `compare` name; further options go to each comparison.

    Raises
    ------
    InputError
        If the file is no plan.
    """
    parser = Parser(prog="compare", allow_abbrev=False, argument_default=argparse.SUPPRESS)
    parser.add_argument("--plan", type=Path, required=True)
    parser.add_argument("--out", type=file_name, default=None)
    arguments, further = parser.parse_known_args(argv)
    path = arguments.plan
    out = arguments.out or Path("build/compare") / path.stem
    tables = read_toml(path)
    title = tables.pop("title", None)
    if title is not None and not isinstance(title, str):
        raise InputError(f"{path}: title is {quoted(title)}, expected a text")
    if not tables:
        raise InputError(f"{path}: no comparison found, expected a table for each, as [kakuro]")
    commands = {}
    for name, options in tables.items():
        words = _words(name, options, path)
        commands[f"{path}: [{name}]"] = [*words, *further, "--out", str(out / RUNS / name)]
    return Plan(title, commands, out)


def _words(name: str, options: object, path: Path) -> list[str]:
    """The table of a comparison as words of a command line."""
    if name in ("", ".", "..") or "/" in name or "\\" in name:
        raise InputError(f"{path}: a table {quoted(name)}, expected the name of a folder")
    if not isinstance(options, dict):
        raise InputError(f"{path}: {name} is {quoted(options)}, expected a table, as [{name}]")
    words = [str(options.pop("problem", name))]
    words += _files(options.pop("files", []), f"{path}: [{name}]: files")
    for option, value in options.items():
        if option in ("out", "flow", "plan"):
            raise InputError(f"{path}: [{name}] has {quoted(option)}, which a plan decides itself")
        words += _option(option, value, f"{path}: [{name}]: {option}")
    return words


def _files(value: object, where: str) -> list[str]:
    given = value if isinstance(value, list) else [value]
    names = [one for one in given if isinstance(one, str) and one and not one.startswith("-")]
    if len(names) < len(given):
        raise InputError(
            f"{where} is {quoted(value)}, expected the name of a file, or a list of names"
        )
    return names


def _option(name: str, value: object, where: str) -> list[str]:
    flag = option_word(name)
    values = value if isinstance(value, list) else [value]
    if values and all(isinstance(given, bool) for given in values):
        return [flag if given else option_word(f"no-{name}") for given in values]
    if not values or not all(_is_plain(given) for given in values):
        expected = "expected a text, a number, true, false, or a list"
        raise InputError(f"{where} is {quoted(value)}, {expected}")
    return [f"{flag}={','.join(map(str, values))}"]


def _is_plain(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)
