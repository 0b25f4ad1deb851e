"""Checks of the properties of algorithms that the search driver relies on; see `solver.testing`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from solver.algorithms import Algorithm, Run, suited
from solver.algorithms.run import searched_form
from solver.compiling.random import new_stream
from solver.contract.checks import require
from solver.contract.domain import Problem, Puzzle
from solver.kernels.monitor import IMPROVEMENTS, PLAYOUTS
from solver.kernels.replay import replay_moves
from solver.kernels.status import PAUSED
from solver.priors.priors import NoPrior
from solver.searching.driver import Budget, SearchResult, search
from solver.testing.domains import EFFORT

#: Playouts of a run that is cut into slices.
RUN_PLAYOUTS = 200
#: Playouts of a search on several threads, at most.
SEARCH_PLAYOUTS = 20_000
#: Playouts that no run has.
FOREVER = 10**15


def check_algorithm(
    algorithm: Algorithm, domain: Puzzle, problems: Sequence[Problem], options: Any = None
) -> None:
    """Check everything that can be checked of `algorithm` on a few small problems of `domain`.

    Parameters
    ----------
    algorithm : Algorithm
        Parameters of it that are None are set as suits `domain`.
    domain : Puzzle
        A domain that meets its own contract, see `check_domain`.
    problems : sequence of Problem
        As `domain.parse` returns them; one at least.
    options : object, optional
        Options of the domain; its defaults by default.

    Raises
    ------
    ContractError
        If a property does not hold: its name, and the problem. It is an `InputError`.
    """
    require(bool(problems), algorithm.name, "no problem to check it on")
    options = domain.options() if options is None else options
    algorithm = suited(algorithm, domain)
    domain = searched_form(domain, algorithm)
    for problem in problems:
        instance = domain.instance(problem, options)
        where = f"{problem.name}, {algorithm.name}"
        check_slices(algorithm, domain, instance, where)
        check_threads(algorithm, domain, instance, where)


def check_slices(algorithm: Algorithm, domain: Puzzle, instance: Any, where: str) -> None:
    """Check that a run does not depend on its pauses, or on earlier uses of its workspace."""
    whole, sliced = (algorithm.new_run(domain, instance, NoPrior()) for _ in range(2))
    sliced.begin(new_stream(1))
    sliced.advance(RUN_PLAYOUTS // 3, FOREVER)
    for run in (whole, sliced):
        run.begin(new_stream(2))
    ended = whole.advance(RUN_PLAYOUTS, FOREVER)
    status = PAUSED
    for playouts in range(1, RUN_PLAYOUTS + 1):
        if status == PAUSED:
            before = int(sliced.monitor.counters[PLAYOUTS])
            status = sliced.advance(playouts, FOREVER)
            made = int(sliced.monitor.counters[PLAYOUTS])
            played = before < made or before >= playouts
            require(played, where, f"advance to {playouts} playouts returns at {made}")
    require(status == ended, where, "a run in slices ends with another status")
    require(_found(sliced) == _found(whole), where, "a run in slices has another result")


def _found(run: Run) -> Any:
    """Return all results of a run."""
    score, moves = run.best()
    made, improvements = (int(run.monitor.counters[index]) for index in (PLAYOUTS, IMPROVEMENTS))
    trace = run.monitor.trace_playouts[:improvements], run.monitor.trace_score[:improvements]
    return made, score, moves.tolist(), [column.tolist() for column in trace]


def check_threads(algorithm: Algorithm, domain: Puzzle, instance: Any, where: str) -> None:
    """Searches keep to the budget, find the same on any number of threads, and score their best."""
    playouts = min(2 * algorithm.playouts_per_run + 1, SEARCH_PLAYOUTS)
    alone, beside = (
        search(domain, instance, algorithm, Budget(playouts=playouts), seed=3, threads=threads)
        for threads in (1, 2)
    )
    require(_summary(alone) == _summary(beside), where, "two threads find something else than one")
    ended = alone.reached or alone.exhausted or alone.playouts == playouts
    require(ended, where, f"it makes {alone.playouts} playouts, expected {playouts}")
    score = replay_moves(instance, domain.new_state(instance), alone.moves)
    require(score == alone.score, where, f"its moves score {score}, it says {alone.score}")
    last = alone.trace.score[-1] if alone.trace.score.size else score
    require(last == score, where, f"its trace ends with {last}, its best playout scores {score}")
    if domain.target is not None:
        reached = score >= domain.target
        require(reached == alone.reached, where, f"scores {score}, reached is {alone.reached}")
    if alone.exhausted and not alone.reached:
        found = search(domain, instance, EFFORT, Budget(playouts=SEARCH_PLAYOUTS)).reached
        require(not found, where, f"it proves infeasible what {EFFORT.name} solves")


def _summary(result: SearchResult) -> Any:
    moves, trace = result.moves.tolist(), result.trace.score.tolist()
    return result.score, result.reached, result.exhausted, result.playouts, moves, trace
