"""SameGame boards of random cells, and what a search makes of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from solver.algorithms import Gnrpa
from solver.domain import Problem
from solver.domains.samegame import SameGameDomain
from solver.domains.samegame_text import COLOURS, check_size
from solver.errors import InputError
from solver.random import new_stream, next_below
from solver.search import Budget
from solver.solve import solve


@dataclass(frozen=True)
class SameGameGenerator:
    """Which boards to draw, and how long to search for their solutions.

    Parameters
    ----------
    width : int
        Number of columns.
    height : int
        Number of rows.
    colours : int
        Every cell has one of so many, each equally likely.
    effort : int
        Playouts of the search for the solution: GNRPA of level 2 with the prior `tabu`.

    Raises
    ------
    InputError
        If a parameter is out of range.
    """

    domain: ClassVar[str] = "samegame"
    width: int = 15
    height: int = 15
    colours: int = 5
    effort: int = 10_000

    def __post_init__(self) -> None:
        check_size(self.width, self.height, "samegame")
        if not 1 <= self.colours <= len(COLOURS):
            raise InputError(f"colours is {self.colours}, expected 1 ... {len(COLOURS)}")
        if self.effort < 1:
            raise InputError(f"effort is {self.effort}, expected 1 or more")

    @property
    def family(self) -> str:
        """What these instances are called in a report."""
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
            domain, problem, domain.options(), Gnrpa(), Budget(playouts=self.effort),
            prior=domain.handmade["tabu"], seed=seed,
        )  # fmt: skip
        return problem, found.answer


def _draw(stream: Any, colours: int) -> int:
    with np.errstate(over="ignore"):  # outside of kernels streams wrap around with a warning
        return 1 + next_below(stream, colours)


def benchmark(instances: int, seed: int) -> Iterator[Problem]:
    """Yield the set `solve samegame` runs on: 15 x 15 cells of 5 colours."""
    generator = SameGameGenerator()
    return (generator.problem(seed, number) for number in range(instances))
