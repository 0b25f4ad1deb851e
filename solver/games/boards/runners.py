"""Breakthrough and Knightthrough: the first player to reach the opposite side wins.

x begins, and runs upwards. Pieces capture by moving. A player without a move, his pieces
all captured, has lost.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.bits import FAR, mixed
from solver.compiling.jit import inlined
from solver.compiling.random import Stream
from solver.contract import rules
from solver.contract.domain import Limits, Problem
from solver.contract.rules import Floats, Moves
from solver.errors import InputError
from solver.games.boards.grid import GridGame, GridPosition, as_ints

Ints = npt.NDArray[np.int32]
#: Counters of a state; PIECES of x, then those of o.
TURN, WINNER, PIECES = range(3)
#: Owners of cells without a piece, and of the rim.
NOBODY, RIM = -1, -2
#: Steps that a piece may have to choose from; a move is one of them, and a cell.
STEPS = 4


class RunnersBoard(NamedTuple):
    """A position on a board with a rim two cells wide, and how pieces move."""

    cells: Ints
    """int32[cells]: numbers of all cells but the rim, row by row, from above."""
    stones: Ints
    """int32[cells]: 0 where free, else 1 + the number of a player."""
    ordinal: Ints
    """int32[area]: place of a cell in `cells`, -1 for the rim."""
    near: npt.NDArray[np.bool_]
    """bool[2, area]: whether a step may take a player's piece from a cell to the other side."""
    steps: Ints
    """int32[2, STEPS]: from a cell to where the steps of a player's piece lead; 0 for none."""
    quiet: int
    """So many of the steps, the first ones, capture nothing."""
    columns: int
    turn: int


class RunnersState(NamedTuple):
    """The pieces of both players."""

    owner: Ints
    """int32[area]: owner of the piece on a cell."""
    pieces: Ints
    """int32[2, cells]: cells of the pieces of each player, in any order."""
    place: Ints
    """int32[area]: where a piece stands in `pieces`."""
    counters: Ints
    """int32[4]."""


@inlined
def _arrived(instance: RunnersBoard, cell: int, player: int) -> bool:
    """Return whether a piece of `player` on `cell` has reached the other side."""
    if player == 0:
        return instance.ordinal[cell] < instance.columns
    return instance.ordinal[cell] >= len(instance.cells) - instance.columns


@rules.reset.register(RunnersBoard)
def reset(instance: RunnersBoard, state: RunnersState) -> None:
    state.counters[TURN] = instance.turn
    state.counters[WINNER] = NOBODY
    state.counters[PIECES] = state.counters[PIECES + 1] = 0
    for cell in range(len(state.owner)):
        state.owner[cell] = RIM
    for number in range(len(instance.cells)):
        cell, owner = instance.cells[number], instance.stones[number] - 1
        state.owner[cell] = owner
        if owner != NOBODY:
            state.place[cell] = state.counters[PIECES + owner]
            state.pieces[owner, state.place[cell]] = cell
            state.counters[PIECES + owner] += 1
            if _arrived(instance, cell, owner):
                state.counters[WINNER] = owner


@rules.legal_moves.register(RunnersBoard)
def legal_moves(instance: RunnersBoard, state: RunnersState, stream: Stream, moves: Moves) -> int:
    n, mover = 0, state.counters[TURN]
    if state.counters[WINNER] != NOBODY:
        return 0
    owner, steps, enemy = state.owner, instance.steps, 1 - mover
    first, second, third, fourth = (
        steps[mover, 0], steps[mover, 1], steps[mover, 2], steps[mover, 3],
    )  # fmt: skip
    # Steps are listed whether they are possible or not, and the next one over those that are not:
    # nobody could foretell which way a branch goes.
    for number in range(state.counters[PIECES + mover]):
        cell = state.pieces[mover, number]
        there = owner[cell + first]
        moves[n] = STEPS * cell
        n += (there == NOBODY) | ((there == enemy) & (instance.quiet == 0))
        there = owner[cell + second]
        moves[n] = STEPS * cell + 1
        n += (there == NOBODY) | (there == enemy)
        there = owner[cell + third]
        moves[n] = STEPS * cell + 2
        n += (there == NOBODY) | (there == enemy)
        if fourth != 0:
            there = owner[cell + fourth]
            moves[n] = STEPS * cell + 3
            n += (there == NOBODY) | (there == enemy)
    return n


@inlined
def _arriving(instance: RunnersBoard, state: RunnersState, player: int) -> int:
    """Return a move with which `player`, on the move, reaches the other side, or -1."""
    owner = state.owner
    for number in range(state.counters[PIECES + player]):
        cell = state.pieces[player, number]
        if not instance.near[player, cell]:
            continue
        for step in range(STEPS):
            to = instance.steps[player, step]
            if to == 0 or not _arrived(instance, cell + to, player):
                continue
            there = owner[cell + to]
            if there == NOBODY or (there == 1 - player and step >= instance.quiet):
                return int(STEPS * cell + step)
    return -1


@rules.decisive_move.register(RunnersBoard)
def decisive_move(instance: RunnersBoard, state: RunnersState) -> int:
    """Look for a piece that a step takes to the other side."""
    if state.counters[WINNER] != NOBODY:
        return -1
    return _arriving(instance, state, state.counters[TURN])


@rules.saving_moves.register(RunnersBoard)
def saving_moves(
    instance: RunnersBoard, state: RunnersState, moves: Moves, n: int
) -> tuple[int, int]:
    """Leave out moves that do not capture a piece with which the other wins at once.

    Nothing else is in its way: pieces never come back to their first row.
    """
    mover, kept = state.counters[TURN], 0
    threat = _arriving(instance, state, 1 - mover)
    if threat < 0:
        return n, 0
    for number in range(n):
        move = moves[number]
        if move // STEPS + instance.steps[mover, move % STEPS] == threat // STEPS:
            moves[number], moves[kept] = moves[kept], move
            kept += 1
    return max(kept, 1), 2


@rules.player.register(RunnersBoard)
def player(instance: RunnersBoard, state: RunnersState) -> int:
    return int(state.counters[TURN])


@rules.play.register(RunnersBoard)
def play(instance: RunnersBoard, state: RunnersState, move: int) -> None:
    mover = state.counters[TURN]
    cell = move // STEPS
    target = cell + instance.steps[mover, move % STEPS]
    if state.owner[target] != NOBODY:
        last = state.counters[PIECES + 1 - mover] - 1
        other, at = state.pieces[1 - mover, last], state.place[target]
        state.pieces[1 - mover, at] = other
        state.place[other] = at
        state.counters[PIECES + 1 - mover] = last
    state.owner[cell] = NOBODY
    state.owner[target] = mover
    state.place[target] = state.place[cell]
    state.pieces[mover, state.place[cell]] = target
    if _arrived(instance, target, mover):
        state.counters[WINNER] = mover
    state.counters[TURN] = 1 - mover


@rules.rewards.register(RunnersBoard)
def rewards(instance: RunnersBoard, state: RunnersState, rewards: Floats) -> None:
    winner = state.counters[WINNER]
    if winner == NOBODY:
        winner = 1 - state.counters[TURN]
    for number in range(2):
        rewards[number] = 1.0 * (winner == number)


@rules.code.register(RunnersBoard)
def code(instance: RunnersBoard, state: RunnersState, move: int) -> int:
    """Tell captures apart, as the paper must: table 7 has fewer moves that occur again."""
    mover = state.counters[TURN]
    step = STEPS * (len(instance.cells) * mover + instance.ordinal[move // STEPS]) + move % STEPS
    takes = state.owner[move // STEPS + instance.steps[mover, move % STEPS]] != NOBODY
    return int(2 * step + takes)


@rules.key.register(RunnersBoard)
def key(instance: RunnersBoard, state: RunnersState) -> np.uint64:
    total = mixed(FAR + state.counters[TURN])
    for player in range(2):
        for number in range(state.counters[PIECES + player]):
            total += mixed(2 * state.pieces[player, number] + player)
    return total


class RunnersGame(GridGame):
    """A game of this kind; `steps` tells it from the others."""

    instance_class: ClassVar[type] = RunnersBoard
    drawing: ClassVar[str] = "pipeline.reports.drawings.pieces"
    start_options: ClassVar[tuple[str, ...]] = ("rows", "columns")
    steps: ClassVar[tuple[tuple[int, int], ...]]
    """Rows forward and columns to the right of the steps of a piece, STEPS at most."""
    quiet: ClassVar[int]
    """So many of these, the first ones, capture nothing."""

    def start(self, options: Any) -> Problem:
        """Two rows of pieces on both sides."""
        cells = np.zeros((options.rows, options.columns), np.int64)
        cells[:2], cells[-2:] = 2, 1
        return Problem("start", GridPosition(cells, 0))

    def check(self, position: GridPosition, source: str) -> None:
        """Check that at most one player has reached the other side."""
        super().check(position, source)
        if len(position.cells) < 2:
            raise InputError(f"{source}: 1 row, expected 2 or more")
        if (position.cells[0] == 1).any() and (position.cells[-1] == 2).any():
            raise InputError(f"{source}: both players have reached the other side")

    def instance(self, problem: Problem, options: Any) -> RunnersBoard:
        """Put a rim around the board."""
        rows, columns = problem.data.cells.shape
        inner = np.zeros((rows + 4, columns + 4), bool)
        inner[2:-2, 2:-2] = True
        cells = np.flatnonzero(inner)
        ordinal = np.full(inner.size, -1)
        ordinal[cells] = np.arange(len(cells))
        steps = np.zeros((2, STEPS), np.int64)
        for step, (forward, right) in enumerate(self.steps):
            steps[:, step] = right - forward * (columns + 4), right + forward * (columns + 4)
        stones, turn = as_ints(problem.data.cells.ravel()), int(problem.data.turn)
        most = max(forward for forward, _ in self.steps)
        near = np.zeros((2, inner.size), bool)
        near[0, cells[: (most + 1) * columns]] = True
        near[1, cells[max(rows - 1 - most, 0) * columns :]] = True
        arrays = as_ints(cells), stones, as_ints(ordinal), near, as_ints(steps)
        return RunnersBoard(*arrays, self.quiet, columns, turn)

    def new_state(self, instance: RunnersBoard) -> RunnersState:
        """Allocate a state."""
        area, n = len(instance.ordinal), len(instance.cells)
        shapes: tuple[Any, ...] = (area, (2, n), area, 4)
        return RunnersState(*(np.zeros(shape, np.int32) for shape in shapes))

    def limits(self, instance: RunnersBoard) -> Limits:
        """Every move brings a piece a row on, and the first that arrives ends the game."""
        stones, columns = instance.stones, instance.columns
        row = np.arange(len(stones)) // columns
        rows_left = np.where(stones == 1, row, len(stones) // columns - 1 - row)[stones > 0]
        steps = int(np.maximum(rows_left - 1, 0).sum()) + 1
        most = max(int((stones == player).sum()) for player in (1, 2)) * STEPS + 1
        return Limits(steps, most, steps * most, 4 * STEPS * len(stones))

    def position(self, instance: RunnersBoard, state: RunnersState) -> GridPosition:
        """Pieces and turn of a state."""
        cells = 1 + state.owner[instance.cells].astype(np.int64)
        turn = int(state.counters[TURN])
        return GridPosition(cells.reshape(-1, instance.columns), turn)

    def format_move(self, instance: RunnersBoard, state: RunnersState, move: int) -> str:
        """Write both cells, with an x between them for a capture."""
        cell, step = divmod(move, STEPS)
        target = cell + int(instance.steps[state.counters[TURN], step])
        rows = len(instance.cells) // instance.columns
        ends = (
            self.cell_name(*divmod(int(instance.ordinal[at]), instance.columns), rows)
            for at in (cell, target)
        )
        return ("-" if state.owner[target] == NOBODY else "x").join(ends)
