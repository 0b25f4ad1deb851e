"""Kakuro (paper 'learned-prior', section 4.2)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from solver.contract.codes import PriorCode
from solver.contract.domain import Limits, Problem, Puzzle, read_each
from solver.contract.rules import Moves
from solver.domains.kakuro import branching  # noqa: F401 - registers its rules
from solver.domains.kakuro.board import (
    ACROSS,
    BLACK,
    DIRECTIONS,
    DOWN,
    Board,
    Grid,
    check_board,
)
from solver.domains.kakuro.kernels import Kakuro, KakuroOptions, new_lines
from solver.domains.kakuro.priors import PRIORS
from solver.domains.kakuro.text import board_pieces, format_board, parse_boards
from solver.errors import InputError, VerificationError
from solver.propagation.combinations import LinesState

#: Open cells below which a few playouts solve most boards.
FEW_OPEN = 100


class KakuroDomain(Puzzle):
    """Kakuro boards."""

    name: ClassVar[str] = "kakuro"
    instance_class: ClassVar[type] = Kakuro
    priors: ClassVar[dict[str, PriorCode]] = PRIORS
    options: ClassVar[type[KakuroOptions]] = KakuroOptions
    generator: ClassVar[Any] = "generators.kakuro:KakuroGenerator"
    maker: ClassVar[Any] = "generators.puzzles.kakuro:KakuroMaker"
    drawing: ClassVar[Any] = "pipeline.reports.drawings.kakuro"
    peers: ClassVar[Any] = "pipeline.comparing.peers:KAKURO"
    shipped_prior: ClassVar[str | None] = "kakuro-belief"
    target: ClassVar[float | None] = 0.0
    default_dead_ends: ClassVar[int] = 100

    def parse(self, text: str, source: str) -> list[Problem]:
        """Read boards, or the sums of rectangles."""
        return read_each(board_pieces(text, source))

    def instance(self, problem: Problem, options: KakuroOptions) -> Kakuro:
        """Index the runs and propagate the clues."""
        given = problem.data
        board = Board(
            np.array(given.cells, np.int16), np.array(given.clues, np.int32),
            int(given.least), int(given.most),
        )  # fmt: skip
        check_board(board, problem.name)
        rows, columns = board.cells.shape
        place = np.flatnonzero(board.cells != BLACK).astype(np.int32)
        return Kakuro(rows, columns, place, new_lines(board, options, problem.name))

    def best_algorithm(self, options: KakuroOptions) -> str:
        """Searches that the board chooses; with the paper's forward checking the paper's own."""
        return "portfolio" if options.propagation == "combinations" else "gnrpa"

    def portfolio(self, instance: Kakuro) -> dict[str, float]:
        """Playouts alone where few cells are open, else complete search has most of the turns."""
        if int((instance.lines.root.value < 0).sum()) < FEW_OPEN:
            return {"gnrpa": 1.0}
        return {"gnrpa": 0.15, "complete": 0.85}

    def new_state(self, instance: Kakuro) -> LinesState:
        """Allocate a state; it has the sets of the runs already."""
        arrays: Any = (array.copy() for array in instance.lines.root)
        return LinesState(*arrays)

    def limits(self, instance: Kakuro) -> Limits:
        """Each step assigns a cell."""
        root = instance.lines.root
        sizes = [int(values).bit_count() for values in root.domain]
        return Limits(
            steps=len(root.domain),
            moves=max(sizes, default=0),
            choices=sum(sizes),
            codes=len(root.domain) * instance.lines.n_values,
        )

    def answer(self, instance: Kakuro, state: LinesState) -> Grid:
        """Return the values as far as they are filled in."""
        grid = np.zeros(instance.rows * instance.columns, np.int16)
        grid[instance.place] = np.where(state.value < 0, 0, state.value + instance.lines.least)
        return grid.reshape(instance.rows, instance.columns)

    def verify(self, problem: Problem, answer: Grid) -> None:
        """Every run holds different values that make its sum, and the givens are kept."""
        board = problem.data
        if answer.shape != board.cells.shape:
            raise VerificationError(f"the board is {answer.shape}, expected {board.cells.shape}")
        white = board.cells != BLACK
        in_range = (answer >= board.least) & (answer <= board.most)
        for wrong, what in (
            (~white & (answer != 0), "a value in a black cell"),
            (white & ~in_range, f"no value {board.least} ... {board.most}"),
            ((board.cells > 0) & (answer != board.cells), "a given was changed"),
        ):
            for row, column in np.argwhere(wrong)[:1] + 1:
                raise VerificationError(f"row {row}, column {column}: {what}")
        for direction, values, clues in (
            (ACROSS, answer, board.clues[:, :, ACROSS]),
            (DOWN, answer.T, board.clues[:, :, DOWN].T),
        ):
            for line, (entries, sums) in enumerate(zip(values.tolist(), clues.tolist()), start=1):
                _verify_line(entries, sums, direction, line)

    def format_problem(self, problem: Problem) -> str:
        """Return the board with its clues and givens."""
        return format_board(problem.data)

    def format(self, problem: Problem, answer: Grid) -> str:
        """Return the board with the values in it, `.` where there is none."""
        return format_board(problem.data, answer)

    def parse_answer(self, problem: Problem, text: str, source: str) -> Grid:
        """Read one board with values."""
        boards = parse_boards(text, source, answered=problem.data)
        if len(boards) != 1:
            raise InputError(f"{source}: {len(boards)} boards, expected one answer")
        return np.maximum(boards[0][1].cells, 0)

    def solution(self, problem: Problem, answer: Grid) -> Moves:
        """Values of the board's cells, int64[rows * columns]."""
        return np.ascontiguousarray(answer, dtype=np.int64).ravel()


def _verify_line(entries: list[int], sums: list[int], direction: int, line: int) -> None:
    """Check the runs of a row or column, in which black cells hold 0."""
    end = len(entries)
    for place in range(len(entries) - 1, -1, -1):
        if entries[place]:
            continue
        run = entries[place + 1 : end]
        end = place
        where = f"the run {DIRECTIONS[direction]} after place {place + 1} of line {line}"
        if len(set(run)) < len(run):
            raise VerificationError(f"{where} holds a value twice")
        if sum(run) != sums[place]:
            raise VerificationError(f"{where} has the sum {sum(run)}, expected {sums[place]}")
