"""Answers that searches find, as the domain reads them in a state."""

from __future__ import annotations

from numbers import Real
from typing import Any

from solver.contract.domain import Problem, Puzzle
from solver.errors import InputError


def objective_of(domain: Puzzle, problem: Problem, answer: Any) -> float:
    """Return the objective of an answer.

    Raises
    ------
    InputError
        If an author's `objective` returns no number.
    """
    objective: object = domain.objective(problem, answer)
    if not isinstance(objective, Real):
        kind = type(objective).__name__
        raise InputError(f"{domain.name}: objective returns a {kind}, expected a number")
    return float(objective)


def answer_in(domain: Puzzle, instance: Any, state: Any) -> Any:
    """Return the answer in `state`, the end of a playout of `instance`.

    Raises
    ------
    InputError
        If the domain returns None, which stands for the lack of a playout.
    """
    answer = domain.answer(instance, state)
    if answer is None:
        raise InputError(f"{domain.name}: answer returns None, expected the answer")
    return answer
