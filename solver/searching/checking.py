"""Checks of answers made elsewhere, from the rules of their problems alone."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from solver.contract.designer import Designer
from solver.contract.domain import Problem
from solver.contract.rules import mark, undo
from solver.errors import UncheckedError, UnsolvableError, VerificationError
from solver.searching.answers import objective_of
from solver.searching.complete import SolutionSearch
from solver.searching.driver import Budget

#: Scores that others state may be rounded.
SAME_STATED_SCORE = 1e-6
#: Dead ends and solutions of a search for the answer that there is said not to be.
MOST_DEAD_ENDS = 100_000


@dataclass(frozen=True)
class Finding:
    """Finding of a check: whether an answer is right, and why not."""

    problem: Problem
    answer: Any = None
    right: bool | None = None
    """None if the answer could not be checked in time."""
    why: str = ""
    """Rule that is broken and where, or the proof that there is no answer; "" otherwise."""
    score: float | None = None
    """Score of an answer to an optimisation problem that keeps its form."""
    facts: dict[str, Any] = field(default_factory=dict)
    """Facts of the domain and details of its designer."""


def check_answer(
    designer: Designer, problem: Problem, answer: Any, stated_score: float | None = None
) -> Finding:
    """Check `answer` from the rules, and the requests of `designer`.

    Parameters
    ----------
    designer : Designer
        Of the domain under its options.
    problem : Problem
    answer : object
        As `Puzzle.answer` returns it.
    stated_score : float, optional
        Score that the answer is said to have; another one is wrong.
    """
    domain = designer.domain
    try:
        domain.verify(problem, answer)
    except VerificationError as error:
        return Finding(problem, answer, False, str(error))
    except UncheckedError as error:
        return Finding(problem, answer, None, str(error))
    facts = domain.facts(problem, answer) | designer.details(problem, answer)
    if "design" in facts:  # which of several it is, one answer does not tell
        facts["design"] = None
    if domain.target is not None:
        return Finding(problem, answer, True, facts=facts)
    score = objective_of(domain, problem, answer)
    if not math.isfinite(score):
        return Finding(problem, answer, False, f"the score is {score}", facts=facts)
    why = "" if domain.feasible(problem, answer) else domain.why_not_feasible(problem, answer)
    if not why and stated_score is not None and not is_same(score, stated_score):
        why = f"the score is {score:.10g}, not {stated_score:.10g} as stated"
    return Finding(problem, answer, not why, why, score, facts)


def is_same(score: float, stated: float) -> bool:
    """Return whether a score is `stated`, which may be rounded to seven digits or six decimals."""
    is_close = math.isclose(score, stated, rel_tol=SAME_STATED_SCORE, abs_tol=1e-12)
    return is_close or (stated != 0 and stated == round(score, 6))


def check_infeasible(designer: Designer, problem: Problem, options: Any) -> Finding:
    """Check the statement that `problem` has no answer.

    It is proved by the domain, or by a complete search where `MOST_DEAD_ENDS` are enough.
    """
    domain = designer.domain
    why = domain.why_infeasible(problem, options, thorough=True)
    if not why and domain.target is not None and domain.has(mark, undo):
        try:
            search = SolutionSearch(domain, problem, options, 1, Budget(MOST_DEAD_ENDS))
            if (answer := next(search, None)) is not None:
                return Finding(problem, answer, False, "there is an answer")
            why = "by search" if search.exact else ""
        except UnsolvableError as error:  # seen while the instance is made
            why = str(error).removeprefix(f"{problem.name}: ")
    if why:
        return Finding(problem, None, True, f"proved infeasible, {why}")
    return Finding(problem, None, None, "no answer: that there is none is not proved here")
