"""Comparisons of `compare`, of either kind: planned, run, kept and shown."""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from solver.commands.options import INTERRUPTED
from solver.commands.output import print_answer
from solver.commands.progress import progress_bar, say
from solver.system.fields import fields_of
from solver.system.files import only_writer

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from pipeline.comparing.comparison import Comparison
    from pipeline.comparing.journal import Journal
    from pipeline.requests.compare import CompareRequest
    from pipeline.requests.matches import MatchRequest

    AnyComparison = Comparison[Any, Any, Any]
    AnyJournal = Journal[Any, Any]

#: Lines on stderr about runs that ended in an error.
FAILED_SHOWN = 10


def request_of(plain: Mapping[str, Any]) -> CompareRequest | MatchRequest:
    """Return the request of either kind whose `plain` this is.

    Raises
    ------
    InputError
        If a field is missing or unknown: the other process has another version.
    """
    from pipeline.requests.compare import CompareRequest
    from pipeline.requests.matches import MatchRequest

    return MatchRequest.of(plain) if "games" in plain else CompareRequest.of(plain)


def planned(request: CompareRequest | MatchRequest) -> AnyComparison:
    """Return the comparison that a request asks for.

    Raises
    ------
    InputError
        If something that it names does not exist or does not fit.
    """
    from pipeline.requests.compare import CompareRequest

    if isinstance(request, CompareRequest):
        from pipeline.comparing.plan import RunComparison

        return RunComparison.of(request)
    from pipeline.matches.plan import MatchComparison

    return MatchComparison.of(request)


def compare(request: CompareRequest | MatchRequest, *, report: bool = False) -> int:
    """Run one comparison, keep its rows, with a report of them or without, and print the results.

    Returns
    -------
    status : int
        Exit status.
    """
    comparison = planned(request)
    with only_writer(comparison.journal_path):
        journal = comparison.open_journal()
        complete = _run(comparison, journal, f"comparing on {request.subject}", request.threads)
        if journal.rows:
            comparison.keep(journal)
            show(comparison, journal, write_report(comparison) if report else None)
    if not complete:
        print("compare: interrupted; the same command goes on from there", file=sys.stderr)
        return INTERRUPTED
    return say_failed(comparison, journal)


def _run(comparison: AnyComparison, journal: AnyJournal, title: str, threads: int) -> bool:
    """Compile in the main thread, where Ctrl-C can end it, then run; returns if all was run."""
    from solver.commands.announce import compilation_of

    for name, compilation in comparison.compilations(comparison.missing(journal)):
        with compilation_of(name):
            compilation()
    total, unit = len(comparison.jobs), comparison.unit
    with progress_bar(title, total) as update:
        return comparison.run(
            comparison.jobs,
            journal,
            threads=threads,
            progress=lambda done: update(done, f"{done:,} of {total:,} {unit}"),
        )


def show(comparison: AnyComparison, journal: AnyJournal, report: Path | None) -> None:
    """Print the results that a comparison has kept, and where they are."""
    from pipeline.matches.plan import SUMMARY_FILE, MatchComparison

    if isinstance(comparison, MatchComparison):
        print_answer((comparison.out / SUMMARY_FILE).read_text(encoding="utf-8"))
        say(f"{len(journal.rows):,} games, kept in {comparison.out}")
        return
    from pipeline.commands.terminal import print_summary

    written = f"kept in {comparison.out}" if report is None else f"report: {report}"
    print_summary(comparison.out)
    print(f"{len(journal.rows):,} runs, {written}")


def write_report(comparison: AnyComparison) -> Path:
    """Return the report of a comparison, which is written anew; a page of games is kept already."""
    from pipeline.matches.plan import REPORT_FILE, MatchComparison
    from pipeline.reports import report

    if isinstance(comparison, MatchComparison):
        return comparison.out / REPORT_FILE
    return report.write_report(comparison.out)


def write_reports(
    comparisons: Sequence[AnyComparison], out: Path, title: str | None = None
) -> list[Path]:
    """Write a report of runs, and a page of games, on all comparisons; returns their paths."""
    from pipeline.matches.plan import GAMES_PAGE, REPORT_FILE, MatchComparison, write_matches
    from pipeline.reports import report

    matches = [found for found in comparisons if isinstance(found, MatchComparison)]
    folders = [found.out for found in comparisons if not isinstance(found, MatchComparison)]
    written = [report.write_report(folders, out, title)] if folders else []
    if matches:
        path = out / (GAMES_PAGE if folders else REPORT_FILE)
        games = ", ".join(dict.fromkeys(found.game.name for found in matches))
        kept = [(found, found.open_journal()) for found in matches]
        write_matches(kept, path, title or f"Matches of {games}")
        written.append(path)
    return written


def say_failed(comparison: AnyComparison, journal: AnyJournal) -> int:
    """Say which jobs ended in an error; returns the exit status that follows."""
    failed = comparison.failed(journal)
    for line in failed[:FAILED_SHOWN]:
        print(f"compare: {line}", file=sys.stderr)
    if len(failed) > FAILED_SHOWN:
        more = len(failed) - FAILED_SHOWN
        print(f"compare: {more:,} more runs ended in an error, see the report", file=sys.stderr)
    return 2 if failed else 0


def combinations(
    cls: type[DataclassInstance], arguments: argparse.Namespace
) -> list[dict[str, Any]]:
    """Fields of the dataclass `cls` for every combination of the lists given, each checked."""
    names = list(fields_of(cls))
    values = itertools.product(*(getattr(arguments, name) for name in names))
    return [dataclasses.asdict(cls(**dict(zip(names, value, strict=True)))) for value in values]
