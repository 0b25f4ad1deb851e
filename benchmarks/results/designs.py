"""Tables of designs for ensembles, from the rows of `python -m benchmarks.rna_published`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.results.plan import FOLDER, KeptTable, Lines, kept_rows
from pipeline.reports.result_tables import with_interval
from pipeline.results.statistics import Floats, mean_interval

#: What a design is worth: a probability and a normalised ensemble defect.
PROBABILITY, DEFECT = "probability", "defect"


def rows_of(name: str) -> list[dict[str, Any]]:
    """Rows of a file, by number of the target; those published are `FILE.csv METHOD`."""
    path, _, method = name.partition(" ")
    if not method:
        text = (FOLDER / path).read_text(encoding="utf-8")
        rows = [json.loads(line) for line in text.splitlines()]
    else:
        rows = [
            {"number": int(row["number"])}
            | {fact: float(row[f"{method}_{fact}"]) for fact in (PROBABILITY, DEFECT)}
            for row in kept_rows(path)
        ]
    return sorted(rows, key=lambda row: int(row["number"]))


def facts(rows: Sequence[dict[str, Any]], name: str) -> Floats:
    """Return a fact of all rows, float64[rows]."""
    return np.array([row[name] for row in rows], np.float64)


def mean_worth(table: KeptTable, read: Any) -> Lines:
    """Mean probability and defect of designs, and how many fold into their target.

    Keys: `designs`, pairs of a label and a file.
    """
    lines = []
    for label, name in table.options["designs"]:
        rows = rows_of(name)
        solved = [row["solved"] for row in rows if "solved" in row]
        cells = [f"{facts(rows, PROBABILITY).mean():.3f}", f"{facts(rows, DEFECT).mean():.4f}"]
        lines.append([label, *cells, f"{sum(solved)} of {len(solved)}" if solved else ""])
    return ["designs", "mean p", "mean defect", "solved"], lines


def differences(table: KeptTable, read: Any) -> Lines:
    """Differences between designs for the same targets, with 95 % BCa intervals over these.

    Keys: `pairs`, each a label, a file and the file that it is compared with.
    """
    lines = []
    for label, one, other in table.options["pairs"]:
        mine, theirs = rows_of(one), rows_of(other)
        gains = [
            mean_interval(sign * (facts(mine, fact) - facts(theirs, fact)))
            for fact, sign in ((PROBABILITY, 1), (DEFECT, -1))
        ]
        cells = (with_interval(gain, "{:.4f}".format) for gain in gains)
        lines.append([label, *cells])
    return ["designs, beside", "mean p above", "mean defect below"], lines
