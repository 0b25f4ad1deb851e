"""Sudokus with holes, also with diagonals and jigsaw boxes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from solver.algorithms import Sampling
from solver.compiling.random import new_stream, shuffle
from solver.contract.domain import Problem
from solver.domains.sudoku.board import MAX_ORDER, MIN_ORDER, Grid, Sudoku, box_sides, boxes
from solver.domains.sudoku.domain import SudokuDomain, SudokuOptions
from solver.errors import FieldError, InputError
from solver.searching.driver import Budget
from solver.searching.solution import solve
from solver.system.fields import Range, check_fields

#: Shapes of boxes, in words.
SHAPES = {"boxes": "", "jigsaw": ", jigsaw"}
_BOXES, _VALUES, _HOLES = 0, 1, 2  # the streams of an instance
#: Playouts after which other boxes are drawn, and draws in all.
EFFORT, MAX_TRIES = 2_000, 100


def jigsaw_boxes(order: int, chance: np.random.Generator) -> Grid:
    """Draw connected boxes of `order` cells, int16[order, order]: rows that swap cells at random.

    Two neighbouring boxes exchange a cell each, as long as both stay connected.
    """
    sides = box_sides(order) or (1, order)
    regions = boxes(order, *sides)
    steps = 0
    for _ in range(400 * order):
        if steps == 3 * order:
            break
        row, column = chance.integers(order, size=2).tolist()
        pairs = _exchanges(regions, row, column)
        if not pairs:
            continue
        swapped = _swapped(regions, (row, column), pairs[chance.integers(len(pairs))])
        if swapped is not None:
            regions = swapped
            steps += 1
    return regions


def _neighbours(order: int, row: int, column: int) -> list[tuple[int, int]]:
    beside = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
    return [(r, c) for r, c in beside if 0 <= r < order and 0 <= c < order]


def _exchanges(regions: Grid, row: int, column: int) -> list[tuple[int, int]]:
    """Cells of neighbouring boxes that touch the box of a cell: it may be exchanged for one."""
    order, here = len(regions), regions[row, column]
    others = {int(regions[cell]) for cell in _neighbours(order, row, column)} - {int(here)}
    return [
        (r, c)
        for r in range(order)
        for c in range(order)
        if int(regions[r, c]) in others
        and any(regions[cell] == here for cell in _neighbours(order, r, c) if cell != (row, column))
    ]


def _swapped(regions: Grid, one: tuple[int, int], other: tuple[int, int]) -> Grid | None:
    """Exchange two cells; None if a box falls apart."""
    swapped = regions.copy()
    swapped[one], swapped[other] = regions[other], regions[one]
    connected = all(_is_connected(swapped, int(regions[cell])) for cell in (one, other))
    return swapped if connected else None


def _is_connected(regions: Grid, number: int) -> bool:
    cells = {(int(r), int(c)) for r, c in np.argwhere(regions == number)}
    todo, reached = [next(iter(cells))], set()
    while todo:
        cell = todo.pop()
        if cell not in reached:
            reached.add(cell)
            todo += [near for near in _neighbours(len(regions), *cell) if near in cells]
    return reached == cells


def filled_board(
    order: int, shape: str, diagonals: bool, place: Sequence[int]
) -> tuple[Sudoku, Grid]:
    """Draw boxes and a filled board: the answer of the first playout that fills the empty board.

    Parameters
    ----------
    place : sequence of int
        Seed of the random numbers.

    Raises
    ------
    InputError
        If none was found.
    """
    of_boxes = np.random.default_rng([*place, _BOXES])
    of_values = np.random.default_rng([*place, _VALUES])
    empty = np.full((order, order), -1, np.int16)
    domain = SudokuDomain()
    for _ in range(MAX_TRIES):
        sides = box_sides(order)
        regions = jigsaw_boxes(order, of_boxes) if shape == "jigsaw" or sides is None else boxes(
            order, *sides
        )  # fmt: skip
        board = Sudoku(empty, regions, int(diagonals))
        solution = solve(
            domain, Problem("empty", board), SudokuOptions(), Sampling(dead_ends=100),
            Budget(EFFORT), seed=int(of_values.integers(1 << 62)),
        )  # fmt: skip
        if solution.solved:
            answer: Grid = solution.answer
            return board, answer
    raise InputError(f"no board of order {order} with such boxes was filled in {MAX_TRIES} tries")


def check_boxes(order: int, shape: str) -> None:
    """Raise a `FieldError` if no boxes of equal sides have `order` cells."""
    if shape == "boxes" and box_sides(order) is None:
        raise FieldError("order", f"is {order}, a prime: expected another for boxes")


def kind_of(order: int, shape: str, diagonals: bool) -> str:
    """Name of such boards, in words."""
    return f"order {order}{SHAPES[shape]}{', diagonals' * diagonals}"


@dataclass(frozen=True)
class SudokuGenerator:
    """Generator of Sudokus.

    Parameters
    ----------
    order : int
        Rows, columns and values.
    holes : float
        Share of the cells that are emptied, rounded to whole cells.
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
    order: Annotated[int, Range(MIN_ORDER, MAX_ORDER)] = 16
    holes: Annotated[float, Range(0, 1, "of the cells")] = 0.6
    shape: Literal["boxes", "jigsaw"] = "boxes"
    diagonals: bool = False

    def __post_init__(self) -> None:
        check_fields(self)
        check_boxes(self.order, self.shape)

    @property
    def n_holes(self) -> int:
        """Number of cells emptied."""
        return round(self.holes * self.order**2)

    @property
    def family(self) -> str:
        """Name of these instances in a report."""
        return f"{kind_of(self.order, self.shape, self.diagonals)}, {self.n_holes} holes"

    @property
    def family_parameters(self) -> dict[str, float | str]:
        """Parameters by which a report may compare families."""
        return {
            "order": self.order,
            "holes": self.n_holes,
            "shape": self.shape,
            "diagonals": str(self.diagonals).lower(),
        }

    def generate(self, seed: int, number: int) -> tuple[Problem, Grid]:
        """Return solved instance `number` of `seed`."""
        board, answer = filled_board(self.order, self.shape, self.diagonals, [seed, number])
        cells = np.arange(self.order**2)
        shuffle(new_stream(seed, number, _HOLES), cells)
        givens = answer.copy()
        givens.ravel()[cells[: self.n_holes]] = -1
        shape = ("-jigsaw" if self.shape == "jigsaw" else "") + ("-x" if self.diagonals else "")
        name = f"sudoku-{self.order}{shape}-{self.n_holes}-{seed}-{number}"
        return Problem(name, board._replace(grid=givens)), answer
