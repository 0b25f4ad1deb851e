"""Grades of puzzles: the reasoning that their solution needs."""

from __future__ import annotations

import numpy as np

from solver.compiling.random import new_stream
from solver.contract.branching import EXCLUSION
from solver.contract.domain import Problem, Puzzle
from solver.contract.rules import legal_moves, reset, score
from solver.errors import InputError
from solver.kernels.complete.look_ahead import look_ahead

#: Propagation alone; besides, trying each value for its consequences; else guesses within guesses.
GRADES = ("propagation", "look-ahead", "search")


def grade(domain: Puzzle, problem: Problem) -> str:
    """Return one of `GRADES`: the least reasoning that leaves one value for everything.

    `propagation` and `look-ahead` prove that there is one solution, `search` says nothing of it.

    Raises
    ------
    InputError
        If moves of the domain cannot be excluded, or if there is no solution.
    """
    if not domain.has(*EXCLUSION) or domain.target != 0:
        raise InputError(f"{domain.name} has no grades")
    instance = domain.instance(problem, domain.options())
    state = domain.new_state(instance)
    limits = domain.limits(instance)
    moves = np.zeros(max(limits.moves, 1), np.int64)
    stream = new_stream(0)
    with np.errstate(over="ignore"):
        reset(instance, state)
        for name, reason in (("propagation", False), ("look-ahead", True)):
            if reason:
                look_ahead(instance, state, stream, moves, limits.codes)
            if legal_moves(instance, state, stream, moves) == 0:
                if score(instance, state) < 0:
                    raise InputError(f"{problem.name}: no solution")
                return name
    return "search"
