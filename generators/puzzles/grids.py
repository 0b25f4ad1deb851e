"""Latin squares and Sudokus to solve: filled squares from which givens are taken away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from generators.latin_square import uniform_square
from generators.puzzles.making import Draft, Grade, is_at_most
from generators.sudoku import check_boxes, filled_board, kind_of
from solver.compiling.random import new_stream
from solver.contract.domain import Problem, Puzzle
from solver.domains.latin_square.text import MAX_ORDER as LARGEST_SQUARE
from solver.domains.sudoku.board import MAX_ORDER, MIN_ORDER
from solver.system.fields import Range, check_fields

Grid = npt.NDArray[np.int16]
Symmetry = Literal["none", "half-turn", "quarter-turn", "mirror", "diagonal"]
HOLE = -1
#: Values of a filled grid are drawn from another stream than the order of its cells.
_VALUES, _CELLS = 0, 1


def orbits(order: int, symmetry: Symmetry) -> list[list[int]]:
    """Cells of a square that are given together or not at all, each once."""
    images: dict[str, Callable[[int, int], tuple[int, int]]] = {
        "none": lambda r, c: (r, c),
        "half-turn": lambda r, c: (order - 1 - r, order - 1 - c),
        "quarter-turn": lambda r, c: (c, order - 1 - r),
        "mirror": lambda r, c: (r, order - 1 - c),
        "diagonal": lambda r, c: (c, r),
    }
    found, seen = [], set()
    for cell in range(order * order):
        orbit: list[int] = []
        while cell not in seen:
            seen.add(cell)
            orbit.append(cell)
            row, column = images[symmetry](*divmod(cell, order))
            cell = row * order + column
        if orbit:
            found.append(orbit)
    return found


@dataclass(frozen=True)
class LatinSquareMaker:
    """Maker of Latin squares.

    Parameters
    ----------
    order : int
        Rows, columns and values.
    grade : {"any", "propagation", "look-ahead", "search"}
        Reasoning that the puzzles need.
    minimal : bool
        Take away givens until none can go, or no symmetric ones together.
    holes : float
        Share of the cells that are emptied, where one solution allows it; `minimal` empties more.
    symmetry : {"none", "half-turn", "quarter-turn", "mirror", "diagonal"}
        Cells that are given together or not at all.

    Raises
    ------
    InputError
        If a parameter is out of range.
    """

    domain: ClassVar[str] = "latin-square"
    order: Annotated[int, Range(1, LARGEST_SQUARE)] = 7
    grade: Grade = "any"
    minimal: bool = False
    holes: Annotated[float, Range(0, 1, "of the cells")] = 0.6
    symmetry: Symmetry = "none"

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def family(self) -> str:
        """Name of these puzzles, in words."""
        return f"order {self.order}"

    def draft(self, domain: Puzzle, seed: int, number: int, attempt: int) -> Draft | None:
        """Draw a square and take givens away."""
        answer = uniform_square(self.order, new_stream(seed, number, attempt, _VALUES))
        name = f"latin-square-{self.order}-{seed}-{number + 1}"
        return emptied(self, domain, answer, [seed, number, attempt], lambda g: Problem(name, g))


@dataclass(frozen=True)
class SudokuMaker:
    """Maker of Sudokus.

    Parameters
    ----------
    order : int
        Rows, columns and values.
    grade : {"any", "propagation", "look-ahead", "search"}
        Reasoning that the puzzles need.
    minimal : bool
        Take away givens until none can go, or no symmetric ones together.
    holes : float
        Share of the cells that are emptied, where one solution allows it; `minimal` empties more.
    symmetry : {"none", "half-turn", "quarter-turn", "mirror", "diagonal"}
        Cells that are given together or not at all.
    shape : {"boxes", "jigsaw"}
        Boxes of equal sides, or connected ones of any shape.
    diagonals : bool
        Diagonals hold each value once, too.

    Raises
    ------
    InputError
        If a parameter is out of range.
    """

    domain: ClassVar[str] = "sudoku"
    order: Annotated[int, Range(MIN_ORDER, MAX_ORDER)] = 9
    grade: Grade = "any"
    minimal: bool = False
    holes: Annotated[float, Range(0, 1, "of the cells")] = 0.6
    symmetry: Symmetry = "none"
    shape: Literal["boxes", "jigsaw"] = "boxes"
    diagonals: bool = False

    def __post_init__(self) -> None:
        check_fields(self)
        check_boxes(self.order, self.shape)

    @property
    def family(self) -> str:
        """Name of these puzzles, in words."""
        return kind_of(self.order, self.shape, self.diagonals)

    def draft(self, domain: Puzzle, seed: int, number: int, attempt: int) -> Draft | None:
        """Draw boxes and a filled board, and take givens away."""
        place = [seed, number, attempt]
        board, answer = filled_board(self.order, self.shape, self.diagonals, place)
        name = f"sudoku-{self.order}-{seed}-{number + 1}"
        return emptied(
            self, domain, answer, place, lambda grid: Problem(name, board._replace(grid=grid))
        )


def emptied(
    maker: Any,
    domain: Puzzle,
    answer: Grid,
    place: list[int],
    problem_of: Callable[[Grid], Problem],
) -> Draft:
    """Take givens from `answer` in random order, as long as the rest has one solution.

    And as long as that needs no harder reasoning than `maker.grade`. What cannot be left out while
    more is given cannot be left out later, so once through all cells makes a minimal puzzle.
    """
    order = len(answer)
    together = orbits(order, maker.symmetry)
    np.random.default_rng([*place, _CELLS]).shuffle(together)
    left = order**2 if maker.minimal else round(maker.holes * order**2)
    givens = answer.copy()
    cells = givens.ravel()
    for orbit in together:
        if len(orbit) > left:
            continue
        cells[orbit] = HOLE
        if is_at_most(domain, problem_of(givens.copy()), maker.grade):
            left -= len(orbit)
        else:
            cells[orbit] = answer.ravel()[orbit]
    return Draft(problem_of(givens), answer, int((givens >= 0).sum()))
