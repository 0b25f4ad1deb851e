"""Moves as players of a game write them."""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.compiling.random import new_stream
from solver.contract.domain import Game
from solver.contract.rules import legal_moves
from solver.errors import InputError, quoted


def moves_by_text(game: Game, instance: Any, state: Any) -> dict[str, int]:
    """Return the legal moves of `state` by their texts."""
    buffer = np.zeros(max(game.limits(instance).moves, 1), np.int64)
    with np.errstate(over="ignore"):  # streams wrap around
        n = legal_moves(instance, state, new_stream(0), buffer)
    return {game.format_move(instance, state, int(move)): int(move) for move in buffer[:n]}


def find_move(game: Game, instance: Any, state: Any, text: str, source: str) -> int:
    """Return the move possible in `state` that is written `text`.

    Raises
    ------
    InputError
        If none is; `source` begins the message.
    """
    moves = moves_by_text(game, instance, state)
    if text not in moves:
        expected = f"one of: {', '.join(moves)}" if moves else "none, the game is over"
        raise InputError(f"{source}: no move {quoted(text)} here, expected {expected}")
    return moves[text]
