"""From a problem to an answer that was checked."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from solver.algorithms import Algorithm
from solver.algorithms.run import searched_form
from solver.algorithms.sampling import Sampling
from solver.compiling.random import new_stream
from solver.contract.domain import Problem, Puzzle
from solver.contract.limits import within_limits
from solver.contract.problems import refuse_unreadable
from solver.errors import UncheckedError, VerificationError
from solver.kernels.replay import replay_moves
from solver.searching.driver import Budget, SearchResult, nothing_found, search

#: Key of the stream that answers are improved with: no run of a search has that number.
_REFINEMENT = 2**31
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


def solve_several(
    domain: Puzzle,
    problem: Problem,
    options: Any,
    algorithm: Algorithm,
    budget: Budget,
    found: Sequence[Any] = (),
    **arguments: Any,
) -> Iterator[Solution]:
    """Yield as many different answers to `problem` as `domain` has been asked for.

    They share `budget`. Where answers are to be improved, each may spend an equal part of what the
    ones before have left. The first that is not solved is the last. Of a search that is gone on
    with, `found` are the answers that there are, and `budget` is what they have left.
    """
    domain = domain.with_options(options)
    wanted = domain.answers_wanted
    answers = list(found)
    left: Budget | None = budget
    for number in range(len(answers), wanted):
        if left is None:
            yield Solution(problem, None, False, nothing_found())
            return
        share = _part(left, wanted - number) if domain.improves else left
        key = (number,) if number else ()
        solution = solve(
            domain.besides(answers), problem, options, algorithm, share, key=key, **arguments
        )
        yield solution
        if not solution.solved:
            return
        answers.append(solution.answer)
        left = budget_left(left, solution.search.playouts, solution.search.seconds)


def _part(budget: Budget, parts: int) -> Budget:
    """One of so many equal parts of a budget, a playout at least."""
    playouts = None if budget.playouts is None else max(budget.playouts // parts, 1)
    return Budget(playouts, None if budget.seconds is None else budget.seconds / parts)


def budget_left(budget: Budget, playouts: int, seconds: float) -> Budget | None:
    """Return what is left of `budget` after so many playouts and seconds, None if nothing is."""
    if budget.playouts is not None and playouts >= budget.playouts:
        return None
    if budget.seconds is not None and seconds >= budget.seconds:
        return None
    return Budget(
        None if budget.playouts is None else budget.playouts - playouts,
        None if budget.seconds is None else budget.seconds - seconds,
    )


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
    domain, instance, algorithm = prepared(domain, problem, options, algorithm)
    with within_limits(domain, instance, problem.name):
        result = search(domain, instance, algorithm, budget, **arguments)
        solution = _answered(domain, problem, instance, result)
    if solution.solved:
        solution = _refined(domain, solution, options, budget, arguments)
    return _verified(domain, solution)


def prepared(
    domain: Puzzle, problem: Problem, options: Any, algorithm: Algorithm
) -> tuple[Puzzle, Any, Algorithm]:
    """Return the instance that is searched first, after the form of `domain` that made it.

    The algorithm is what searches it.

    Raises
    ------
    InputError
        If the problem cannot be read, or has no instance.
    """
    refuse_unreadable(problem)
    begun = domain.begun(problem, options, algorithm.name)
    if begun is not None:
        return domain, begun, Sampling()
    domain = searched_form(domain, algorithm)
    return domain, domain.instance(problem, options), algorithm


def _answered(domain: Puzzle, problem: Problem, instance: Any, result: SearchResult) -> Solution:
    """Return the answer that a search of `instance` found, with nothing claimed yet."""
    if not result.playouts:
        return Solution(problem, None, False, result)
    state = domain.new_state(instance)
    score = replay_moves(instance, state, result.moves)
    if score != result.score:
        raise VerificationError(f"{problem.name}: replayed score {score}, found {result.score}")
    return Solution(problem, domain.answer(instance, state), result.reached, result)


def _refined(
    domain: Puzzle, solution: Solution, options: Any, budget: Budget, arguments: dict[str, Any]
) -> Solution:
    """Improve an answer that reached the target with what is left of `budget`.

    The playouts and seconds that it takes are added to those of the search.
    """
    target = domain.target
    assert target is not None
    search, stop, progress = solution.search, arguments.get("stop"), arguments.get("progress")
    seed = new_stream(arguments.get("seed", 0), *arguments.get("key", ()), _REFINEMENT)
    random = Random(int.from_bytes(seed.tobytes(), "little"))
    begin = time.perf_counter()
    answer, score, playouts, interrupted = solution.answer, search.score, 0, False
    improved = domain.refine(solution.problem, options, answer, random)
    for made, (better, worth) in enumerate(improved):
        # The search may have found more than the target, which is all that `refine` knows of.
        score = search.score if worth >= target else worth
        answer, playouts = better, made
        if progress is not None:
            progress(search.playouts + made, score)
        interrupted = made > 0 and stop is not None and stop.is_set()
        spent = search.seconds + time.perf_counter() - begin
        if interrupted or budget_left(budget, playouts + search.playouts, spent) is None:
            break
    taken = time.perf_counter() - begin if playouts else 0.0
    result = replace(
        search,
        score=score,
        playouts=search.playouts + playouts,
        seconds=search.seconds + taken,
        interrupted=interrupted,
    )
    return replace(solution, answer=answer, solved=score >= target, search=result)


def _verified(domain: Puzzle, solution: Solution) -> Solution:
    """Verify what is claimed of an answer."""
    problem, answer = solution.problem, solution.answer
    if answer is None:
        return solution
    if domain.target is None:
        _verify_score(domain, problem, answer, solution.search.score)
        feasible = domain.feasible(problem, answer)
        return replace(solution, solved=feasible, verified=True, optimised=True)
    if solution.solved:
        try:
            domain.verify(problem, answer)
        except UncheckedError:
            return replace(solution, solved=False)
    return replace(solution, verified=solution.solved)


def _verify_score(domain: Puzzle, problem: Problem, answer: Any, score: float) -> None:
    domain.verify(problem, answer)
    objective = domain.objective(problem, answer)
    if not math.isclose(objective, score, rel_tol=SAME_SCORE, abs_tol=SAME_SCORE):
        raise VerificationError(f"{problem.name}: the answer is worth {objective}, not {score}")
