"""How the runs of a report were made, from the rows of the runs themselves."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from pipeline.reports.result_tables import number
from pipeline.results.data import Made

NOT_RECORDED = "not recorded"


def provenance(facts: Sequence[dict[str, Any]], made: Sequence[Made]) -> list[tuple[str, str]]:
    """Name and text of what is known of how the runs were made, of all folders."""
    return [
        ("Command", "; ".join(dict.fromkeys(_commands(facts))) or NOT_RECORDED),
        ("Runs", f"{_duration(sum(one.seconds for one in made))} of runs, one by one"),
        ("Finished", _span([one.finished for one in made])),
        ("Machine", _of_each(one.machine for one in made)),
        ("Versions", _of_each(one.versions for one in made)),
        ("Commit", _of_each((one.commit for one in made), "unknown")),
    ]


def plural(n: int, one: str, several: str = "") -> str:
    """A number with the name of what it counts."""
    return f"{n:,} {one if n == 1 else several or one + 's'}"


def _commands(facts: Sequence[dict[str, Any]]) -> list[str]:
    return [str(one["command"]) for one in facts if one.get("command")]


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{number(seconds)} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 120 else f"{minutes / 60:.1f} h"


def _of_each(values: Iterable[str | None], unknown: str = NOT_RECORDED) -> str:
    """Each value, with the number of its runs where there is more than one."""
    counts = Counter(value or unknown for value in values)
    if len(counts) == 1:
        return next(iter(counts))
    return "; ".join(f"{value} ({plural(n, 'run')})" for value, n in counts.items())


def _span(finished: Sequence[str | None]) -> str:
    """When the first and the last run were finished, and how long that took by the clock."""
    known = sorted(datetime.datetime.fromisoformat(one) for one in finished if one)
    if not known:
        return NOT_RECORDED
    first, last = (f"{one:%Y-%m-%d %H:%M:%S}" for one in (known[0], known[-1]))
    said = f"{first} UTC"
    if last != first:
        took = _duration((known[-1] - known[0]).total_seconds())
        said = f"{first} to {last} UTC, {took} by the clock"
    without = len(finished) - len(known)
    return f"{said}; {plural(without, 'run')}: {NOT_RECORDED}" if without else said
