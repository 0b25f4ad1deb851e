"""Search of a problem for an answer that is then verified."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from solver.algorithms import Algorithm
from solver.algorithms.run import require_target, searched_form, suited
from solver.algorithms.sampling import Sampling
from solver.compiling.random import new_stream
from solver.contract.designer import SEARCH_SHARE, Designer, designer_of
from solver.contract.domain import Problem, Puzzle
from solver.contract.limits import within_limits
from solver.contract.problems import refuse_unreadable
from solver.errors import InputError, UncheckedError, VerificationError
from solver.kernels.replay import replay_moves
from solver.searching.answers import answer_in, objective_of
from solver.searching.arguments import (
    own_options,
    refuse_other_algorithms,
    refuse_other_budgets,
    refuse_other_problems,
)
from solver.searching.driver import Budget, Progress, SearchResult, nothing_found, search
from solver.searching.fronts import FrontPoint, verified_front
from solver.searching.proving import ProofSearch
from solver.system.interrupt import INTERRUPTED_STATUS

#: Key of the random stream of `refine`: no run of a search has that number.
_REFINEMENT = 2**31
#: The search may add up a score in another order than the verifier does.
SAME_SCORE = 1e-9


@dataclass(frozen=True)
class Solution:
    """The best answer found for a problem."""

    problem: Problem
    """The problem that was searched."""
    answer: Any
    """Answer as the domain's `answer` returns it; None if there was no playout."""
    solved: bool
    """The target was reached, or an optimisation problem has a feasible answer; verified."""
    search: SearchResult
    """Score, playouts, seconds and end of the search, with those of a refinement."""
    verified: bool = False
    """The domain's verifier, not the search, accepts the answer and its score."""
    optimised: bool = False
    """True if there is no target: every answer was verified with its score."""
    why: str = ""
    """Reason why no answer is feasible, if `Puzzle.why_infeasible` or `Puzzle.prover` proves it."""
    bound: float | None = None
    """Score that no answer exceeds, where `Puzzle.prover` proves one."""
    front: tuple[FrontPoint, ...] = ()
    """Verified answers that none dominates, of searches for fronts."""

    @property
    def status(self) -> str:
        """Say how it ended: solved, feasible, infeasible, interrupted or budget.

        "solved" and "feasible" are verified, with a target and without one; "infeasible" is
        proved; else the search was "interrupted" or its "budget" ended.
        """
        if self.solved:
            return "feasible" if self.optimised else "solved"
        if self.why or (self.search.exhausted and not self.optimised):
            return "infeasible"
        return INTERRUPTED_STATUS if self.search.interrupted else "budget"


def solve_several(
    domain: Puzzle,
    problem: Problem,
    options: Any,
    algorithm: Algorithm,
    budget: Budget,
    found: Sequence[Any] = (),
    *,
    requests: Any = None,
    prior: Any = None,
    seed: int = 0,
    threads: int = 1,
    progress: Progress | None = None,
    stop: threading.Event | None = None,
    proves: bool = False,
) -> Iterator[Solution]:
    """Yield as many different answers to `problem` as `requests` ask for.

    All answers share `budget`. If answers are improved, each may spend an equal part of what the
    earlier answers have left. The first answer that is not solved is the last. A problem that
    `Puzzle.why_infeasible` tells to be infeasible is not searched.

    Parameters
    ----------
    found : sequence
        Answers of an earlier search that is continued; `budget` is what they have left.
    requests : object, optional
        See `solve`, as for the other parameters and the errors.
    """
    refuse_other_problems(domain, problem)
    refuse_other_algorithms(algorithm)
    refuse_other_budgets(budget)
    options = own_options(domain, options)
    designer = designer_of(domain, requests)
    refuse_unreadable(problem)
    if why := domain.with_options(options).why_infeasible(problem, options):
        yield Solution(problem, None, False, nothing_found(), optimised=True, why=why)
        return
    answers = list(found)
    left: Budget | None = budget
    wanted = designer.n_answers(problem)
    for number in range(len(answers), wanted):
        if left is None:
            yield Solution(problem, None, False, nothing_found())
            return
        solution = solve(
            domain,
            problem,
            options,
            algorithm,
            _part_of(left, 1 / (wanted - number)) if designer.improves else left,
            requests=requests,
            excluded=answers,
            prior=prior,
            seed=seed,
            key=(number,) if number else (),
            threads=threads,
            progress=progress,
            stop=stop,
            proves=proves,
        )
        yield solution
        if not solution.solved:
            return
        answers.append(solution.answer)
        left = budget_left(left, solution.search.playouts, solution.search.seconds)


def _part_of(budget: Budget, share: float) -> Budget:
    """Return a share of a budget, a playout at least."""
    playouts = None if budget.playouts is None else max(int(budget.playouts * share), 1)
    return Budget(playouts, None if budget.seconds is None else budget.seconds * share)


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
    *,
    requests: Any = None,
    excluded: Sequence[Any] = (),
    prior: Any = None,
    seed: int = 0,
    key: tuple[int, ...] = (),
    threads: int = 1,
    progress: Progress | None = None,
    stop: threading.Event | None = None,
    proves: bool = False,
) -> Solution:
    """Search `problem` and verify the answer.

    Parameters
    ----------
    domain : Puzzle
        Rules and verifier of the problem.
    problem : Problem
        As `domain.parse` returns it.
    options : object
        An instance of `domain.options`; `domain.options()` are the defaults.
    algorithm : Algorithm
        Parameters of it that are None are set as suits `domain`.
    budget : Budget
        Playouts, seconds or both, shared by the search, proofs and the refinement.
    requests : object, optional
        Requests beyond a solution, for domains whose designer takes some, as `RnaRequests`.
    excluded : sequence, optional
        Answers from which the new one must differ.
    prior, seed, key, threads, progress, stop
        See `solver.search`.
    proves : bool
        Look for proofs with `Puzzle.prover`, on a share of the time, and end with one.

    Returns
    -------
    Solution
        The best answer, also if it is not solved; `Solution.status` says how the search ended.

    Raises
    ------
    InputError
        If the problem cannot be read, has no instance or does not fit `algorithm`; for the reasons
        of `solver.search`; or if a score is no finite number.
    TypeError
        If `requests` are not of the class of the domain's designer.
    VerificationError
        If the search claims a solution, or for an optimisation problem a score, that
        the verifier rejects: a bug.
    """
    refuse_other_problems(domain, problem)
    refuse_other_algorithms(algorithm)
    refuse_other_budgets(budget)
    options = own_options(domain, options)
    designer = designer_of(domain.with_options(options), requests).excluding(excluded)
    form, instance, algorithm = prepared(designer, problem, options, algorithm)
    improves_any = designer.improves_any(problem, options)
    proofs = ProofSearch(form, problem, budget, progress, stop) if proves else None
    with within_limits(form, instance, problem.name):
        result = search(
            form,
            instance,
            algorithm,
            _part_of(budget, SEARCH_SHARE) if improves_any else budget,
            prior=prior,
            seed=seed,
            key=key,
            threads=threads,
            progress=progress if proofs is None else proofs.progress,
            stop=stop if proofs is None else proofs.stop,
        )
        _refuse_early(form, algorithm, result)
        _refuse_score(form, problem, algorithm, result)
        if proofs is not None:
            result = proofs.concluded(result)
        solution = _answered(form, problem, instance, result)
        front = verified_front(form, problem, instance, result.front)
        solution = _on_front(form, solution, front)
    if solution.solved or (improves_any and result.playouts and not result.interrupted):
        random = _refinement_random(seed, key)
        solution = _refined(designer, solution, options, budget, random, progress, stop)
    found = replace(_verified(form, solution), front=front)
    if proofs is not None and proofs.proof.infeasible:
        return replace(found, why=proofs.proof.infeasible)
    if proofs is not None and found.solved:
        found = replace(found, bound=proofs.proof.bound)
    if found.optimised and not (found.solved or result.interrupted):
        why = designer.domain.why_infeasible(problem, options, thorough=True)
        found = replace(found, why=why or "")
    return found


def prepared(
    designer: Designer, problem: Problem, options: Any, algorithm: Algorithm
) -> tuple[Puzzle, Any, Algorithm]:
    """Return the domain, the instance and the algorithm of the search that comes first.

    Raises
    ------
    InputError
        If the problem cannot be read, or has no instance, or the algorithm does not fit it.
    """
    refuse_unreadable(problem)
    domain = designer.domain
    start = designer.refinement_start(problem, options, algorithm.name)
    if start is not None:
        return domain, start, Sampling()
    require_target(getattr(suited(algorithm, domain), "dead_ends", 0), domain)
    domain = searched_form(domain, algorithm)
    return domain, domain.instance(problem, options), algorithm


def _refuse_score(
    domain: Puzzle, problem: Problem, algorithm: Algorithm, result: SearchResult
) -> None:
    """Raise an `InputError` if an author's scores are no finite numbers, or are not noted."""
    if not result.playouts or math.isfinite(result.score):
        return
    where = f"{domain.name}, {problem.name}"
    if result.score > 0:
        raise InputError(f"{where}: a playout scores inf, expected finite numbers")
    found = f"{algorithm.name} noted no score above -inf in {result.playouts} playouts"
    raise InputError(f"{where}: {found}, expected finite numbers")


def _refuse_early(domain: Puzzle, algorithm: Algorithm, result: SearchResult) -> None:
    """Raise an `InputError` if an author's `algorithm` claims a target that is not reached."""
    target = math.inf if domain.target is None else domain.target
    if result.reached and result.score < target:
        expected = "the problem has no target" if domain.target is None else f"not at {target:g}"
        at = f"advance returns REACHED at score {result.score:.10g}, {expected}"
        raise InputError(f"{algorithm.name}: {at}")


def _answered(domain: Puzzle, problem: Problem, instance: Any, result: SearchResult) -> Solution:
    """Return the answer that a search of `instance` found, with nothing claimed yet."""
    if not result.playouts:
        return Solution(problem, None, False, result)
    state = domain.new_state(instance)
    score = replay_moves(instance, state, result.moves)
    if score != result.score:
        raise VerificationError(f"{problem.name}: replayed score {score}, found {result.score}")
    return Solution(problem, answer_in(domain, instance, state), result.reached, result)


def _on_front(domain: Puzzle, solution: Solution, front: Sequence[FrontPoint]) -> Solution:
    """Return a solution with the answer of its front that is as good, and not dominated."""
    score = solution.search.score
    for point in front:
        objective = objective_of(domain, solution.problem, point.answer)
        if math.isclose(objective, score, rel_tol=SAME_SCORE, abs_tol=SAME_SCORE):
            return replace(solution, answer=point.answer)
    return solution


def _refinement_random(seed: int, key: tuple[int, ...]) -> Random:
    """Return the random numbers of the refinement after the search with `seed` and `key`."""
    stream = new_stream(seed, *key, _REFINEMENT)
    return Random(int.from_bytes(stream.tobytes(), "little"))


def _refined(
    designer: Designer,
    solution: Solution,
    options: Any,
    budget: Budget,
    random: Random,
    progress: Progress | None,
    stop: threading.Event | None,
) -> Solution:
    """Improve an answer with what is left of `budget`.

    The playouts and seconds of the refinement are added to those of the search.
    """
    target, search = designer.domain.target, solution.search
    assert target is not None
    begin = time.perf_counter()
    answer, score, playouts, interrupted = solution.answer, search.score, 0, False
    improved = designer.refine(solution.problem, options, answer, random)
    for made, (better, worth) in enumerate(improved):
        if made == 0:  # kernels may have been compiled until here
            begin = time.perf_counter()
        # The search may have found more than the target, which is all that `refine` knows of.
        score = max(search.score, target) if worth >= target else worth
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
    objective = objective_of(domain, problem, answer)
    if not math.isclose(objective, score, rel_tol=SAME_SCORE, abs_tol=SAME_SCORE):
        raise VerificationError(f"{problem.name}: the objective is {objective}, not {score}")
