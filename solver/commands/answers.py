"""Output of `solve`: answers as text, JSON or CSV, and the outcome of each search."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from solver.commands.fronts.points import FRONT, front_records, front_size, keeps_front
from solver.commands.options import INTERRUPTED, version
from solver.contract.problems import UnreadableProblem
from solver.system.interrupt import INTERRUPTED_STATUS
from solver.system.letters import plural

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from solver.algorithms import ListedAlgorithm
    from solver.contract.designer import Designer
    from solver.contract.domain import Problem, Puzzle
    from solver.priors.priors import Prior
    from solver.searching.driver import Budget
    from solver.searching.solution import Solution

#: Status of a problem that could not be searched, beside those of `Solution`.
ERROR = "error"


@dataclass(frozen=True)
class SearchSettings:
    """Settings shared by the searches of all problems of a command."""

    designer: Designer
    """Designer of the domain under `options`."""
    options: DataclassInstance
    algorithm: ListedAlgorithm
    prior: Prior
    prior_name: str
    """Prior as it was given, "none" for no prior."""
    budget: Budget
    seed: int
    threads: int
    details: bool = False
    """True if answers are reported with `Designer.details`, however long these take."""

    @property
    def domain(self) -> Puzzle:
        """Domain under `options`, without requests."""
        return self.designer.puzzle


@dataclass(frozen=True)
class Attempt:
    """Outcome of a problem, or of one of several answers asked for."""

    problem: Problem
    solution: Solution | None
    """None if there is an `error`."""
    facts: dict[str, object] = field(default_factory=dict)
    """Facts of the answer by name, from the domain."""
    error: str = ""

    @property
    def status(self) -> str:
        """`Solution.status`, or "error"."""
        return ERROR if self.solution is None else self.solution.status

    @property
    def solved(self) -> bool:
        """True if the answer was verified and meets the requests."""
        return self.solution is not None and self.solution.solved

    @property
    def interrupted(self) -> bool:
        """True if the search was told to stop."""
        return self.solution is not None and self.solution.search.interrupted


def describe(domain: Puzzle, attempt: Attempt) -> str:
    """Say in a few words how it went."""
    solution = attempt.solution
    if solution is None:
        return f"error: {attempt.error}"
    search = solution.search
    worth = domain.describe_scores([(attempt.problem, search.score)]) if search.playouts else ""
    best = f"best {worth}" if worth else "nothing found"
    missed = "not feasible" if solution.optimised else "not solved"
    how = {
        "solved": "solved and verified",
        "feasible": f"verified{_bounded(attempt.facts)}, {worth}{front_size(attempt.facts)}",
        "infeasible": f"proved infeasible{_how_proved(solution)}",
        INTERRUPTED_STATUS: f"interrupted, {best}",
        "budget": f"{missed}, {best}",
    }[solution.status]
    missing = attempt.facts.get("missing")
    lack = f" ({missing})" if missing and not attempt.solved else ""
    return f"{how}{lack}: {plural(search.playouts, 'playout')}, {search.seconds:.2f} s"


def _bounded(facts: Mapping[str, object]) -> str:
    """Say what is proved of a feasible answer: that it is the best, or how far from it at most."""
    if facts.get("optimal"):
        return " and proved optimal"
    gap = facts.get("bound_gap_percent")
    return "" if gap is None else f", within {gap:.3g} % of the best"


def _how_proved(solution: Solution) -> str:
    """Say why there is no answer, or how the search proved it, where that is known."""
    if solution.why:
        return f", {solution.why}"
    return f" {solution.search.proof}" if solution.search.proof else ""


def how_it_went(designer: Designer, attempts: Sequence[Attempt]) -> str:
    """Say in a few words how it went with all answers to a problem."""
    domain = designer.domain
    wanted = designer.n_answers(attempts[-1].problem)
    if wanted == 1 or attempts[-1].solution is None:
        return describe(domain, attempts[-1])
    searches = [attempt.solution.search for attempt in attempts if attempt.solution]
    playouts = sum(search.playouts for search in searches)
    seconds = sum(search.seconds for search in searches)
    last = "" if attempts[-1].solved else f"; {describe(domain, attempts[-1])}"
    found = summary(domain, attempts, wanted)
    return f"{found}: {plural(playouts, 'playout')}, {seconds:.2f} s{last}"


def summary(domain: Puzzle, attempts: Sequence[Attempt], problems: int) -> str:
    """Say how all of several problems went, with the sum of the scores where they matter."""
    solved = sum(attempt.solved for attempt in attempts)
    parts = [f"{solved} of {problems} solved and verified"]
    for status, text in (("infeasible", "proved infeasible"), (ERROR, "failed")):
        count = sum(attempt.status == status for attempt in attempts)
        parts += [f"{count} {text}"] if count else []
    if domain.target is None:
        scored = [
            (attempt.problem, attempt.solution.search.score)
            for attempt in attempts
            if attempt.solution and attempt.solution.verified
        ]
        parts.append(f"total {domain.describe_scores(scored)}")
    return ", ".join(parts)


def exit_status(attempts: Sequence[Attempt], problems: int) -> int:
    """Exit status of `solve`, see its help."""
    begun = len({id(attempt.problem) for attempt in attempts})
    if begun < problems or any(attempt.interrupted for attempt in attempts):
        return INTERRUPTED
    statuses = {attempt.status for attempt in attempts if not attempt.solved}
    if ERROR in statuses:
        return 2
    if statuses <= {"infeasible"}:
        return 3 if statuses else 0
    return 1


def record_of(settings: SearchSettings, attempt: Attempt) -> dict[str, object]:
    """Return everything there is to say, as `docs/solve.schema.json` describes it."""
    domain, solution, budget = settings.domain, attempt.solution, settings.budget
    search = solution.search if solution is not None else None
    answer, best_known, problem = None, None, None
    if not isinstance(attempt.problem, UnreadableProblem):
        problem = domain.format_problem(attempt.problem)
        best_known = domain.best_known(attempt.problem)
    if solution is not None and solution.answer is not None:
        answer = domain.format(attempt.problem, solution.answer)
    return {
        "name": attempt.problem.name,
        "domain": domain.name,
        "status": attempt.status,
        "solved": attempt.solved,
        "score": search.score if search is not None and search.playouts else None,
        "best_known": best_known,
        **{name: attempt.facts.get(name) for name in domain.fact_names},
        **({FRONT: attempt.facts.get(FRONT)} if keeps_front(settings.algorithm) else {}),
        "playouts": search.playouts if search is not None else None,
        "seconds": round(search.seconds, 6) if search is not None else None,
        "algorithm": settings.algorithm.name,
        "parameters": asdict(settings.algorithm),
        "prior": None if settings.prior_name == "none" else settings.prior_name,
        "prior_temperature": settings.prior.temperature if settings.prior.path else None,
        "seed": settings.seed,
        "threads": settings.threads,
        "budget": budget.limits(),
        "version": version(),
        "error": attempt.error or _proof(solution) or None,
        "problem": problem,
        "answer": answer,
    }


def _proof(solution: Solution | None) -> str:
    """Say what proves that there is no answer, "" where nothing does."""
    if solution is None or solution.status != "infeasible":
        return ""
    return solution.why or solution.search.proof


def as_text(settings: SearchSettings, attempts: Iterable[Attempt], several: bool) -> Iterator[str]:
    """Write each answer in the domain's own format, what has none left out."""
    for attempt in attempts:
        solution = attempt.solution
        if solution is None or solution.answer is None:
            continue
        if attempt.facts.get(FRONT):
            yield from front_records(settings.domain, attempt.problem, attempt.facts)
            continue
        facts = {
            "solved": solution.solved,
            "score": solution.search.score,
            **attempt.facts,
            "playouts": solution.search.playouts,
            "seconds": round(solution.search.seconds, 6),
            "algorithm": settings.algorithm.name,
            "prior": settings.prior_name,
            "seed": settings.seed,
        }
        yield settings.domain.record(attempt.problem, solution.answer, facts, several=several)


def as_json(settings: SearchSettings, attempts: Iterable[Attempt]) -> Iterator[str]:
    """Write a line of JSON for each problem."""
    for attempt in attempts:
        yield json.dumps(record_of(settings, attempt)) + "\n"


def as_table(
    settings: SearchSettings, attempts: Iterable[Attempt], delimiter: str
) -> Iterator[str]:
    """Write a header and a row for each problem."""
    return table_of((record_of(settings, attempt) for attempt in attempts), delimiter)


def table_of(records: Iterable[Mapping[str, object]], delimiter: str) -> Iterator[str]:
    """Write a header and a row for each of what `record_of` returns."""
    header = None
    for record in records:
        row = _columns(record)
        if header is None:
            header = list(row)
            yield _row(header, delimiter)
        yield _row(row.values(), delimiter)


def _columns(record: Mapping[str, object]) -> dict[str, object]:
    """A record as a row: parameters as JSON, bounds of a budget apart, lists as words."""
    row = {**record, "parameters": json.dumps(record["parameters"])}
    row |= {FRONT: json.dumps(record[FRONT])} if record.get(FRONT) else {}
    budget, answer = row.pop("budget"), row.pop("answer")
    if isinstance(budget, Mapping):
        row |= {f"budget_{name}": bound for name, bound in budget.items()}
    return {key: in_words(value) for key, value in row.items()} | {"answer": answer}


def in_words(value: object) -> object:
    """Return a list as words with blanks between them, anything else as it is."""
    return " ".join(map(str, value)) if isinstance(value, list) else value


def _row(fields: Iterable[object], delimiter: str) -> str:
    row = io.StringIO()
    writer = csv.writer(row, delimiter=delimiter, lineterminator="\n")
    writer.writerow("" if field is None else field for field in fields)
    return row.getvalue()
