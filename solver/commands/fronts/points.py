"""Fronts among the facts of an answer: their points, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from solver.algorithms import ListedAlgorithm
    from solver.commands.answers import SearchSettings
    from solver.contract.domain import Problem, Puzzle
    from solver.searching.solution import Solution

#: Key among the facts and in JSON.
FRONT = "front"


def keeps_front(algorithm: ListedAlgorithm) -> bool:
    """Return whether an algorithm searches for fronts."""
    return bool(getattr(algorithm, "keeps_front", False))


def front_facts(
    settings: SearchSettings, problem: Problem, solution: Solution
) -> dict[str, object]:
    """Return the front of a solution as a fact of JSON types, nothing without one."""
    points = [
        {
            "objectives": point.objectives,
            "feasible": point.feasible,
            "answer": settings.domain.format(problem, point.answer),
        }
        for point in solution.front
    ]
    return {FRONT: points} if points else {}


def front_size(facts: Mapping[str, Any]) -> str:
    """Say how many answers a front has."""
    points = facts.get(FRONT) or ()
    return f", a front of {len(points)}" if points else ""


def front_records(domain: Puzzle, problem: Problem, facts: Mapping[str, Any]) -> Iterator[str]:
    """Write the answers of a front, each below a line with its objectives, for `check` to read."""
    for point in facts[FRONT]:
        values = ", ".join(f"{name} {value:.10g}" for name, value in point["objectives"].items())
        late = "" if point["feasible"] else ", not feasible"
        yield f"{domain.answer_mark}{problem.name} {values}{late}\n{point['answer']}"
