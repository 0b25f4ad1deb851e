"""Knightthrough: Breakthrough with knights that only go forward, and capture wherever they go."""

from __future__ import annotations

from typing import ClassVar

from solver.contract.codes import PriorCode
from solver.games.boards.breakthrough import BreakthroughOptions
from solver.games.boards.codes.runners import RACE, SITES
from solver.games.boards.exchanges import EXCHANGES
from solver.games.boards.runners import RunnersGame


class Knightthrough(RunnersGame):
    """Knightthrough: Breakthrough with the moves of knights."""

    name: ClassVar[str] = "knightthrough"
    shipped_prior: ClassVar[str | None] = "knightthrough"
    prior_in: ClassVar[str] = "both"
    prior_temperature: ClassVar[float | None] = 4.0
    options: ClassVar[type[BreakthroughOptions]] = BreakthroughOptions
    steps: ClassVar[tuple[tuple[int, int], ...]] = ((2, -1), (2, 1), (1, -2), (1, 2))
    quiet: ClassVar[int] = 0
    priors: ClassVar[dict[str, PriorCode]] = {code.name: code for code in (EXCHANGES, SITES, RACE)}
