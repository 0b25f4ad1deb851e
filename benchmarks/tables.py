"""Tables of what `compare` left in a folder, for the benchmarks that read one."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from pipeline.reports.comparisons import reduction
from pipeline.reports.result_tables import DASH
from pipeline.results.data import MethodRuns
from pipeline.results.statistics import Estimate, Floats
from solver.errors import InputError


def by_numbers(name: str) -> list[tuple[int, str]]:
    """Key that sorts numbers within names by value; sets read from files have a digest, too."""
    return [(int(part) if part.isdecimal() else -1, part) for part in name.split("-")]


def playouts_per_second(runs: MethodRuns) -> str:
    """Playouts a second over all runs, as a cell; a dash for peers, which play none."""
    return DASH if runs.method.is_peer else f"{runs.spent.sum() / runs.seconds.sum():,.0f}"


def split_off(methods: Sequence[MethodRuns], label: str) -> tuple[MethodRuns, list[MethodRuns]]:
    """The method called `label`, which differences are to, and the others."""
    labels = [runs.method.label for runs in methods]
    if label not in labels:
        raise InputError(f"--against: no method '{label}', there are: {', '.join(labels)}")
    at = labels.index(label)
    return methods[at], [*methods[:at], *methods[at + 1 :]]


def excess(base: tuple[MethodRuns, Floats], other: tuple[MethodRuns, Floats]) -> Estimate:
    """Estimate how much the runs of a method score above those of another, `base`.

    Paired by instance, the interval over the instances; over the runs of a single one.
    """
    return reduction((base[0], other[0]), [-base[1], -other[1]])[0]


def write_markdown(header: Sequence[str], rows: Sequence[Sequence[str]], texts: int) -> None:
    """Write a table to the standard output; the first `texts` columns are aligned to the left."""
    line = ["---"] * texts + ["--:"] * (len(header) - texts)
    for cells in (header, line, *rows):
        sys.stdout.write(f"| {' | '.join(cells)} |\n")
