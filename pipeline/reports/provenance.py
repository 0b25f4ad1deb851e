"""Provenance of the runs of a report, from the rows of the runs themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from pipeline.reports.result_tables import number
from pipeline.tables.runs import UNKNOWN
from solver.system.letters import plural

NOT_RECORDED = "not recorded"


def provenance(facts: Sequence[dict[str, Any]], runs: pd.DataFrame) -> list[tuple[str, str]]:
    """Return names and texts of the facts about the runs of all folders."""
    commands = dict.fromkeys(str(known["command"]) for known in facts if known.get("command"))
    return [
        ("Command", "; ".join(commands) or NOT_RECORDED),
        ("Runs", f"{_duration(runs['seconds'].sum())} of runs, one by one"),
        ("Finished", _span(runs["finished"])),
        ("Machine", _values(runs["machine"])),
        ("Versions", _values(runs["versions"])),
        ("Commit", _values(runs["commit"], UNKNOWN)),
    ]


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{number(seconds)} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 120 else f"{minutes / 60:.1f} h"


def _values(column: pd.Series[str], unknown: str = NOT_RECORDED) -> str:
    """Each value, with the number of its runs where there is more than one."""
    counts = column.fillna(unknown).value_counts(sort=False)
    if len(counts) == 1:
        return str(counts.index[0])
    return "; ".join(f"{value} ({plural(n, 'run')})" for value, n in counts.items())


def _span(finished: pd.Series[pd.Timestamp]) -> str:
    """Times at which the first and the last run finished, and the time between them."""
    first, last = finished.min(), finished.max()
    if pd.isna(first):
        return NOT_RECORDED
    begin, end = (f"{time:%Y-%m-%d %H:%M:%S}" for time in (first, last))
    span = f"{begin} UTC"
    if end != begin:
        span = f"{begin} to {end} UTC, {_duration((last - first).total_seconds())} by the clock"
    unknown = int(finished.isna().sum())
    return f"{span}; {plural(unknown, 'run')}: {NOT_RECORDED}" if unknown else span
