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
from solver.domains.sudoku.board import MAX_ORDER, MIN_ORDER, groups_of
from solver.propagation.grid_cover import Groups, new_groups
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
        cells = np.arange(self.order**2).reshape(self.order, self.order)
        lines = new_groups(self.order**2, self.order, [*cells, *cells.T])
        place = [seed, number, attempt]
        return emptied(self, domain, answer, place, lines, lambda grid: Problem(name, grid))


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
            self, domain, answer, place, groups_of(board),
            lambda grid: Problem(name, board._replace(grid=grid)),
        )  # fmt: skip


def emptied(
    maker: Any,
    domain: Puzzle,
    answer: Grid,
    place: list[int],
    groups: Groups,
    problem_of: Callable[[Grid], Problem],
) -> Draft:
    """Take givens from `answer` in random order, as long as the rest has one solution.

    And as long as that needs no harder reasoning than `maker.grade`. What cannot be left out while
    more is given cannot be left out later, so once through all cells makes a minimal puzzle.
    A value that the other givens force by themselves can always go.
    """
    order = len(answer)
    together = orbits(order, maker.symmetry)
    np.random.default_rng([*place, _CELLS]).shuffle(together)
    left = order**2 if maker.minimal else round(maker.holes * order**2)
    forces = _Forces(groups)
    givens = answer.copy()
    cells = givens.ravel()
    for orbit in together:
        if len(orbit) > left:
            continue
        cells[orbit] = HOLE
        forced = len(orbit) == 1 and forces.force(cells, orbit[0], int(answer.flat[orbit[0]]))
        if forced or is_at_most(domain, problem_of(givens.copy()), maker.grade):
            left -= len(orbit)
        else:
            cells[orbit] = answer.ravel()[orbit]
    return Draft(problem_of(givens), answer, int((givens >= 0).sum()))


class _Forces:
    """Singles among givens alone, without what they lead to: a look at few cells."""

    def __init__(self, groups: Groups) -> None:
        self._n_values = groups.n_values
        of_cell = [[g for g in row if g < groups.n_groups] for row in groups.of_cell.tolist()]
        members: list[list[int]] = [[] for _ in range(groups.n_groups)]
        for cell, names in enumerate(of_cell):
            for name in names:
                members[name].append(cell)
        self._others = [
            [[other for other in members[name] if other != cell] for name in names]
            for cell, names in enumerate(of_cell)
        ]
        self._seen = [sorted({cell for group in of for cell in group}) for of in self._others]

    def force(self, cells: npt.NDArray[np.int16], cell: int, value: int) -> bool:
        """Return whether `cell`, which is open, can have `value` alone, or it nowhere else."""
        filled = cells.tolist()
        around = {filled[other] for other in self._seen[cell]} - {HOLE}
        if len(around) == self._n_values - 1:
            return True
        return any(
            len(group) == self._n_values - 1
            and all(
                filled[other] != HOLE or any(filled[far] == value for far in self._seen[other])
                for other in group
            )
            for group in self._others[cell]
        )
