"""From a problem to an answer that was checked."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from solver.algorithms import Algorithm
from solver.compiling.jit import CHECKED
from solver.domain import Problem, Puzzle
from solver.driver import Budget, SearchResult, search
from solver.errors import VerificationError
from solver.kernels.replay import replay_moves

#: The search may add up a score in another order than the verifier does.
SAME_SCORE = 1e-9


@dataclass(frozen=True)
class Solution:
    """The best answer found for a problem."""

    problem: Problem
    answer: Any
    """As the domain's `answer` returns it; None if there was no playout."""
    solved: bool
    """The target was reached, or an optimisation problem has a feasible answer; verified."""
    search: SearchResult
    verified: bool = False
    """The domain's verifier, not the search, accepts the answer and its score."""
    optimised: bool = False
    """There is no target, every answer was verified with its score."""

    @property
    def status(self) -> str:
        """Say how it ended: solved, feasible, infeasible, interrupted or budget.

        "solved" and "feasible" are verified, with a target and without one; "infeasible" is
        proved; else the search was "interrupted" or its "budget" ended.
        """
        if self.solved:
            return "feasible" if self.optimised else "solved"
        if self.search.exhausted and not self.optimised:
            return "infeasible"
        return "interrupted" if self.search.interrupted else "budget"


def solve(
    domain: Puzzle,
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
        If the search claims a solution, or for an optimisation problem a score, that
        the verifier rejects: a bug.
    """
    domain = domain.with_options(options)
    instance = domain.instance(problem, options)
    if CHECKED:
        return _solve_checked(domain, problem, instance, algorithm, budget, arguments)
    result = search(domain, instance, algorithm, budget, **arguments)
    return _verified(domain, problem, instance, result)


def _solve_checked(
    domain: Puzzle,
    problem: Problem,
    instance: Any,
    algorithm: Algorithm,
    budget: Budget,
    arguments: dict[str, Any],
) -> Solution:
    """Hold the rules against what `Limits` says, then search with the bounds of arrays checked."""
    from solver.testing import ContractError, check_limits

    try:
        check_limits(domain, instance, problem.name)
        result = search(domain, instance, algorithm, budget, **arguments)
        return _verified(domain, problem, instance, result)
    except IndexError as error:
        raise ContractError(
            f"{problem.name}: the rules of {domain.name} reach beyond an array ({error}); "
            "NUMBA_DISABLE_JIT=1 runs them as plain Python, for a debugger"
        ) from error


def _verified(domain: Puzzle, problem: Problem, instance: Any, result: SearchResult) -> Solution:
    """Verify what a search of `instance` found."""
    if not result.playouts:
        return Solution(problem, None, False, result)
    state = domain.new_state(instance)
    score = replay_moves(instance, state, result.moves)
    if score != result.score:
        raise VerificationError(f"{problem.name}: replayed score {score}, found {result.score}")
    answer = domain.answer(instance, state)
    if domain.target is None:
        _verify_score(domain, problem, answer, score)
        return Solution(problem, answer, domain.feasible(problem, answer), result, True, True)
    if result.reached:
        domain.verify(problem, answer)
    return Solution(problem, answer, result.reached, result, result.reached)


def _verify_score(domain: Puzzle, problem: Problem, answer: Any, score: float) -> None:
    domain.verify(problem, answer)
    objective = domain.objective(problem, answer)
    if not math.isclose(objective, score, rel_tol=SAME_SCORE, abs_tol=SAME_SCORE):
        raise VerificationError(f"{problem.name}: the answer is worth {objective}, not {score}")
