"""Hex: x connects the upper and the lower side, o the left and the right one.

The first stone is set, and nobody swaps. The first connection wins; one of the two always does. The
paper has that stone at (2, 2) (paper 'mcps', 4.1): b2, its numbers say, counted from 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from solver.compiling.jit import inlined
from solver.contract import rules
from solver.contract.codes import PriorCode
from solver.contract.domain import Problem
from solver.errors import InputError
from solver.games.boards.grid import LARGEST, LETTERS, GridPosition
from solver.games.boards.patterns import BRIDGES
from solver.games.boards.placement import (
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


class HexBoard(NamedTuple):
    """A position."""

    board: Board
    sides: Ints
    """int32[2, area]: sides of a player that a cell lies at."""
    rims: Ints
    """int32[area]: whose side a cell of the rim is."""


class HexState(NamedTuple):
    """Stones, and which of them are connected."""

    board: Placed
    parent: UInts
    """uint32[area]: of a stone, on the way to the root of its group."""
    sides: Ints
    """int32[area]: sides that the group of a root touches."""


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
        state.board.counters[WINNER] = player


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
    _set(instance, state, move, mover)
    state.board.counters[TURN] = 1 - mover


rules.legal_moves.register(HexBoard)(free_cells)
rules.draw_move.register(HexBoard)(any_free_cell)
rules.player.register(HexBoard)(who_moves)
rules.rewards.register(HexBoard)(winner_takes_all)
rules.code.register(HexBoard)(stone_code)
rules.key.register(HexBoard)(stones_key)


@dataclass(frozen=True)
class HexOptions:
    """Options of the start of a game.

    Parameters
    ----------
    size : int
        Rows and columns.
    first : str
        Cell of the first stone of x, before o moves; or none.
    """

    size: Annotated[int, Range(2, LARGEST)] = 7
    first: str = "c3"

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
        return HexBoard(new_board(problem.data), sides.reshape(2, -1), rims.ravel())

    def new_state(self, instance: HexBoard) -> HexState:
        """Allocate a state."""
        area = len(instance.board.ordinal)
        parent, sides = np.zeros(area, np.uint32), np.zeros(area, np.int32)
        return HexState(new_placed(instance.board), parent, sides)
