"""Attempts of `solve --out` that outlive a kill, so that the same command goes on from them."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from solver.commands.answers import Attempt, SearchSettings
from solver.contract.problems import UnreadableProblem
from solver.system.datasets import sha256
from solver.system.files import behind_links, is_special, journal_lines
from solver.system.json_values import from_json, to_json

if TYPE_CHECKING:
    from solver.contract.domain import Problem
    from solver.searching.driver import Budget

#: Ending of the name of the file that keeps attempts.
JOURNAL = ".journal"

#: Searches for what is still missing, with the budget left, after the answers found.
Search = Callable[["Budget", Sequence[object]], Iterator[Attempt]]


def journal_path(out: Path | None) -> Path | None:
    """Return the path of the journal beside `out`, None where that is no regular file."""
    if out is None or is_special(out):
        return None
    path = behind_links(out)
    return path.with_name(path.name + JOURNAL)


class AttemptJournal:
    """Attempts of a command in a file beside `out`, appended as they are made.

    The first line says which command it is, each other one what became of an answer. The file is
    made with the first attempt.

    Parameters
    ----------
    out : Path or None
        File of the answers; nothing is kept unless it is a regular file.
    command : dict
        Settings that the answers depend on, of JSON types.
    problems : sequence of Problem
        All problems, in order.
    """

    def __init__(
        self, out: Path | None, command: Mapping[str, object], problems: Sequence[Problem]
    ) -> None:
        self.path = journal_path(out)
        self.unfinished = False
        """True if the command was interrupted, so that attempts are kept when it has ended."""
        self._head = json.dumps({"command": command}, sort_keys=True, default=str)
        self._problems = problems
        self._kept: dict[int, list[Attempt]] = {}
        self._begun = False
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return sum(map(len, self._kept.values()))

    def describe(self) -> str:
        """Say what there is to go on from."""
        return f"which has {len(self)} of the answers"

    def attempts(self, number: int) -> list[Attempt]:
        """Attempts at problem `number`, in order."""
        return list(self._kept.get(number, ()))

    def load(self) -> bool:
        """Read earlier attempts; return False if they are another command's, or damaged."""
        self._kept, self._begun = {}, False
        if self.path is None or not self.path.exists():
            return True
        if not self.path.is_file():
            return False
        kept: dict[int, list[Attempt]] = {}
        try:
            for line, content in journal_lines(self.path):
                if line > 1:
                    number, attempt = self._read(json.loads(content))
                    kept.setdefault(number, []).append(attempt)
                elif content.decode() != self._head:
                    return False
                self._begun = True
        except (ValueError, KeyError, TypeError, IndexError, RecursionError, OSError):
            self._begun = False
            return False
        self._kept = kept
        return True

    def add(self, number: int, attempt: Attempt) -> None:
        """Keep an attempt at problem `number`; one that was cut short is made again."""
        with self._lock:
            if self.path is None or attempt.solution is None or attempt.interrupted:
                return
            try:
                lines = [json.dumps(_line(number, attempt))]
            except TypeError:  # an answer of a class that nothing is known of
                self.path = None
                return
            lines = lines if self._begun else [self._head, *lines]
            try:
                with self.path.open("ab", buffering=0) as file:
                    file.write("".join(f"{line}\n" for line in lines).encode())
            except OSError:  # a full disk, which the answers themselves will tell of
                self.path = None
                return
            self._begun = True
            self._kept.setdefault(number, []).append(attempt)

    def close(self) -> None:
        """Remove the file where nothing is left to go on with."""
        if self.path is not None and not (self.unfinished and len(self)):
            with suppress(OSError):
                self.path.unlink(missing_ok=True)

    def _read(self, line: Mapping[str, Any]) -> tuple[int, Attempt]:
        from solver.searching.driver import SearchResult, nothing_found
        from solver.searching.solution import Solution

        number, problem = line["problem"], self._problems[line["problem"]]
        nothing = nothing_found()
        values = from_json(line["search"])
        search = SearchResult(moves=nothing.moves, trace=nothing.trace, **values)
        solution = Solution(
            problem, from_json(line["answer"]), search=search, **from_json(line["solution"])
        )
        return number, Attempt(problem, solution, from_json(line["facts"]))


def _line(number: int, attempt: Attempt) -> dict[str, Any]:
    """Return the record of an attempt with all facts that are printed later."""
    solution = attempt.solution
    assert solution is not None
    search = {
        field.name: getattr(solution.search, field.name)
        for field in dataclasses.fields(solution.search)
        if field.name not in ("moves", "trace", "front")
    }
    claims = {
        field.name: getattr(solution, field.name)
        for field in dataclasses.fields(solution)
        if field.name not in ("problem", "answer", "search", "front")
    }
    return {
        "problem": number,
        "answer": to_json(solution.answer),
        "facts": to_json(attempt.facts),
        "solution": to_json(claims),
        "search": to_json(search),
    }


def command_of(
    settings: SearchSettings, problems: Sequence[Problem], form: str
) -> dict[str, object]:
    """Return all that the answers to `problems`, written as `form`, depend on."""
    from solver.compiling.sources import class_digest
    from solver.contract.identity import domain_digest

    domain, prior = settings.domain, settings.prior
    digest = hashlib.sha256()
    for problem in problems:
        if isinstance(problem, UnreadableProblem):
            text = problem.message
        else:
            text = domain.format_problem(replace(problem, name="problem"))
        digest.update(json.dumps([problem.name, text]).encode())
    table = None if prior.path is None else sha256(prior.path)
    return {
        "problems": [domain.name, len(problems), digest.hexdigest()],
        "options": asdict(settings.options),
        "requests": asdict(settings.designer.requests),
        "algorithm": [settings.algorithm.name, asdict(settings.algorithm)],
        "prior": [settings.prior_name, prior.temperature, table],
        "budget": settings.budget.limits(),
        "seed": settings.seed,
        "form": form,
        # No answer depends on it, but records say it.
        "threads": None if form == "text" else settings.threads,
        "sources": [
            domain_digest(domain, "solver.searching.solution", __name__),
            class_digest(type(settings.algorithm)),
        ],
    }


def is_complete(kept: Sequence[Attempt], wanted: int) -> bool:
    """Return whether the `kept` attempts at a problem leave nothing to search."""
    return bool(kept) and (len(kept) >= wanted or not kept[-1].solved)


def going_on(
    journal: AttemptJournal, settings: SearchSettings, number: int, search: Search
) -> Iterator[Attempt]:
    """Yield the attempts at problem `number` that are kept, then those of `search`, kept as well.

    With playouts for a budget all are as if they had been made in one go.
    """
    from solver.searching.driver import nothing_found
    from solver.searching.solution import Solution, budget_left

    kept = journal.attempts(number)
    yield from kept
    if kept and is_complete(kept, settings.designer.n_answers(kept[0].problem)):
        return
    searches = [attempt.solution.search for attempt in kept if attempt.solution]
    answers = [attempt.solution.answer for attempt in kept if attempt.solution]
    left: Budget | None = settings.budget
    for one in searches:
        left = left and budget_left(left, one.playouts, one.seconds)
    if left is None:
        solution = Solution(kept[0].problem, None, False, nothing_found())
        found: Iterator[Attempt] = iter([Attempt(kept[0].problem, solution)])
    else:
        found = search(left, answers)
    for attempt in found:
        journal.add(number, attempt)
        yield attempt
