"""Kinds of tables: functions from the runs of a table to its header and rows."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.by_second import scores_at, seconds_by_seed
from benchmarks.results.beside import picked_rows, sums_of_columns
from benchmarks.results.designs import differences, mean_worth
from benchmarks.results.plan import FOLDER, KeptRuns, KeptTable, Lines, read_plan
from benchmarks.results.totals import totals
from benchmarks.tables import excess
from benchmarks.tsptw_gaps import optima_of, optimum_of, quality, seconds_to_optimum
from pipeline.reports.result_tables import (
    DASH,
    count,
    interval,
    number,
    percent,
    percent_range,
    seconds,
    signed_number,
    with_interval,
)
from pipeline.results.data import Family, MethodRuns, ReportData
from pipeline.results.runs import read_runs
from pipeline.results.statistics import (
    best_so_far,
    mean_interval,
    median_interval,
    par2,
    proportion,
)
from solver.errors import InputError

Read = Callable[[KeptRuns], ReportData]


def markdown(table: KeptTable, read: Read = KeptRuns.read) -> str:
    """Return a table as Markdown, from the rows that `read` finds for its runs."""
    if table.kind not in KINDS:
        raise InputError(f"table {table.name}: kind is {table.kind}, expected {', '.join(KINDS)}")
    header, rows = KINDS[table.kind](table, read)
    texts = table.options.get("texts", 1)
    rule = ["---"] * texts + ["--:"] * (len(header) - texts)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (header, rule, *rows))


def _groups(table: KeptTable, read: Read) -> Iterator[tuple[str, str, Family, MethodRuns]]:
    """Yield shown family, shown method, family and runs, by family in the order first met.

    `families` and `names` of the plan say how they are called; a name may be of one set of runs
    only, as in "belief-100-1000: Sampling + latin-square-belief".
    """
    families: Mapping[str, str] = table.options.get("families", {})
    names: Mapping[str, str] = table.options.get("names", {})
    found: dict[str, list[tuple[str, str, Family, MethodRuns]]] = {}
    for kept in table.runs:
        for family in read(kept).families:
            for runs in family.methods:
                label = runs.method.label
                shown = names.get(f"{kept.name}: {label}", names.get(label, label))
                group = families.get(family.name, family.name)
                found.setdefault(group, []).append((group, shown, family, runs))
    for several in found.values():
        yield from several


def _share(runs: MethodRuns, playouts: float) -> str:
    """Per cent of the runs solved within `playouts`, with a Wilson interval."""
    estimate = proportion(runs.solved_within(playouts))
    return f"{percent(estimate.value).rstrip('%')} ({percent_range(estimate).rstrip('%')})"


def shares_within_playouts(table: KeptTable, read: Read) -> Lines:
    """Per cent solved within numbers of playouts: the papers' table.

    Keys: `at`, the numbers; `corner`; `published`, rows of a paper; `heads`, heads of columns.
    """
    at: Sequence[float] = table.options["at"]
    rows = [[str(cell) for cell in row] for row in table.options.get("published", [])]
    rows += [[name, *(_share(runs, n) for n in at)] for _, name, _, runs in _groups(table, read)]
    heads = table.options.get("heads", [count(n) for n in at])
    return [table.options.get("corner", "playouts"), *heads], rows


def solved_and_medians(table: KeptTable, read: Read) -> Lines:
    """Solved, median playouts and seconds, PAR-2, a row per family and method.

    Keys: `corner`, head of the families, without which there is no column of them; `columns`
    among `solved`, `share`, `playouts`, `seconds`, `par2`; `intervals`.
    """
    columns = table.options.get("columns", ["solved", "playouts", "seconds", "par2"])
    intervals: bool = table.options.get("intervals", False)
    cell: dict[str, Callable[[Family, MethodRuns], str]] = {
        "solved": lambda family, runs: f"{runs.solved.sum()}/{runs.solved.size}",
        "share": lambda family, runs: _percent_cell(runs),
        "playouts": lambda family, runs: _playouts_cell(runs, intervals),
        "seconds": lambda family, runs: _median(runs.seconds_to_solve, seconds, intervals),
        "par2": lambda family, runs: seconds(par2(runs.seconds, runs.solved, family.time_limit)),
    }
    heads = {
        "solved": "solved",
        "share": "solved",
        "playouts": "median playouts",
        "seconds": "median seconds",
        "par2": "PAR-2 s",
    }
    corner = table.options.get("corner")
    rows, last = [], ""
    for group, name, family, runs in _groups(table, read):
        first = [] if corner is None else ["" if group == last else group]
        rows.append([*first, name, *(cell[column](family, runs) for column in columns)])
        last = group
    head = [] if corner is None else [corner]
    return [*head, "method", *(heads[column] for column in columns)], rows


def _percent_cell(runs: MethodRuns) -> str:
    estimate = proportion(runs.solved)
    return f"{percent(estimate.value)} ({percent_range(estimate)})"


def _playouts_cell(runs: MethodRuns, intervals: bool) -> str:
    return DASH if runs.method.is_peer else _median(runs.playouts, count, intervals)


def _median(values: Any, shown: Callable[[float], str], intervals: bool) -> str:
    """A median, with its interval if it is asked for and known."""
    estimate = median_interval(values)
    ends = interval(estimate, shown, DASH) if intervals else ""
    return f"{shown(estimate.value)} ({ends})" if ends else shown(estimate.value)


def solved_within_seconds(table: KeptTable, read: Read) -> Lines:
    """Instances solved within seconds: of several seeds the mean, the least and the most.

    Keys: `at`; `corner`; `effort`, for columns with medians and most of seconds and playouts.
    """
    at: Sequence[float] = table.options["at"]
    rows = []
    for _, name, _, runs in _groups(table, read):
        by_seed = seconds_by_seed(runs)
        cells = []
        for limit in at:
            solved = (by_seed <= limit).sum(axis=0)
            several = f"{solved.mean():.1f} [{solved.min()}, {solved.max()}]"
            cells.append(several if solved.size > 1 else f"{solved[0]}")
        if table.options.get("effort"):
            last = runs.seconds[runs.solved].max()
            cells += [number(float(np.median(runs.seconds_to_solve))), number(float(last))]
            most = runs.playouts[runs.solved].max()
            cells.append(f"{count(float(np.median(runs.playouts)))}, {count(float(most))}")
        rows.append([name, *cells])
    heads = [table.options.get("corner", "method"), *(f"{limit:g} s" for limit in at)]
    if table.options.get("effort"):
        heads += ["median, s", "last, s", "median playouts, most"]
    return heads, rows


def gaps_to_optimum(table: KeptTable, read: Read) -> Lines:
    """Tours that are feasible, at the optimum, within 1 %, and their mean gap.

    Keys: `corner`; `digits` of the gap; `last`, for a column with the last optimum's seconds.
    """
    rows = []
    digits: int = table.options.get("digits", 2)
    for _, name, family, runs in _groups(table, read):
        optimum = optimum_of(runs, optima_of(family, table.runs[0].folder))
        shares, gap = quality(runs, optimum)
        feasible = shares[0] > 0
        times = seconds_to_optimum(runs, optimum)
        cells = [f"{share.sum():.0f}/{len(gap)}" for share in shares]
        cells.append(f"{gap[feasible].mean():z.{digits}f} %" if feasible.any() else DASH)
        if table.options.get("last"):
            cells.append(f"{times.max():.2g} s" if times.size else DASH)
        rows.append([name, *cells])
    heads = [table.options.get("corner", ""), "feasible", "at the optimum", "within 1 %", "gap"]
    return [*heads, *(["last optimum after"] if table.options.get("last") else [])], rows


def mean_scores(table: KeptTable, read: Read) -> Lines:
    """Mean scores in the end, and differences to the method `against`, paired by instance."""
    rows, last = [], ""
    against = table.options.get("against")
    groups = list(_groups(table, read))
    base = {group: runs for group, name, _, runs in groups if name == against}
    for group, name, _, runs in groups:
        shown = "" if group == last else group
        cells, last = [shown, name, with_interval(mean_interval(runs.score), number)], group
        if against is not None:
            other = base[group]
            gain = excess((other, other.score), (runs, runs.score))
            cells.append("" if runs is other else with_interval(gain, signed_number))
        rows.append(cells)
    heads = [table.options.get("corner", "instances"), "method", "mean score"]
    return [*heads, *([f"less {against}'s"] if against is not None else [])], rows


def scores_after_seconds(table: KeptTable, read: Read) -> Lines:
    """Mean best scores after seconds, with bootstrap intervals. Keys: `at`, `corner`."""
    at = np.array(table.options["at"], dtype=np.float64)
    rows = []
    for _, name, _, runs in _groups(table, read):
        means = [mean_interval(column) for column in scores_at(runs, at).T]
        rows.append([name, *(with_interval(one, number) for one in means)])
    return [table.options.get("corner", "method"), *(f"{limit:g} s" for limit in at)], rows


def scores_after_playouts(table: KeptTable, read: Read) -> Lines:
    """Mean best scores after playouts, with bootstrap intervals. Keys: `at`, `corner`."""
    at = np.array(table.options["at"], dtype=np.float64)
    rows = []
    for _, name, _, runs in _groups(table, read):
        scores = np.array([best_so_far(one.playouts, one.score, at) for one in runs.traces])
        rows.append([name, *(with_interval(mean_interval(c), number) for c in scores.T)])
    return [table.options.get("corner", "playouts"), *(count(limit) for limit in at)], rows


def kept_tables(table: KeptTable, read: Read) -> Lines:
    """All tables of the plan, with the number, the days and the commits of their runs."""
    rows = []
    for one in read_plan().values():
        if not one.runs:
            continue
        frames = [read_runs(runs.folder) for runs in one.runs]
        days = sorted({f"{frame['finished'].max():%Y-%m-%d}" for frame in frames})
        commits = sorted({commit for frame in frames for commit in frame["commit"].dropna()})
        number = f"{sum(map(len, frames)):,}"
        took = f"{sum(frame['seconds'].sum() for frame in frames):,.0f}"
        rows.append([f"`{one.name}`", number, took, " ".join(days), " ".join(commits)])
    return ["table", "runs", "seconds of them", "finished", "commit"], rows


def of_benchmark(table: KeptTable, read: Read) -> Lines:
    """Table of rows that a benchmark keeps as CSV.

    Keys: `benchmark`, a module with `HEADER`, `read_rows` and `table`; `rows`, its file; `without`,
    heads of columns that are left out.
    """
    benchmark = importlib.import_module(f"benchmarks.{table.options['benchmark']}")
    rows = benchmark.read_rows(FOLDER / table.options["rows"])
    left_out = table.options.get("without", [])
    shown = [i for i, head in enumerate(benchmark.HEADER) if head not in left_out]
    header, *cells = [[row[i] for i in shown] for row in (benchmark.HEADER, *benchmark.table(rows))]
    return header, cells


KINDS: dict[str, Callable[[KeptTable, Read], Lines]] = {
    "shares": shares_within_playouts,
    "solved": solved_and_medians,
    "solved-by": solved_within_seconds,
    "gaps": gaps_to_optimum,
    "picked": picked_rows,
    "sums": sums_of_columns,
    "scores": mean_scores,
    "scores-by-seconds": scores_after_seconds,
    "scores-by-playouts": scores_after_playouts,
    "benchmark": of_benchmark,
    "designs": mean_worth,
    "designs-beside": differences,
    "totals": totals,
    "list": kept_tables,
}
