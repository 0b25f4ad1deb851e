"""Solutions of each problem as `solve` writes them, and what became of the search."""

from __future__ import annotations

import argparse
import threading
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from solver.commands.answers import ERROR, SearchSettings
from solver.commands.kept import command_of
from solver.commands.options import INTERRUPTED, version
from solver.commands.output import answers_to
from solver.commands.progress import progress_bar, say
from solver.commands.solutions.kept import SolutionJournal
from solver.commands.solutions.options import Wanted
from solver.compiling.compile_errors import compile_message
from solver.compiling.user_files import in_a_line
from solver.contract.problems import UnreadableProblem
from solver.errors import InputError, VerificationError
from solver.system.interrupt import INTERRUPTED_STATUS, stop_on_interrupt
from solver.system.letters import plural

if TYPE_CHECKING:
    from solver.contract.domain import Problem
    from solver.searching.complete import SolutionSearch


def run_solutions(
    settings: SearchSettings,
    problems: Sequence[Problem],
    wanted: Wanted,
    arguments: argparse.Namespace,
) -> int:
    """Search every problem in turn and write what was found; returns the exit status."""
    stop = threading.Event()
    command = {}
    if arguments.out is not None:
        form = "json" if arguments.json else "text"
        command = command_of(settings, problems, form) | {"wanted": asdict(wanted)}
    journal = SolutionJournal(arguments.out, command)
    with stop_on_interrupt(stop), answers_to(arguments.out, journal) as write_text:

        def write(text: str) -> None:
            write_text(text)
            journal.note(text)

        if journal.text:
            write_text(journal.text)
        journal.keep(now=not len(journal))
        results = journal.results
        done = len(results)
        for number, problem in enumerate(problems[done:], start=done):
            if stop.is_set():
                break
            name = problem.name if len(problems) > 1 else ""
            searched = _found(settings, problem, wanted, stop, journal, first=number == done)
            for content, result in searched:
                if arguments.json:
                    write(journal.as_kept(content if result is None else result))
                elif result is None:
                    write((f"# {name}\n" if name else "") + f"{content['answer']}\n")
                elif not (wanted.listed or result["error"]):
                    write(f"{problem.name}\t{_word(wanted, result)}\n")
                if result is not None:
                    say(f"{problem.name}: {_told(result)}", is_error=bool(result["error"]))
                    if result["status"] != INTERRUPTED_STATUS:
                        results.append(result)
                        journal.start = None
                        journal.keep()
                    else:
                        stop.set()
        status = _exit_status(results, len(problems))
        journal.unfinished = status == INTERRUPTED
    if status == INTERRUPTED and journal.path is not None:
        say("the same command goes on from there")
    return status


def _found(
    settings: SearchSettings,
    problem: Problem,
    wanted: Wanted,
    stop: threading.Event,
    journal: SolutionJournal,
    *,
    first: bool,
) -> Iterator[tuple[dict[str, Any], dict[str, Any] | None]]:
    """Yield (solution, None) for each solution that is listed, then ({}, result)."""
    from solver.commands.announce import compilation_of
    from solver.searching.complete import NO_LIMIT, SolutionSearch
    from solver.searching.driver import compile_search

    domain = settings.domain
    try:
        search = SolutionSearch(
            domain,
            problem,
            settings.options,
            limit=NO_LIMIT if wanted.limit is None else wanted.limit,
            budget=settings.budget,
            prior=settings.prior.table,
            seed=settings.seed,
            algorithm=settings.algorithm,
            stop=stop,
            start=journal.start,
            on_pause=lambda: journal.keep(search),
        )
        if isinstance(problem, UnreadableProblem):
            raise InputError(problem.message)
        if first:
            instance = domain.instance(problem, settings.options)
            with compilation_of(f"{domain.name}, {settings.algorithm.name}"):
                compile_search(domain, instance, settings.algorithm, settings.prior.table)
        with progress_bar(problem.name, settings.budget.playouts) as update:
            search.progress = lambda playouts, count: update(
                playouts, f"{plural(playouts, 'playout')}, {plural(int(count), 'solution')}"
            )
            for answer in search:
                if wanted.listed:
                    yield _solution(settings, search, answer), None
                journal.keep(search)
        if search.interrupted:
            journal.keep(search, now=True)
    except InputError as error:
        if first and not isinstance(problem, UnreadableProblem):
            raise
        yield {}, _result(settings, problem, wanted, None, str(error))
        return
    except (VerificationError, OSError):
        raise
    except Exception as error:
        if compile_message(error) is not None:
            raise
        yield {}, _result(settings, problem, wanted, None, in_a_line(error))
        return
    yield {}, _result(settings, problem, wanted, search, None)


def _solution(settings: SearchSettings, search: SolutionSearch, answer: Any) -> dict[str, Any]:
    """Return a solution for JSON, see docs/solutions.schema.json."""
    return {
        "name": search.problem.name,
        "domain": settings.domain.name,
        "solution": search.count,
        "playouts": search.playouts,
        "seconds": round(search.seconds, 6),
        "answer": settings.domain.format(search.problem, answer),
    }


def _result(
    settings: SearchSettings,
    problem: Problem,
    wanted: Wanted,
    search: SolutionSearch | None,
    error: str | None,
) -> dict[str, Any]:
    """Return what became of a problem for JSON, see docs/solutions.schema.json."""
    count = 0 if search is None else search.count
    exact = search is not None and search.exact
    unique = False if count > 1 else count == 1 if exact else None
    if search is None:
        status = ERROR
    elif exact:
        status = "exact"
    elif wanted.limit is not None and count >= wanted.limit:
        status = "limit"
    else:
        status = INTERRUPTED_STATUS if search.interrupted else "budget"
    readable = not isinstance(problem, UnreadableProblem)
    return {
        "name": problem.name,
        "domain": settings.domain.name,
        "status": status,
        "solutions": None if search is None else count,
        "exact": exact,
        "unique": unique if search is not None else None,
        "playouts": None if search is None else search.playouts,
        "restarts": None if search is None else search.restarts,
        "nogoods": None if search is None else search.nogoods,
        "seconds": None if search is None else round(search.seconds, 6),
        "algorithm": settings.algorithm.name,
        "parameters": asdict(settings.algorithm),
        "prior": None if settings.prior_name == "none" else settings.prior_name,
        "seed": settings.seed,
        "budget": settings.budget.limits(),
        "version": version(),
        "error": error,
        "problem": settings.domain.format_problem(problem) if readable else None,
    }


def _word(wanted: Wanted, result: dict[str, Any]) -> str:
    """Say what was asked for in a word or two."""
    if wanted.unique:
        none = result["exact"] and result["solutions"] == 0
        return (
            "none"
            if none
            else {True: "unique", False: "several", None: "unknown"}[result["unique"]]
        )
    return f"{result['solutions']}" if result["exact"] else f"at least {result['solutions']}"


def _told(result: dict[str, Any]) -> str:
    """Say in a line how it went."""
    if result["error"]:
        return f"error: {result['error']}"
    count = result["solutions"]
    many = f"{'exactly' if result['exact'] else 'at least'} {plural(count, 'solution')}"
    if result["exact"] and count == 0:
        many = "proved infeasible"
    reasons = {INTERRUPTED_STATUS: ", interrupted", "budget": ", the budget ended"}
    why = reasons.get(result["status"], "")
    return (
        f"{many}{why}: {plural(result['playouts'], 'playout')}, "
        f"{plural(result['restarts'], 'restart')}, "
        f"{result['seconds']:.2f} s"
    )


def _exit_status(results: Sequence[dict[str, Any]], problems: int) -> int:
    """Return the exit status, as that of `solve`: 1 if a budget ended before the answer was known.

    Several solutions are an answer to `--unique`: 0. With 3, some problem was proved to have none,
    and all others have their answers.
    """
    statuses = {result["status"] for result in results}
    if len(results) < problems or INTERRUPTED_STATUS in statuses:
        return INTERRUPTED
    if ERROR in statuses:
        return 2
    if "budget" in statuses:
        return 1
    return 3 if any(result["exact"] and not result["solutions"] for result in results) else 0
