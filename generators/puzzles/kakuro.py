"""Kakuro boards to solve: values are changed until the sums leave one solution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt

from generators.kakuro import SHORTEST_RUN, Mask, check_runs, family_of, random_board
from generators.puzzles.making import Draft, Grade, has_one_solution
from solver.compiling.random import new_stream
from solver.contract.domain import Problem, Puzzle
from solver.domains.kakuro.board import MAX_SIDE, Grid, framed, runs_of
from solver.domains.kakuro.kernels import KakuroOptions, new_lines
from solver.propagation.bits import MAX_BITS
from solver.system.fields import Range, check_fields

_PATTERN, _VALUES, _CHANGES = 0, 1, 2  # the streams of a draft
#: Changes of a value that are tried for each white cell before a draft is given up.
CHANGES_PER_CELL = 12
#: Share of the cells that propagation leaves open below which complete search is asked.
SEARCHED = 0.35

#: Rows or columns of cells.
Side = Annotated[int, Range(SHORTEST_RUN, MAX_SIDE)]


@dataclass(frozen=True)
class KakuroMaker:
    """Maker of Kakuro boards.

    Parameters
    ----------
    rows : int
        Rows of cells, the one for clues not counted.
    columns : int
        Columns of cells, the one for clues not counted.
    values : int
        The values are 1 ... values.
    black : float
        Least share of black cells, in a pattern that a half turn leaves as it is.
    grade : {"any", "propagation", "look-ahead", "search"}
        Reasoning that the puzzles need.

    Raises
    ------
    InputError
        If a parameter is out of range.
    """

    domain: ClassVar[str] = "kakuro"
    rows: Side = 10
    columns: Side = 10
    values: Annotated[int, Range(SHORTEST_RUN, MAX_BITS)] = 9
    black: Annotated[float, Range(0, 0.6, "of the cells")] = 0.3
    grade: Grade = "any"

    def __post_init__(self) -> None:
        check_fields(self)
        check_runs(self)

    @property
    def family(self) -> str:
        """Name of these puzzles, in words."""
        return family_of(self)

    def draft(self, domain: Puzzle, seed: int, number: int, attempt: int) -> Draft | None:
        """Draw a pattern and values, and change values while that leaves fewer cells open."""
        streams = (new_stream(seed, number, attempt, which) for which in (_PATTERN, _VALUES))
        board = random_board(self, *streams)
        if board is None:
            return None
        white, grid = board
        name = f"kakuro-{self.rows}x{self.columns}-{seed}-{number + 1}"
        chance = np.random.default_rng([seed, number, attempt, _CHANGES])
        boards = _Boards(domain, white, self.values, name)
        return self._mended(boards, grid, chance)

    def _mended(self, boards: _Boards, grid: Grid, chance: np.random.Generator) -> Draft | None:
        """Change values until there is one solution, by reasoning as hard as asked for.

        A change is kept if propagation leaves no more cells open than before.
        """
        still_open = boards.still_open(grid)
        for _ in range(CHANGES_PER_CELL * int(boards.white.sum())):
            n_open = int(still_open.sum())
            few = n_open < SEARCHED * boards.white.sum()
            if n_open == 0 or (self.grade != "propagation" and few):
                problem = boards.problem(grid)
                if n_open == 0 or has_one_solution(boards.domain, problem):
                    return Draft(problem, np.pad(grid, ((1, 0), (1, 0))), None)
            cells = np.argwhere(still_open)
            row, column = cells[chance.integers(len(cells))].tolist()
            free = boards.free(grid, row, column)
            if not free:
                continue
            changed = grid.copy()
            changed[row, column] = free[chance.integers(len(free))]
            after = boards.still_open(changed)
            if after.sum() <= n_open:
                grid, still_open = changed, after
        return None


class _Boards:
    """Boards of one pattern of white cells."""

    def __init__(self, domain: Puzzle, white: Mask, n_values: int, name: str) -> None:
        self.domain, self.white, self.n_values, self.name = domain, white, n_values, name
        self._options = KakuroOptions()
        self._runs: dict[tuple[int, int], list[tuple[slice | int, slice | int]]] = {}
        for run in runs_of(white):
            for place in range(run.length):
                down = run.direction == 1
                cell = (run.row + place * down, run.column + place * (not down))
                self._runs.setdefault(cell, []).append(run.cells)

    def problem(self, grid: Grid) -> Problem:
        """Return the empty board with the sums of `grid`."""
        return Problem(self.name, framed(self.white, grid, 1, self.n_values))

    def free(self, grid: Grid, row: int, column: int) -> list[int]:
        """Other values that a cell may have beside those of its runs."""
        used = {int(value) for cells in self._runs[row, column] for value in grid[cells]}
        return [value for value in range(1, self.n_values + 1) if value not in used]

    def still_open(self, grid: Grid) -> npt.NDArray[np.bool_]:
        """Return the cells that propagation leaves open, bool[rows, columns]."""
        root = new_lines(self.problem(grid).data, self._options, self.name).root
        found = np.zeros(self.white.shape, np.bool_)
        found[self.white] = root.value < 0
        return found
