"""Check of the contract of a domain, for its author and for the tests of those that ship.

Everything is played as plain Python, so that a debugger can look, but for the searches. A promise
that is broken raises a `ContractError`, one line that says which one, of what problem.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from solver.algorithms import Algorithm, Gnrpa, ParetoNrpa, Sampling
from solver.compiling.random import new_stream
from solver.contract import rules as contract
from solver.contract.checks import (
    ContractError,
    check_copies,
    check_drawn,
    check_playouts_within_limits,
    check_priors,
    check_registered,
    check_reset,
    check_undo,
    contents,
    listed,
    require,
)
from solver.contract.domain import Domain, Problem, Puzzle
from solver.contract.fronts.objectives import objectives_of, write_objectives
from solver.contract.rules import Moves
from solver.errors import InputError, VerificationError
from solver.kernels.replay import replay_moves
from solver.searching.driver import Budget, SearchResult, search
from solver.searching.solution import Solution, solve
from solver.testing.generators import check_generator

#: Algorithm of `check_answers`.
EFFORT = Gnrpa(level=2, iterations=30)
EFFORT_PLAYOUTS = 9000
#: Algorithms that `check_searches` repeats.
SHORT: tuple[Algorithm, ...] = (Sampling(), Gnrpa(level=2, iterations=6))
SHORT_PLAYOUTS = 60

Broken = Callable[[Problem, Any], Iterable[tuple[str, Any]]]
"""Yields wrong answers made of a right one, each with its error."""


def check_domain(
    domain: Puzzle,
    problems: Sequence[Problem],
    options: Any = None,
    broken: Broken | None = None,
) -> None:
    """Check everything that can be checked of `domain` on a few small problems.

    Parameters
    ----------
    domain : Puzzle
        Rules and verifier to check.
    problems : sequence of Problem
        As `domain.parse` returns them. Answers are checked of those that a short search solves,
        which must be one at least.
    options : object, optional
        Options of the domain; its defaults by default.
    broken : callable, optional
        Takes a problem and a right answer, and yields pairs of an error in words and a wrong answer
        with that error, all of which `domain.verify` must reject.

    Raises
    ------
    ContractError
        If a property does not hold: its name, and the problem. It is an `InputError`.
    """
    require(bool(problems), domain.name, "no problem to check it on")
    check_priors(domain)
    options = domain.options() if options is None else options
    check_generator(domain, options)
    unsolved = True
    for problem in problems:
        try:
            instance = domain.instance(problem, options)
            check_registered(domain, instance)
            check_playouts_within_limits(domain, instance, problem.name)
            check_copies(domain, instance, problem.name)
            check_drawn(domain, instance, problem.name)
            check_undo(domain, instance, problem.name)
            check_reset(domain, instance, problem.name)
            check_searches(domain, instance, problem.name)
            check_problem_text(domain, problem)
            check_objectives(domain, problem, options)
            solution = solve(domain, problem, options, EFFORT, Budget(playouts=EFFORT_PLAYOUTS))
            if solution.solved:
                check_answer(domain, solution, options, broken)
            unsolved &= not solution.solved
        except ContractError:
            raise
        except (NotImplementedError, InputError) as error:
            raise ContractError(str(error)) from error
        except VerificationError as error:
            raise ContractError(
                f"{problem.name}: verify rejects what was found: {error}"
            ) from error
        except IndexError as error:
            raise ContractError(f"{problem.name}: {error}: beyond the end of an array") from error
    easier = f"{EFFORT_PLAYOUTS:,} playouts solve none of the problems, so no answer was checked"
    require(not unsolved, domain.name, f"{easier}: give an easier one")


def check_searches(domain: Puzzle, instance: Any, name: str) -> None:
    """Check that a seed fixes the result, moves replay, and instances do not change."""
    before = contents(instance)
    for algorithm in SHORT:
        first, second = (
            search(domain, instance, algorithm, Budget(playouts=SHORT_PLAYOUTS), seed=5)
            for _ in range(2)
        )
        where = f"{name}, {algorithm.name}"
        require(same_search(first, second), where, "the result differs with the same seed")
        state, steps = domain.new_state(instance), domain.limits(instance).steps
        score = replay_moves(instance, state, first.moves)
        over = len(first.moves) < steps or not listed(domain, instance, state, new_stream(5), where)
        require(over, where, f"a playout is longer than Limits.steps, which is {steps}")
        again = f"its moves score {score}, the search says {first.score}"
        require(score == first.score, where, again)
    require(contents(instance) == before, name, "a search changed the instance")


def same_search(first: SearchResult, second: SearchResult) -> bool:
    """Return whether two searches had the same results in the same playouts."""
    return (
        (first.score, first.reached, first.playouts, first.moves.tolist())
        == (second.score, second.reached, second.playouts, second.moves.tolist())
        and first.trace.playouts.tolist() == second.trace.playouts.tolist()
        and first.trace.score.tolist() == second.trace.score.tolist()
    )  # fmt: skip


def check_problem_text(domain: Domain, problem: Problem) -> None:
    """A formatted problem is read back as the same problem."""
    text = domain.format_problem(problem)
    found = domain.parse(text, problem.name)
    require(len(found) == 1, problem.name, f"format_problem writes {len(found)} problems")
    same = contents((found[0].data,)) == contents((problem.data,))
    require(same, problem.name, "parse reads another problem than format_problem wrote")
    require(found[0].name == problem.name, problem.name, f"read back as {found[0].name!r}")


def check_objectives(domain: Puzzle, problem: Problem, options: Any) -> None:
    """Objectives are two facts or more, written for the search as the rules alone tell them."""
    named = bool(getattr(domain, "objectives", ()))
    given = domain.has(write_objectives)
    require(
        named or not given, domain.name, "write_objectives is registered, objectives names none"
    )
    require(
        given or not named,
        domain.name,
        "objectives has names, and no write_objectives",
    )
    if not given:
        return
    names, budget = objectives_of(domain), Budget(playouts=SHORT_PLAYOUTS)
    require(len(names) > 1, domain.name, f"objectives has {len(names)} name, expected two or more")
    answer = solve(domain, problem, options, Sampling(), budget).answer
    unknown = [name for name in names if name not in domain.facts(problem, answer)]
    require(not unknown, domain.name, f"objectives has {', '.join(unknown)}, no fact of an answer")
    solve(domain, problem, options, ParetoNrpa(level=1, iterations=20), budget)  # verifies values


def check_answer(
    domain: Puzzle, solution: Solution, options: Any, broken: Broken | None = None
) -> None:
    """An answer passes the rules, is read back from its text, and can be played again.

    From every state of it just one legal move is the solution's. `verify` changes no answer, and
    rejects what `broken` makes of it.
    """
    problem, answer = solution.problem, solution.answer
    domain.verify(problem, answer)
    before = np.array(answer)
    wrong_answers = list(broken(problem, answer)) if broken is not None else []
    require(broken is None or bool(wrong_answers), problem.name, "no wrong answers to reject")
    for what, wrong in wrong_answers:
        require(not _accepted(domain, problem, wrong), problem.name, f"verify accepts {what}")
    require(_same(answer, before), problem.name, "verify changed the answer")
    text = domain.format(problem, answer)
    require(text.endswith("\n"), problem.name, "format writes no newline at the end")
    again = domain.parse_answer(problem, text, "answer")
    require(_same(again, answer), problem.name, f"{text!r} is read back as another answer")
    _check_playable(domain, domain.instance(problem, options), problem, answer)


def _same(one: Any, other: Any) -> bool:
    return bool(np.array_equal(one, other))


def _accepted(domain: Puzzle, problem: Problem, answer: Any) -> bool:
    try:
        domain.verify(problem, answer)
    except VerificationError:
        return False
    return True


def _check_playable(domain: Puzzle, instance: Any, problem: Problem, answer: Any) -> None:
    state = domain.new_state(instance)
    solution: Moves = domain.solution(problem, answer)
    contract.reset(instance, state)
    stream, step = new_stream(3), 0
    while moves := listed(domain, instance, state, stream, problem.name):
        fitting = [
            m for m in moves if contract.is_solution_move(instance, state, solution, step, m)
        ]
        require(
            len(fitting) == 1,
            problem.name,
            f"at step {step} is_solution_move says yes to {len(fitting)} of {len(moves)} moves, "
            "expected 1",
        )
        contract.play(instance, state, fitting[0])
        step += 1
    same = _same(domain.answer(instance, state), answer)
    require(same, problem.name, "the moves of a solution lead to another answer")
