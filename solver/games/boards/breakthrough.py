"""Breakthrough: a pawn goes straight ahead to a free cell, or aslant, where it may capture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from solver.contract.codes import PriorCode
from solver.games.boards.codes.runners import RACE, SITES
from solver.games.boards.exchanges import EXCHANGES
from solver.games.boards.grid import LARGEST
from solver.games.boards.runners import RunnersGame
from solver.system.fields import Range, check_fields


@dataclass(frozen=True)
class BreakthroughOptions:
    """Size of the board.

    Parameters
    ----------
    rows : int
        Rows of the board; the first two and the last two are full.
    columns : int
        Pieces in a row.
    """

    rows: Annotated[int, Range(4, LARGEST)] = 8
    columns: Annotated[int, Range(2, LARGEST)] = 8

    def __post_init__(self) -> None:
        check_fields(self)


class Breakthrough(RunnersGame):
    """Breakthrough: the first to reach the other side wins."""

    name: ClassVar[str] = "breakthrough"
    shipped_prior: ClassVar[str | None] = "breakthrough"
    prior_in: ClassVar[str] = "both"
    options: ClassVar[type[BreakthroughOptions]] = BreakthroughOptions
    steps: ClassVar[tuple[tuple[int, int], ...]] = ((1, 0), (1, -1), (1, 1))
    quiet: ClassVar[int] = 1
    priors: ClassVar[dict[str, PriorCode]] = {code.name: code for code in (EXCHANGES, SITES, RACE)}
