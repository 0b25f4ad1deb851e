"""SameGame boards of random cells, and their solutions by search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from generators.searched import Effort, SearchedAnswers
from solver.algorithms import AS_PUBLISHED, Gnrpa
from solver.compiling.random import new_stream, next_below
from solver.contract.domain import Problem
from solver.domains.samegame.board import MAX_COLOURS
from solver.domains.samegame.domain import SameGameDomain, SameGameOptions
from solver.domains.samegame.text import check_size
from solver.searching.driver import Budget
from solver.searching.solution import solve
from solver.system.fields import Range

#: Explicit, so that instances stay as they are whatever suits the domain later.
SEARCH, OPTIONS = Gnrpa(level=2, **AS_PUBLISHED), SameGameOptions("on")


@dataclass(frozen=True)
class SameGameGenerator(SearchedAnswers):
    """Generator of random boards with solutions found by search.

    Parameters
    ----------
    width : int
        Number of columns.
    height : int
        Number of rows.
    colours : int
        Every cell has one of so many, each equally likely.
    effort : int
        Playouts of the search for the solution: GNRPA of level 2.
    guide : str
        Prior of that search: a name, or the file of a table that was learned before.

    Raises
    ------
    InputError
        If a parameter is out of range, or the guide is no prior for SameGame.
    """

    domain: ClassVar[str] = "samegame"
    width: int = 15
    height: int = 15
    colours: Annotated[int, Range(1, MAX_COLOURS)] = 5
    effort: Effort = 10_000
    guide: str = "tabu"
    replay_defaults: ClassVar[dict[str, Any]] = {"tabu": "on"}

    def __post_init__(self) -> None:
        check_size(self.width, self.height, "samegame")
        self.check_search()

    @property
    def family(self) -> str:
        """Name of these instances in a report."""
        return f"{self.width} x {self.height}, {self.colours} colours"

    @property
    def family_parameters(self) -> dict[str, float | str]:
        """Parameters by which a report may compare families."""
        return {"width": self.width, "height": self.height, "colours": self.colours}

    def problem(self, seed: int, number: int) -> Problem:
        """Return board `number` of `seed`."""
        stream = new_stream(seed, number)
        cells = [_draw(stream, self.colours) for _ in range(self.width * self.height)]
        board = np.array(cells, np.int8).reshape(self.height, self.width)
        name = f"samegame-{self.width}x{self.height}x{self.colours}-{seed}-{number}"
        return Problem(name, board)

    def generate(self, seed: int, number: int) -> tuple[Problem, Any]:
        """Return board `number` of `seed` and the moves that a search found for it."""
        problem = self.problem(seed, number)
        domain = SameGameDomain()
        found = solve(
            domain, problem, OPTIONS, SEARCH, Budget(playouts=self.effort),
            prior=self.guiding_prior.table, seed=seed,
        )  # fmt: skip
        return problem, found.answer


def _draw(stream: Any, colours: int) -> int:
    with np.errstate(over="ignore"):  # outside of kernels streams wrap around with a warning
        return 1 + next_below(stream, colours)
