"""Journal of a comparison: rows of finished jobs, so that an interruption loses none of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from pipeline.tables.columns import wrong_value
from pipeline.tables.runs import ERROR
from solver.errors import InputError, WriteError
from solver.system.files import journal_lines, make_folder

#: Folder for the journals of workers.
SHARDS = "shards"

Key = TypeVar("Key", bound=Hashable)
Row = TypeVar("Row")


@dataclass(frozen=True)
class RowKind(Generic[Key, Row]):
    """Kind of rows: those of runs on problems, or of games between searches."""

    read: Callable[[bytes, str], Row]
    """Reads a line and checks it; the second argument begins the message of an error."""
    plain: Callable[[Row], dict[str, Any]]
    """Returns the fields of a row, as `json` writes them."""
    key: Callable[[Row], Key]
    """Returns the identity of the job that a row is of."""
    is_finished: Callable[[Row], bool]
    """Returns False for the row of a job that is to be tried again."""


class Journal(Generic[Key, Row]):
    """Rows of finished jobs, one line of JSON each, appended as they finish.

    Raises
    ------
    InputError
        If its file cannot be read or written.
    """

    def __init__(self, path: Path, kind: RowKind[Key, Row]) -> None:
        self.path = path
        self.kind = kind
        self.rows: dict[Key, Row] = {}
        self._lines: dict[Key, int] = {}
        self._n_lines = 0
        try:
            make_folder(path.parent)
            for number, line in journal_lines(path) if path.exists() else ():
                self._keep(kind.read(line, f"{path}, line {number}"))
        except OSError as error:
            raise WriteError(path, error) from error

    def _keep(self, row: Row) -> None:
        key = self.kind.key(row)
        self._n_lines += 1
        self.rows[key] = row
        self._lines[key] = self._n_lines

    def has(self, key: Key) -> bool:
        """Return whether the job `key` is finished."""
        return key in self.rows and self.kind.is_finished(self.rows[key])

    def where(self, row: Row) -> str:
        """File and line of a row, as messages name them."""
        return f"{self.path}, line {self._lines[self.kind.key(row)]}"

    def append(self, row: Row) -> None:
        """Keep `row`, in one write."""
        try:
            with self.path.open("a", encoding="utf-8", newline="\n") as file:
                file.write(json.dumps(self.kind.plain(row)) + "\n")
        except OSError as error:
            raise WriteError(self.path, error) from error
        self._keep(row)


def absorb_shards(journal: Journal[Key, Row], keys: Iterable[Key]) -> int:
    """Move the rows of all journals of workers beside `journal` into it; returns their number.

    Those of the jobs `keys` come in that order, whoever finished first; any others behind them.
    """
    paths = sorted((journal.path.parent / SHARDS).glob("*.jsonl"))
    rows: dict[Key, Row] = {}
    for path in paths:
        rows |= Journal(path, journal.kind).rows
    missing = [key for key in dict.fromkeys((*keys, *rows)) if key in rows and not journal.has(key)]
    for key in missing:
        journal.append(rows[key])
    for path in paths:
        path.unlink()
    return len(missing)


def _read_run(line: bytes, source: str) -> dict[str, Any]:
    try:
        row = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict):
        raise InputError(f"{source}: no row of a run, expected an object")
    if wrong := wrong_value(row):
        raise InputError(f"{source}: {wrong}")
    return row


def _identity(row: dict[str, Any]) -> str:
    return str(row["run"])


RunJournal = Journal[str, dict[str, Any]]

#: Runs on problems; one that ended in an error is tried again.
RUN_ROWS: RowKind[str, dict[str, Any]] = RowKind(
    read=_read_run, plain=dict, key=_identity, is_finished=lambda row: row["status"] != ERROR
)
