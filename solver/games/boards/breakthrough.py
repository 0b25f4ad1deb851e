"""Breakthrough: a pawn goes straight ahead to a free cell, or aslant, where it may capture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solver.domain import PriorCode
from solver.games.boards.exchanges import EXCHANGES
from solver.games.boards.grid import require_size
from solver.games.boards.runners import RunnersGame


@dataclass(frozen=True)
class BreakthroughOptions:
    """Size of the board.

    Parameters
    ----------
    rows : int
        Of which the first two and the last two are full.
    columns : int
        Pieces in a row.
    """

    rows: int = 8
    columns: int = 8

    def __post_init__(self) -> None:
        require_size("rows", self.rows, 4)
        require_size("columns", self.columns, 2)


class Breakthrough(RunnersGame):
    """The game."""

    name: ClassVar[str] = "breakthrough"
    options: ClassVar[type[BreakthroughOptions]] = BreakthroughOptions
    steps: ClassVar[tuple[tuple[int, int], ...]] = ((1, 0), (1, -1), (1, 1))
    quiet: ClassVar[int] = 1
    priors: ClassVar[dict[str, PriorCode]] = {EXCHANGES.name: EXCHANGES}
