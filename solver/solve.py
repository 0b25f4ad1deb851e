"""From a problem to an answer that was checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from solver.algorithms import Algorithm
from solver.domain import Domain, Problem
from solver.errors import VerificationError
from solver.kernels.replay import replay_moves
from solver.search import Budget, SearchResult, search


@dataclass(frozen=True)
class Solution:
    """The best answer found for a problem."""

    problem: Problem
    answer: Any
    """As the domain's `answer` returns it; None if there was no playout."""
    solved: bool
    """The target was reached and the domain's verifier, not the search, accepts the answer."""
    search: SearchResult


def solve(
    domain: Domain,
    problem: Problem,
    options: Any,
    algorithm: Algorithm,
    budget: Budget,
    **arguments: Any,
) -> Solution:
    """Search `problem` and verify what was found; `arguments` are those of `search`.

    Raises
    ------
    VerificationError
        If the search claims a solution that the verifier rejects: a bug.
    """
    instance = domain.instance(problem, options)
    result = search(domain, instance, algorithm, budget, **arguments)
    if not result.playouts:
        return Solution(problem, None, False, result)
    state = domain.new_state(instance)
    score = replay_moves(instance, state, result.moves)
    if score != result.score:
        raise VerificationError(f"{problem.name}: replayed score {score}, found {result.score}")
    answer = domain.answer(instance, state)
    if result.reached:
        domain.verify(problem, answer)
    return Solution(problem, answer, result.reached, result)
