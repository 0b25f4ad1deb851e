"""Journal of a comparison: rows of finished jobs, so that an interruption loses none of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pipeline.tables.columns import wrong_value
from pipeline.tables.runs import ERROR
from solver.errors import InputError
from solver.system.files import journal_lines

#: Folder for the journals of workers elsewhere.
PARTS = "parts"


class Journal:
    """Rows of finished jobs, one line of JSON each, appended as they finish."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: dict[str, dict[str, Any]] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        for number, line in journal_lines(path) if path.exists() else ():
            row = _read_row(line, f"{path}, line {number}")
            self.rows[row["run"]] = row

    def has(self, run: str) -> bool:
        """Return whether `run` is finished; a run that ended in an error is tried again."""
        return run in self.rows and self.rows[run]["status"] != ERROR

    def append(self, row: dict[str, Any]) -> None:
        """Keep `row`, in one write."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        self.rows[row["run"]] = row


def _read_row(line: bytes, source: str) -> dict[str, Any]:
    try:
        row = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict):
        raise InputError(f"{source}: no row of a run, expected an object")
    if wrong := wrong_value(row):
        raise InputError(f"{source}: {wrong}")
    return row


def absorb_parts(journal: Journal) -> int:
    """Take over the rows of the journals of parts beside `journal`, whoever left them there."""
    taken = 0
    for path in sorted((journal.path.parent / PARTS).glob("*.jsonl")):
        for run, row in Journal(path).rows.items():
            if not journal.has(run):
                journal.append(row)
                taken += 1
        path.unlink()
    return taken
