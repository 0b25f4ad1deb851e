"""`compare --plan`: several comparisons in one report.

A plan is a TOML file with a table for each comparison. Its keys are the options of `compare`
without the dashes, lists for lists of values; `problem` where it is not the name of the table;
`files` for the problems of files.
`title`, before the tables, is the heading of the report.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from solver.errors import InputError
from solver.files import read_text
from solver.options import Parser

#: Folder, beside the report, with a folder of runs for each comparison.
RUNS = "runs"

#: Exit status of a comparison that Ctrl-C ended.
INTERRUPTED = 130

Compare = Callable[[Sequence[str]], int]


def is_plan(argv: Sequence[str]) -> bool:
    """Whether the arguments of `compare` name a plan."""
    return any(word == "--plan" or word.startswith("--plan=") for word in argv)


def read_plan(path: Path, out: Path, further: Sequence[str]) -> tuple[str | None, list[list[str]]]:
    """Title and the arguments of each comparison, those in `further` behind its own.

    Raises
    ------
    InputError
        If the file is no plan.
    """
    try:
        plan = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: {error}") from error
    title = plan.pop("title", None)
    if title is not None and not isinstance(title, str):
        raise InputError(f"{path}: title is {title!r}, expected a text")
    if not plan:
        raise InputError(f"{path}: no comparison found, expected a table for each, as [kakuro]")
    commands = []
    for name, options in plan.items():
        if not isinstance(options, dict):
            raise InputError(f"{path}: {name} is {options!r}, expected a table, as [{name}]")
        words = [str(options.pop("problem", name))]
        words += _files(options.pop("files", []), f"{path}: [{name}]: files")
        for option, value in options.items():
            if option in ("out", "flow", "plan"):
                raise InputError(f"{path}: [{name}] has {option!r}, which a plan decides itself")
            words += _option(option, value, f"{path}: [{name}]: {option}")
        commands.append([*words, *further, "--out", str(out / RUNS / name)])
    return title, commands


def _files(value: Any, where: str) -> list[str]:
    names = value if isinstance(value, list) else [value]
    if not all(isinstance(name, str) and name and not name.startswith("-") for name in names):
        raise InputError(f"{where} is {value!r}, expected the name of a file, or a list of names")
    return names


def _option(name: str, value: Any, where: str) -> list[str]:
    flag = f"--{name.replace('_', '-')}"
    if value is True:
        return [flag]
    values = value if isinstance(value, list) else [value]
    if not values or not all(_is_plain(one) for one in values):
        raise InputError(f"{where} is {value!r}, expected a text, a number, true, or a list")
    return [f"{flag}={','.join(map(str, values))}"]


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def run_plan(argv: Sequence[str], check: Callable[[Sequence[str]], Any], compare: Compare) -> int:
    """Run every comparison of a plan with `compare`, then write one report of all.

    Parameters
    ----------
    check : function of the arguments of a comparison
        Raises an `InputError` if they do not fit: before anything is run.
    """
    parser = Parser(prog="compare", allow_abbrev=False, argument_default=argparse.SUPPRESS)
    parser.add_argument("--plan", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=None)
    arguments, further = parser.parse_known_args(argv)
    out = arguments.out or Path("build/compare") / arguments.plan.stem
    title, commands = read_plan(arguments.plan, out, further)
    for command in commands:
        check(command)
    worst = 0
    for command in commands:
        status = compare(command)
        if status == INTERRUPTED:
            return status
        worst = max(worst, status)  # runs that failed in one comparison cost none of the others
    from pipeline.report import write_report

    report = write_report([Path(command[-1]) for command in commands], out, title)
    print(f"report on all: {report}")
    sys.stdout.flush()
    return worst
