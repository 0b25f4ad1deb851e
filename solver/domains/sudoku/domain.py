"""Sudoku: orders 4 to 36, with boxes of any shape, and diagonals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from solver.contract.codes import PriorCode
from solver.contract.domain import Problem
from solver.contract.problems import read_each
from solver.contract.rules import Moves
from solver.domains.sudoku.board import Grid, Sudoku, SudokuCover, groups_of, new_sudoku
from solver.domains.sudoku.text import (
    check_board,
    format_board,
    format_grid,
    parse_sudokus,
    sudoku_pieces,
)
from solver.errors import InputError, VerificationError
from solver.propagation.belief import BELIEF
from solver.propagation.cover_branching import all_sets, register_cover_branching
from solver.propagation.cover_rules import CoverPuzzle
from solver.propagation.exact_cover import CoverState
from solver.system.fields import check_fields

register_cover_branching(SudokuCover)

#: Open cells below which a few playouts solve every board.
FEW_OPEN = 150


@dataclass(frozen=True)
class SudokuOptions:
    """Options of the search for Sudokus.

    Parameters
    ----------
    ties : {"random", "first"}
        Which of the smallest sets to branch on.

    Raises
    ------
    InputError
        If the value is none of these.
    """

    ties: Literal["random", "first"] = "random"

    def __post_init__(self) -> None:
        check_fields(self)


class SudokuDomain(CoverPuzzle):
    """Sudokus, also with diagonals and with boxes of other shapes."""

    name: ClassVar[str] = "sudoku"
    instance_class: ClassVar[type] = SudokuCover
    priors: ClassVar[dict[str, PriorCode]] = {"belief": BELIEF}
    options: ClassVar[type[SudokuOptions]] = SudokuOptions
    generator: ClassVar[Any] = "generators.sudoku:SudokuGenerator"
    maker: ClassVar[Any] = "generators.puzzles.grids:SudokuMaker"
    drawing: ClassVar[Any] = "pipeline.reports.drawings.sudoku"
    peers: ClassVar[Any] = "pipeline.comparing.peers:SUDOKU"
    shipped_prior: ClassVar[str | None] = "sudoku"

    def parse(self, text: str, source: str) -> list[Problem]:
        """Read lines of all cells, or grids."""
        return read_each(sudoku_pieces(text, source))

    def instance(self, problem: Problem, options: SudokuOptions) -> SudokuCover:
        """Propagate the givens and list the candidates that are left."""
        grid, regions, diagonals = problem.data
        board = Sudoku(np.array(grid, np.int16), np.array(regions, np.int16), int(diagonals))
        check_board(board, problem.name)
        groups, random = groups_of(board), options.ties == "random"
        given = np.ravel(board.grid)
        instance: SudokuCover = self.propagated(new_sudoku(given, groups, random_ties=random))
        if instance.contradiction:
            return instance
        return new_sudoku(instance.given, groups, random_ties=random)

    def exactly_one(self, instance: SudokuCover) -> list[Moves] | None:
        """Candidates of cells, and of values in rows, columns, boxes and diagonals."""
        return all_sets(instance.cover, instance.contradiction)

    def best_algorithm(self, options: SudokuOptions) -> str:
        """Searches that the board chooses."""
        return "portfolio"

    def portfolio(self, instance: SudokuCover) -> dict[str, float]:
        """Playouts alone where few cells are open, as on all boards of order 9."""
        if instance.cover.n_assignments < FEW_OPEN:
            return {"gnrpa": 1.0}
        return {"gnrpa": 0.45, "complete": 0.45, "cadical": 0.1}

    def answer(self, instance: SudokuCover, state: CoverState) -> Grid:
        """The grid as far as it is filled, int16[order, order]."""
        values = self.filled(instance, state)
        order = round(len(values) ** 0.5)
        return values.astype(np.int16).reshape(order, order)

    def verify(self, problem: Problem, answer: Grid) -> None:
        """Every row, column, box and diagonal holds every value once, and the givens are kept."""
        givens, regions, diagonals = problem.data
        if answer.shape != givens.shape:
            raise VerificationError(f"the grid is {answer.shape}, expected {givens.shape}")
        changed = np.argwhere((givens >= 0) & (answer != givens))
        if len(changed):
            row, column = changed[0] + 1
            raise VerificationError(f"row {row}, column {column}: a given was changed")
        order = len(givens)
        groups = [(f"row {n + 1}", answer[n]) for n in range(order)]
        groups += [(f"column {n + 1}", answer[:, n]) for n in range(order)]
        groups += [(f"box {n + 1}", answer[regions == n]) for n in range(order)]
        if diagonals:
            groups += [("a diagonal", answer.diagonal()), ("a diagonal", answer[::-1].diagonal())]
        for name, values in groups:
            if sorted(values.tolist()) != list(range(order)):
                raise VerificationError(f"{name} does not hold every value once")

    def format_problem(self, problem: Problem) -> str:
        """Return the givens as a text grid, with boxes and diagonals that are not the usual."""
        return format_board(problem.data)

    def format(self, problem: Problem, answer: Grid) -> str:
        """Return the grid with values 1 ... order and `.` in holes."""
        return format_grid(answer)

    def parse_answer(self, problem: Problem, text: str, source: str) -> Grid:
        """Read one grid, with the boxes of `problem`."""
        grids = parse_sudokus(text, source, like=problem.data)
        if len(grids) != 1:
            raise InputError(f"{source}: {len(grids)} grids, expected one answer")
        grid: Grid = grids[0][1].grid
        return grid
