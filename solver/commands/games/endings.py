"""Rewards of finished games, as they are printed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from solver.contract.domain import Game


def named_rewards(game: Game, rewards: Sequence[float]) -> dict[str, float]:
    """Return the rewards by the names of the players of `game`."""
    return dict(zip(game.player_names, rewards, strict=False))


def result_text(game: Game, rewards: Sequence[float]) -> str:
    """Return the rewards in words, such as `x 1, o 0`."""
    return ", ".join(f"{name} {worth:g}" for name, worth in named_rewards(game, rewards).items())
