"""Replay of a solved instance, or of a game, and its addition to counts or decisions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from solver.compiling.random import Stream
from solver.contract.domain import Domain, Game, Limits, Problem, Puzzle
from solver.contract.limits import limits_named
from solver.contract.rules import play, reset
from solver.errors import InputError, UnsolvableError, VerificationError
from solver.games.moves import OPENING, find_move
from solver.kernels.arguments import Task
from solver.kernels.bounds import new_moves, refuse_broken
from solver.kernels.replay import Counted, Decisions, PlayedGame, count_game, count_solution

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
        The solution as the domain writes it; of a game its moves, with blanks between them. Those
        before the word `OPENING` are played, and not learned from.
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
    state, played = game.new_state(instance), []
    reset(instance, state)
    words, begin = text.split(), 0
    if OPENING in words:
        begin = words.index(OPENING)
        del words[begin]
    for word in words:
        try:
            played.append(find_move(game, instance, state, word, problem.name))
        except InputError:
            return None, False
        play(instance, state, played[-1])
    limits = game.limits(instance)
    moves, record = new_moves(limits), new_record(limits)
    worth = np.zeros(game.players(instance))
    task = Task(instance, state, prior)
    played_game = PlayedGame(np.array(played, np.int64), begin)
    return record, count_game(task, played_game, worth, moves, stream, record)
