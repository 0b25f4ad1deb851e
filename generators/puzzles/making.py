"""Makers of puzzles: what those of all problems share."""

from __future__ import annotations

import threading
from typing import Any, ClassVar, Literal, NamedTuple, Protocol

import numpy as np

from solver.algorithms.complete import Complete
from solver.compiling.random import new_stream
from solver.contract.domain import Problem, Puzzle
from solver.contract.rules import legal_moves, reset, score
from solver.errors import InputError
from solver.kernels.status import EXHAUSTED, REACHED
from solver.priors.priors import NoPrior
from solver.searching.grades import GRADES, grade

#: Drafts of a puzzle until one has the grade that is asked for.
MAX_DRAFTS = 200
#: Dead ends of a proof: a draft that needs more is none.
MOST_DEAD_ENDS = 20_000

#: The grade asked for, or any.
Grade = Literal["any", "propagation", "look-ahead", "search"]


class Draft(NamedTuple):
    """A puzzle, perhaps of another grade than asked for."""

    problem: Problem
    answer: Any
    givens: int | None
    """Cells that are filled in already; None where that says nothing."""


class Made(NamedTuple):
    """A puzzle with one solution."""

    problem: Problem
    answer: Any
    givens: int | None
    grade: str
    """One of `solver.searching.grades.GRADES`."""


class Maker(Protocol):
    """A frozen dataclass that makes puzzles of one problem."""

    domain: ClassVar[str]

    @property
    def grade(self) -> Grade:
        """The grade asked for."""

    @property
    def family(self) -> str:
        """Name of these puzzles, in words."""

    def draft(self, domain: Puzzle, seed: int, number: int, attempt: int) -> Draft | None:
        """Draw a puzzle with one solution; None if that went wrong.

        It depends on nothing but its arguments.
        """


def make_puzzle(
    maker: Maker, domain: Puzzle, seed: int, number: int, stop: threading.Event | None = None
) -> Made:
    """Make puzzle `number` of `seed`, which depends on these and on the maker alone.

    Raises
    ------
    InputError
        If no draft has the grade that `maker` asks for.
    KeyboardInterrupt
        If `stop` is set before one has.
    """
    for attempt in range(MAX_DRAFTS):
        if stop is not None and stop.is_set():
            raise KeyboardInterrupt
        draft = maker.draft(domain, seed, number, attempt)
        if draft is None:
            continue
        found = grade(domain, draft.problem)
        if maker.grade in ("any", found):
            domain.verify(draft.problem, draft.answer)
            return Made(draft.problem, draft.answer, draft.givens, found)
    what = "" if maker.grade == "any" else f" of grade {maker.grade}"
    raise InputError(
        f"no puzzle{what} was found in {MAX_DRAFTS} drafts: {maker.family}, seed {seed}, "
        f"number {number + 1}; expected other sizes, holes or seeds"
    )


def has_one_solution(domain: Puzzle, problem: Problem) -> bool:
    """Return whether `problem` is proved to have one solution, by propagation or complete search.

    False also where the proof takes more than `MOST_DEAD_ENDS`.
    """
    instance = domain.instance(problem, domain.options())
    if _is_filled(domain, instance):
        return True
    # As `is_unique`, without looking at the solutions: a second one is another one.
    run = Complete().new_run(domain, instance, NoPrior())
    run.begin(new_stream(0, 0))
    found = run.advance(MOST_DEAD_ENDS, MOST_DEAD_ENDS) == REACHED
    return found and run.advance(MOST_DEAD_ENDS, MOST_DEAD_ENDS) == EXHAUSTED


def is_propagated(domain: Puzzle, problem: Problem) -> bool:
    """Return whether propagation alone solves `problem`."""
    return _is_filled(domain, domain.instance(problem, domain.options()))


def _is_filled(domain: Puzzle, instance: Any) -> bool:
    """Return whether nothing is left to choose, and nothing is contradicted."""
    state = domain.new_state(instance)
    reset(instance, state)
    moves = np.zeros(max(domain.limits(instance).moves, 1), np.int64)
    with np.errstate(over="ignore"):
        n = legal_moves(instance, state, new_stream(0), moves)
    return bool(n == 0 and score(instance, state) >= 0)


def is_at_most(domain: Puzzle, problem: Problem, most: Grade) -> bool:
    """Return whether `problem` has one solution, by reasoning no harder than `most`."""
    if most == "propagation":
        return is_propagated(domain, problem)
    if most == "look-ahead":
        return GRADES.index(grade(domain, problem)) <= GRADES.index(most)
    return has_one_solution(domain, problem)
