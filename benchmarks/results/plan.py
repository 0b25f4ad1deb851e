"""Plan of the kept runs and of the tables that are made of them: docs/results/tables.toml."""

from __future__ import annotations

import csv
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pipeline.results.data import ReportData
from pipeline.results.reading import read_report_data
from solver.errors import InputError
from solver.system.files import read_toml

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "results"
PLAN, DATA = FOLDER / "tables.toml", FOLDER / "data"

Lines = tuple[list[str], list[list[str]]]
"""Header and rows of a table."""


@dataclass(frozen=True)
class KeptRuns:
    """A folder of runs in `DATA` and the commands that make it.

    Parameters
    ----------
    name : str
        Name of the folder.
    commands : list of str
        Commands without `--out`, which all write to one folder.
    """

    name: str
    commands: list[str]

    @property
    def words(self) -> list[list[str]]:
        """Words of each command, without its program."""
        return [shlex.split(command)[1:] for command in self.commands]

    @property
    def folder(self) -> Path:
        """Folder of the kept rows."""
        return DATA / self.name

    def read(self, folder: Path | None = None) -> ReportData:
        """Read the kept rows, or those that the same commands left in another folder."""
        return read_report_data([folder or self.folder])


@dataclass(frozen=True)
class KeptTable:
    """A table of a page.

    Parameters
    ----------
    name : str
        Name in the marks around the table.
    page : str
        Page of the documentation, from the root of the repository.
    kind : str
        Function of `benchmarks.results.kinds` that makes it.
    runs : list of KeptRuns
        Its rows are of these.
    options : mapping
        Further keys of the plan, for the function.
    again : str, optional
        Module of benchmarks that makes rows of means again, see `benchmarks.results.repeats`.
    """

    name: str
    page: str
    kind: str
    runs: list[KeptRuns]
    options: Mapping[str, Any] = field(default_factory=dict)
    again: str | None = None

    @property
    def path(self) -> Path:
        """Path of the page."""
        return ROOT / self.page

    @property
    def marks(self) -> tuple[str, str]:
        """Lines before and after the table."""
        return f"<!-- table {self.name}: python -m benchmarks.page -->", "<!-- end of table -->"


def read_plan(path: Path = PLAN) -> dict[str, KeptTable]:
    """Read the plan; tables by name, in its order.

    Raises
    ------
    InputError
        If a table is of runs that the plan does not have, or lacks a key.
    """
    plan = read_toml(path)
    runs = {name: KeptRuns(name, one["commands"]) for name, one in plan["runs"].items()}
    tables = {}
    for name, entry in plan["tables"].items():
        options = dict(entry)
        lacking = [key for key in ("page", "kind", "runs") if key not in options]
        if lacking:
            raise InputError(f"{path}: table {name} lacks {', '.join(lacking)}")
        unknown = [one for one in options["runs"] if one not in runs]
        if unknown:
            raise InputError(f"{path}: table {name} is of unknown runs: {', '.join(unknown)}")
        page, kind = options.pop("page"), options.pop("kind")
        rows = [runs[one] for one in options.pop("runs")]
        again = options.pop("again", None)
        tables[name] = KeptTable(name, page, kind, rows, options, again)
    return tables


def kept_rows(name: str) -> list[dict[str, str]]:
    """Rows of a CSV file of docs/results."""
    with (FOLDER / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def written(table: KeptTable) -> str:
    """Return the lines that a page has between the marks of a table.

    Raises
    ------
    InputError
        If the marks are missing, or there more than once.
    """
    return _parts(table)[1]


def write(table: KeptTable, lines: str) -> bool:
    """Put `lines` between the marks of a table; returns if the page has changed."""
    before, now, after = _parts(table)
    if now == lines:
        return False
    table.path.write_text(before + lines + after, encoding="utf-8")
    return True


def _parts(table: KeptTable) -> tuple[str, str, str]:
    """Page before a table, the table, the page behind it."""
    text = table.path.read_text(encoding="utf-8")
    begin, end = (f"{mark}\n" for mark in table.marks)
    if text.count(begin) != 1:
        raise InputError(f"{table.page}: expected one line {begin.strip()!r}")
    before, _, rest = text.partition(begin)
    now, found, after = rest.partition(end)
    if not found:
        raise InputError(f"{table.page}: no line {end.strip()!r} behind table {table.name}")
    return before + begin, now, end + after
