"""Hex: x connects the upper and the lower side, o the left and the right one.

The first stone is set, and nobody swaps unless asked for. The first connection wins; one of the two
always does. The paper has that stone at (2, 2) (paper 'mcps', 4.1): b2, its numbers say, counted
from 1.

With `swap` o may take the first stone over: the move is its cell, and a stone of o takes its place
on the cell mirrored at the long diagonal, as viewers of Hex have it (`swap-pieces`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from solver.compiling.copies import copy_arrays
from solver.compiling.jit import inlined
from solver.compiling.random import Stream, next_place
from solver.contract import rules
from solver.contract.codes import PriorCode
from solver.contract.domain import Limits, Problem
from solver.contract.rules import Moves
from solver.errors import InputError
from solver.games.boards.connections.broken import bridge_to_save
from solver.games.boards.connections.virtual import Longs, new_plan
from solver.games.boards.connections.wins import (
    move_to_connection,
    moves_in_carriers,
    winner_by_connections,
)
from solver.games.boards.grid import LARGEST, LETTERS, GridPosition
from solver.games.boards.patterns import BRIDGES
from solver.games.boards.placement import (
    FREE,
    NOBODY,
    TURN,
    WINNER,
    Board,
    Ints,
    Placed,
    PlacementGame,
    UInts,
    any_free_cell,
    clear,
    free_cells,
    new_board,
    new_placed,
    put,
    stone_code,
    stones_key,
    who_moves,
    winner_takes_all,
)  # fmt: skip
from solver.games.boards.replies import HEX_LAST, HEX_SECOND, LINKS
from solver.system.fields import Range, check_fields

#: Both sides of a player, a bit each.
CONNECTED = 3
#: Text of the move that takes the first stone over, in notation and for viewers.
SWAP, SWAP_PIECES = "swap", "swap-pieces"


class HexBoard(NamedTuple):
    """A position."""

    board: Board
    sides: Ints
    """int32[2, area]: sides of a player that a cell lies at."""
    rims: Ints
    """int32[area]: whose side a cell of the rim is."""
    lines: Ints
    """int32[2, area]: line of a cell among those that are parallel to the sides of a player, as
    the bit that it has in sets."""
    swap: int
    """1 if o may take the first stone over."""
    misere: int
    """1 if who connects his sides has lost."""


class HexState(NamedTuple):
    """Stones, and which of them are connected."""

    board: Placed
    parent: UInts
    """uint32[area]: of a stone, on the way to the root of its group."""
    sides: Ints
    """int32[area]: sides that the group of a root touches."""
    plan: Longs
    """int64[...]: scratch of a search for connections that nobody can cut."""


@inlined
def _root(parent: UInts, cell: int) -> int:
    while parent[cell] != cell:
        parent[cell] = parent[parent[cell]]
        cell = parent[cell]
    return cell


@inlined
def _set(instance: HexBoard, state: HexState, cell: int, player: int) -> None:
    """Set a stone and join it with its neighbours."""
    put(state.board, cell, player)
    owner, parent, width = state.board.owner, state.parent, instance.board.width
    root: Any = np.uint32(cell)
    parent[cell] = root
    sides = instance.sides[player, cell]
    aslant = width - 1
    # Around the cell: those that follow each other touch, so that one of them stands for all. All
    # six are a group that a stone in their midst adds nothing to.
    joined = owner[cell - 1] == player
    for near in (cell - width, cell - aslant, cell + 1, cell + width, cell + aslant, cell - 1):
        before, joined = joined, owner[near] == player
        if joined and not before:
            other = _root(parent, near)
            if other != root:
                sides |= state.sides[other]
                if root == cell:
                    parent[cell] = root = other
                else:
                    parent[other] = root
    state.sides[root] = sides
    if sides == CONNECTED:
        state.board.counters[WINNER] = player ^ instance.misere


@inlined
def _may_swap(instance: HexBoard, placed: Placed) -> bool:
    """Return whether o may take over the only stone, which is the last of `placed.free`."""
    n = len(placed.free)
    return bool(
        instance.swap
        and placed.counters[FREE] == n - 1
        and placed.counters[TURN] == 1
        and placed.owner[placed.free[n - 1]] == 0
    )


@inlined
def _swap(instance: HexBoard, state: HexState, cell: int) -> None:
    """Put a stone of o in place of that on `cell`."""
    placed, width = state.board, instance.board.width
    placed.place[cell] = placed.counters[FREE]
    placed.counters[FREE] += 1
    placed.owner[cell] = NOBODY
    _set(instance, state, cell % width * width + cell // width, 1)


@rules.reset.register(HexBoard)
def reset(instance: HexBoard, state: HexState) -> None:
    clear(instance.board, state.board)
    for number in range(len(instance.board.cells)):
        if instance.board.stones[number] > 0:
            cell = instance.board.cells[number]
            _set(instance, state, cell, instance.board.stones[number] - 1)


@rules.play.register(HexBoard)
def play(instance: HexBoard, state: HexState, move: int) -> None:
    mover = state.board.counters[TURN]
    if instance.swap and state.board.owner[move] != NOBODY:
        _swap(instance, state, move)
    else:
        _set(instance, state, move, mover)
    state.board.counters[TURN] = 1 - mover


@rules.copy_state.register(HexBoard)
def copy_state(instance: HexBoard, source: HexState, target: HexState) -> None:
    copy_arrays(source.board, target.board)
    copy_arrays(source.parent, target.parent)
    copy_arrays(source.sides, target.sides)


@rules.legal_moves.register(HexBoard)
def legal_moves(instance: HexBoard, state: HexState, stream: Stream, moves: Moves) -> int:
    n = free_cells(instance, state, stream, moves)
    if _may_swap(instance, state.board):
        moves[n] = state.board.free[n]
        n += 1
    return n


@rules.draw_move.register(HexBoard)
def draw_move(instance: HexBoard, state: HexState, stream: Stream, moves: Moves) -> int:
    if not _may_swap(instance, state.board):
        return any_free_cell(instance, state, stream, moves)
    n = len(state.board.free)
    moves[0] = state.board.free[next_place(stream, n)]
    return n


rules.won_by_force.register(HexBoard)(winner_by_connections)
rules.forced_move.register(HexBoard)(move_to_connection)
rules.saving_moves.register(HexBoard)(moves_in_carriers)
rules.urgent_move.register(HexBoard)(bridge_to_save)
rules.player.register(HexBoard)(who_moves)
rules.rewards.register(HexBoard)(winner_takes_all)
rules.code.register(HexBoard)(stone_code)
rules.key.register(HexBoard)(stones_key)


@dataclass(frozen=True)
class HexOptions:
    """Options of the start of a game, and of its rules.

    Parameters
    ----------
    size : int
        Rows and columns.
    first : str
        Cell of the first stone of x, before o moves; or none.
    swap : bool
        O may take the first stone over, mirrored, instead of setting one.
    misere : bool
        Who connects his sides loses.
    """

    size: Annotated[int, Range(2, LARGEST)] = 7
    first: str = "c3"
    swap: bool = False
    misere: bool = False

    def __post_init__(self) -> None:
        check_fields(self)


class Hex(PlacementGame):
    """Hex: connect two sides; rows are counted from above, as is usual for it."""

    name: ClassVar[str] = "hex"
    shipped_prior: ClassVar[str | None] = "hex-replies"
    instance_class: ClassVar[type] = HexBoard
    options: ClassVar[type[HexOptions]] = HexOptions
    drawing: ClassVar[str] = "pipeline.reports.drawings.hexagons"
    priors: ClassVar[dict[str, PriorCode]] = {
        code.name: code for code in (BRIDGES, HEX_LAST, HEX_SECOND, LINKS)
    }
    start_options: ClassVar[tuple[str, ...]] = ("size", "first")
    from_above: ClassVar[bool] = True
    vertex_letters: ClassVar[str] = LETTERS  # as viewers of Hex have them, rows from above, too
    vertex_words: ClassVar[dict[str, str]] = {SWAP: SWAP_PIECES}

    def start(self, options: HexOptions) -> Problem:
        """The first stone, if there is one."""
        problem = self.empty(options.size, options.size)
        if options.first == "none":
            return problem
        row, column = self.cell_named(options.first, options.size, options.size, "first")
        problem.data.cells[row, column] = 1
        return Problem(problem.name, problem.data._replace(turn=1))

    def check(self, position: GridPosition, source: str) -> None:
        """The board is square."""
        super().check(position, source)
        rows, columns = position.cells.shape
        if rows != columns or rows < 2:
            raise InputError(f"{source}: {rows} rows of {columns}, expected as many of both, 2 up")

    def instance(self, problem: Problem, options: Any) -> HexBoard:
        """Note the sides that cells lie at."""
        size = len(problem.data.cells)
        sides = np.zeros((2, size + 2, size + 2), np.int32)
        for sided in (sides[0], sides[1].T):
            sided[1, 1:-1] |= 1
            sided[size, 1:-1] |= 2
        rims = np.zeros((size + 2, size + 2), np.int32)
        rims[1:-1, [0, -1]] = 1
        lines = np.zeros((2, size + 2, size + 2), np.int32)
        lines[0, 1:-1, 1:-1] = 1 << np.arange(size)[:, None]
        lines[1] = lines[0].T
        return HexBoard(
            new_board(problem.data), sides.reshape(2, -1), rims.ravel(), lines.reshape(2, -1),
            int(options.swap), int(options.misere),
        )  # fmt: skip

    def format_move(self, instance: HexBoard, state: HexState, move: int) -> str:
        """Write the name of a cell, or that its stone is taken over."""
        if state.board.owner[move] != NOBODY:
            return SWAP
        return super().format_move(instance, state, move)

    def limits(self, instance: HexBoard) -> Limits:
        """Every move takes a free cell; a swap takes none, and is possible once."""
        if not instance.swap:
            return super().limits(instance)
        n = 1 + int((instance.board.stones == 0).sum())
        return Limits(n, n, n * (n + 1) // 2, 2 * len(instance.board.cells))

    def new_state(self, instance: HexBoard) -> HexState:
        """Allocate a state."""
        area = len(instance.board.ordinal)
        parent, sides = np.zeros(area, np.uint32), np.zeros(area, np.int32)
        return HexState(new_placed(instance.board), parent, sides, new_plan(area))
