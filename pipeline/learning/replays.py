"""Replay of a solved instance, or of a game, and its addition to counts or decisions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from solver.compiling.random import Stream
from solver.contract.domain import Domain, Game, Limits, Problem, Puzzle
from solver.contract.limits import limits_named
from solver.contract.rules import play, reset
from solver.errors import UnsolvableError, VerificationError
from solver.games.moves import moves_by_text
from solver.games.records import apportioned, read_record
from solver.kernels.arguments import Task
from solver.kernels.bounds import new_moves, refuse_broken
from solver.kernels.replay import Counted, Decisions, PlayedGame, count_game, count_solution

#: Decisions that the visits of a search are worth: shares are told apart by eighths.
VOTES = 8

Record = TypeVar("Record", Counted, Decisions)


def replay(
    domain: Domain,
    problem: Problem,
    answer: str,
    options: Any,
    prior: Any,
    stream: Stream,
    new_record: Callable[[Limits], Record],
) -> Record | None:
    """Count the legal moves and the moves played, or keep the decisions.

    Parameters
    ----------
    answer : str
        The solution as the domain writes it; of a game its words (`solver.games.records`). Moves at
        random are played, and not learned from.
    prior : object
        Prior of the class of the codes that are counted.
    new_record : callable
        Returns the record of a replay within the limits of an instance.

    Returns
    -------
    Counted, Decisions or None
        None where the answer is wrong or cannot be replayed.
    """
    replay_answer: Any = _replay_game if isinstance(domain, Game) else _replay_solution
    record: Record | None
    record, right = replay_answer(domain, problem, answer, options, prior, stream, new_record)
    if record is not None:
        with limits_named(domain, problem.name):
            refuse_broken(record.broken)
    return record if right else None


def _replay_solution(
    puzzle: Puzzle, problem: Problem, text: str, options: Any, prior: Any, stream: Stream,
    new_record: Callable[[Limits], Record],
) -> tuple[Record | None, bool]:  # fmt: skip
    answer = puzzle.parse_answer(problem, text, problem.name)
    try:
        instance = puzzle.replayed(puzzle.instance(problem, options), answer)
    except UnsolvableError:
        return None, False
    limits = puzzle.limits(instance)
    moves, record = new_moves(limits), new_record(limits)
    task = Task(instance, puzzle.new_state(instance), prior)
    score = count_solution(task, puzzle.solution(problem, answer), moves, stream, record)
    wrong_end = np.isnan(score) or (puzzle.target is not None and score < puzzle.target)
    return record, not wrong_end and _is_correct(puzzle, problem, answer)


def _is_correct(puzzle: Puzzle, problem: Problem, answer: Any) -> bool:
    """Return whether the verifier accepts `answer`: the replay ignores propagated assignments."""
    try:
        puzzle.verify(problem, answer)
    except VerificationError:
        return False
    return True


def _replay_game(
    game: Game, problem: Problem, text: str, options: Any, prior: Any, stream: Stream,
    new_record: Callable[[Limits], Record],
) -> tuple[Record | None, bool]:  # fmt: skip
    instance = game.instance(problem, options)
    state = game.new_state(instance)
    reset(instance, state)
    played, begin, choice, votes = list[int](), [0], list[int](), list[int]()
    try:
        told = read_record(text.split())
        for word, visits in zip(told.moves, told.visits, strict=True):
            possible = moves_by_text(game, instance, state)
            for other, share in (apportioned(visits, VOTES) if visits else {}).items():
                choice.append(possible[other])
                votes.append(share)
            begin.append(len(choice))
            played.append(possible[word])
            play(instance, state, played[-1])
    except (KeyError, ValueError):  # no such move
        return None, False
    limits = game.limits(instance)
    moves = new_moves(limits)
    record = new_record(limits._replace(choices=limits.choices * (VOTES if votes else 1)))
    arrays = [np.array(one, np.int64) for one in (begin, choice, votes)]
    played_game = PlayedGame(np.array(played, np.int64), told.opening, *arrays)
    task, worth = Task(instance, state, prior), np.zeros(game.players(instance))
    return record, count_game(task, played_game, worth, moves, stream, record)
