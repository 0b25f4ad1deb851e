"""Worth of finished games."""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.contract.domain import Game
from solver.contract.rules import rewards


def final_rewards(game: Game, instance: Any, state: Any) -> tuple[float, ...]:
    """Return the rewards of all players of `game` in `state`, where it is over."""
    worth = np.zeros(game.players(instance))
    rewards(instance, state, worth)
    return tuple(worth.tolist())


def result_text(game: Game, worth: tuple[float, ...]) -> str:
    """Return the rewards of a finished game in words, such as `x 1, o 0`."""
    names = game.player_names
    return ", ".join(f"{name} {reward:g}" for name, reward in zip(names, worth, strict=False))
