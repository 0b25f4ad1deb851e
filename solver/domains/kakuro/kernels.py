"""Kakuro as rules.

The white cells of a board, numbered by row and column, each in a run across and a
run down. A move, and its policy code, is cell * n_values + value, values
counted from the least.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.random import Stream
from solver.contract import rules
from solver.contract.rules import Moves
from solver.domains.kakuro.board import (
    BLACK,
    Board,
    runs_of,
)
from solver.errors import InputError
from solver.propagation.combinations import (
    FAILED,
    N_OPEN,
    N_TRAIL,
    Int32s,
    Lines,
    LinesState,
    UInt32s,
    assign,
    copy_start,
    count_sets,
    list_values,
    note_failure,
    propagate_root,
    sets_of,
    smallest_cell,
    undo_to,
)
from solver.system.fields import check_fields

#: Sets of values of all runs together; beyond it `combinations` takes too much memory.
MAX_SETS = 1 << 22


_NO_SETS = np.zeros(0, np.int64)


class Kakuro(NamedTuple):
    """A board to fill."""

    rows: int
    columns: int
    place: Int32s
    """int32[c]: row * columns + column of each white cell."""
    lines: Lines
    """The runs across, then those down."""


@dataclass(frozen=True)
class KakuroOptions:
    """Options of the search for Kakuro solutions.

    Parameters
    ----------
    propagation : {"combinations", "forward"}
        `forward`: the values of a run differ, and its last cell makes the sum (the numbers of
        the paper). `combinations`: also which sets of values can still make the sum.
    ties : {"random", "first"}
        Which of the cells with the fewest values.

    Raises
    ------
    InputError
        If a value is none of these.
    """

    propagation: Literal["combinations", "forward"] = "combinations"
    ties: Literal["random", "first"] = "random"

    def __post_init__(self) -> None:
        check_fields(self)


@rules.reset.register(Kakuro)
def reset(instance: Kakuro, state: LinesState) -> None:
    copy_start(instance.lines.root, state)


@rules.legal_moves.register(Kakuro)
def legal_moves(instance: Kakuro, state: LinesState, stream: Stream, moves: Moves) -> int:
    if state.scalars[FAILED] or state.scalars[N_OPEN] == 0:
        return 0
    cell = smallest_cell(instance.lines, state, stream)
    return list_values(instance.lines, state, cell, moves)


@rules.play.register(Kakuro)
def play(instance: Kakuro, state: LinesState, move: int) -> None:
    n_values = instance.lines.n_values
    assign(instance.lines, state, move // n_values, move % n_values)


@rules.mark.register(Kakuro)
def mark(instance: Kakuro, state: LinesState) -> int:
    return int(state.scalars[N_TRAIL])


@rules.note_dead_end.register(Kakuro)
def note_dead_end(instance: Kakuro, state: LinesState) -> None:
    note_failure(state)


@rules.undo.register(Kakuro)
def undo(instance: Kakuro, state: LinesState, mark: int) -> None:
    undo_to(instance.lines, state, mark)


@rules.score.register(Kakuro)
def score(instance: Kakuro, state: LinesState) -> float:
    # The paper scores a complete board by its sums: here the last cell always makes the sum.
    return float(-max(state.scalars[N_OPEN], state.scalars[FAILED]))


@rules.code.register(Kakuro)
def code(instance: Kakuro, state: LinesState, move: int) -> int:
    return move


@rules.is_solution_move.register(Kakuro)
def is_solution_move(
    instance: Kakuro, state: LinesState, solution: Moves, step: int, move: int
) -> bool:
    lines = instance.lines
    value = lines.least + move % lines.n_values
    return bool(solution[instance.place[move // lines.n_values]] == value)


def new_lines(board: Board, options: KakuroOptions, name: str) -> Lines:
    """Index the cells and runs of `board`, with everything that follows from its clues."""
    white = board.cells != BLACK
    runs = list(runs_of(white))
    n_cells, n_values = int(white.sum()), board.most - board.least + 1
    number = np.cumsum(white).reshape(white.shape) - 1
    lines = np.zeros((n_cells, 2), np.uint32)
    for line, run in enumerate(runs):
        lines[number[run.cells], run.direction] = line
    total = np.array([board.clues[run.clue] for run in runs], np.int32)
    length = np.array([run.length for run in runs], np.int32)
    exact = options.propagation == "combinations"
    sets = _sets_of_runs(board, length, total, name) if exact else [_NO_SETS] * len(runs)
    live = np.array([len(one) for one in sets], np.int32)
    given = board.cells[white].astype(np.int64)
    domains = np.where(given > 0, 1 << np.maximum(given - board.least, 0), (1 << n_values) - 1)
    # A domain changes once for each value, a line's sets at most once for each such change.
    changes = n_cells * (n_values + 2) + int(np.minimum(live, length * n_values + 1).sum())
    root = LinesState(
        domain=domains.astype(np.int64),
        value=np.full(n_cells, -1, np.int32),
        used=np.zeros(len(runs), np.int64),
        left=length.copy(),
        rest=total.copy(),
        live=live,
        sets=np.concatenate([_NO_SETS, *sets]),
        forced=np.zeros(n_cells, np.uint32),
        dirty=np.zeros(len(runs), np.uint32),
        is_dirty=np.zeros(len(runs), np.uint8),
        trail=np.zeros((changes, 2), np.int64),
        failures=np.zeros(len(runs), np.uint32),
        odds=np.zeros(n_values),
        listed=np.zeros(2, np.int64),
        scalars=np.array([n_cells, 0, 0, 0, 0, 0, 0], np.int64),
    )
    made = Lines(
        lines=lines,
        first=_starts(length),
        members=np.concatenate([number[run.cells] for run in runs]).astype(np.uint32),
        first_set=_starts(live),
        total=total,
        least=board.least,
        n_values=n_values,
        exact=int(exact),
        random_ties=int(options.ties == "random"),
        root=root,
    )
    propagate_root(made, root)
    return made


def _starts(lengths: Int32s) -> UInt32s:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.uint32)


def _sets_of_runs(
    board: Board, length: Int32s, total: Int32s, name: str
) -> list[npt.NDArray[np.int64]]:
    """Return for each run the sets of values that make its sum."""
    runs = list(zip(length.tolist(), total.tolist()))
    n_values = board.most - board.least + 1
    n_sets = sum(count_sets(n_values, board.least, *run) for run in runs)
    if n_sets > MAX_SETS:
        raise InputError(
            f"{name}: {n_sets:,} sets of values make the sums, expected at most {MAX_SETS:,}: "
            "use propagation=forward"
        )
    return [sets_of(n_values, board.least, *run) for run in runs]
