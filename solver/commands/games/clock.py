"""Time for the moves of a game: what is left, and what of it the next move may take."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from solver.contract.domain import Game

#: A search takes so many seconds, however little time is left.
LEAST_SECONDS = 0.01
#: Seconds and share of the time of a move that are left for all but the search, as for trees that
#: are copied when they grow; of a little time it is this share at most.
LEAST_REST, REST, MOST_REST = 0.05, 0.05, 1 / 3
#: Random games that tell how long a game may last.
GAMES = 32
#: Share of the moves of a random game that a real one is expected to have.
SHARE = 0.5
#: Time is kept for so many moves, unless fewer are possible.
LEAST_MOVES = 3


def moves_expected(game: Game, instance: Any, state: Any, possible: int) -> int:
    """Return how many moves who moves is expected to make yet, `possible` at most.

    A good game is over sooner than a random one, which fills the board: time that is kept for its
    last moves is never used.
    """
    from solver.games.playouts import random_playouts

    steps = float(random_playouts(game, instance, GAMES, state=state).steps.mean())
    return max(1, min(possible, max(LEAST_MOVES, math.ceil(SHARE * steps / 2))))


def for_search(seconds: float) -> float:
    """Seconds of the time of a move that a search may take; the rest is for what comes after it."""
    rest = min(max(LEAST_REST, REST * seconds), MOST_REST * seconds)
    return max(seconds - rest, LEAST_SECONDS)


class Clock:
    """Time for the moves of both players, as set by `time_settings` and `time_left`."""

    def __init__(self) -> None:
        self._period = 0.0, 0
        self._left: list[tuple[float, int]] | None = None
        self._at_start: list[tuple[float, int]] | None = None

    def set(self, main: float, period: float, stones: int) -> None:
        """Set the main time of both players, and the period for every `stones` moves after it."""
        unlimited = period > 0 and stones == 0
        self._period = period, stones
        self._left = None if unlimited else [(main, 0) if main > 0 else self._period] * 2
        self._at_start = self._left and self._left.copy()

    def restart(self) -> None:
        """Give both players the time set last, for a new game. Without one nothing changes."""
        if self._at_start is not None:
            self._left = self._at_start.copy()

    def tell(self, player: int, seconds: float, stones: int) -> None:
        """Correct the time left to a player for `stones` moves, or for all if `stones` is 0."""
        self._left = self._left or [(math.inf, 0)] * 2
        self._left[player] = seconds, stones

    @property
    def runs(self) -> bool:
        """True if time was set."""
        return self._left is not None

    def share(self, player: int, moves: int) -> float | None:
        """Seconds for the next move, where `moves` may be left to make; None if nobody counts.

        Main time that a period follows is spent at the pace of the period at least. The period
        begins when main time is over, even during a move.
        """
        if self._left is None or math.isinf(self._left[player][0]):
            return None
        seconds, stones = self._left[player]
        share = seconds / (stones or moves)
        period, of_period = self._period
        if stones == 0 and of_period > 0:
            share = max(share, period / of_period)
        return for_search(share)

    def spend(self, player: int, seconds: float) -> None:
        """Subtract the time of a move."""
        if self._left is None:
            return
        left, stones = self._left[player]
        left -= seconds
        if stones == 0 and left < 0.0:  # main time ended during this move: it is of the period
            period, stones = self._period
            left += period
        if stones == 1 or (stones == 0 and left <= 0.0):
            self._left[player] = self._period
        else:
            self._left[player] = left, max(stones - 1, 0)
