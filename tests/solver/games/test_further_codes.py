"""Further codes of priors of games against plain ones, as `test_patterns` has the first ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from solver.contract.rules import play, prior_code, reset
from solver.games import load_game
from solver.games.boards.codes.ring import HOLDERS, RINGS
from solver.games.boards.grid import GridPosition
from solver.games.boards.patterns import MINE, NONE, THEIRS
from solver.games.moves import moves_by_text
from tests.solver.games.test_patterns import (
    AROUND,
    CROSS,
    Cell,
    Plain,
    board_of,
    check_codes,
    plus,
)

FREE = 0


def around(position: GridPosition, cell: Cell, _: Cell | None) -> tuple[int, ...]:
    """Class of the ring from above left on, the first cell the most significant digit."""
    board, ring = board_of(position), 0
    for step in AROUND:
        ring = HOLDERS * ring + board.get(plus(cell, step), NONE)
    return (int(RINGS[ring]),)


def place(position: GridPosition, cell: Cell, _: Cell | None) -> tuple[int, ...]:
    """Quarter of the game, and the distances from the sides, three at most."""
    rows, columns = position.cells.shape
    sides = min(cell[0], rows - 1 - cell[0]), min(cell[1], columns - 1 - cell[1])
    filled = np.count_nonzero(position.cells) / position.cells.size
    near, far = sorted(min(side, 3) for side in sides)
    return int(4 * filled), near, far


def life(position: GridPosition, cell: Cell, _: Cell | None) -> tuple[int, ...]:
    """Groups beside the cell, found anew, and their pairs of a stone and a free cell but this."""
    board = board_of(position)

    def pairs_of(group: set[Cell]) -> int:
        beside = [plus(at, step) for at in group for step in CROSS]
        return sum(board.get(at) == FREE and at != cell for at in beside)

    groups: dict[int, list[set[Cell]]] = {MINE: [], THEIRS: []}
    for near in (plus(cell, step) for step in CROSS):
        mark = position.cells[near] if near in board else 0
        if mark == 0 or any(near in group for group in groups[board[near]]):
            continue
        group, new = {near}, [near]
        while new:
            beside = {plus(new[-1], step) for step in CROSS}
            new.pop()
            more = [a for a in beside - group if a in board and position.cells[a] == mark]
            group |= {*more}
            new += more
        groups[board[near]].append(group)
    free = sum(board.get(plus(cell, step)) == FREE for step in CROSS)
    room = free + sum(map(pairs_of, groups[MINE]))
    weakest = min([6, *map(pairs_of, groups[THEIRS])])
    return min(room, 7), min(len(groups[MINE]), 2), min(len(groups[THEIRS]), 2), weakest


def left_of(position: GridPosition, cell: Cell, side: int) -> int:
    """Rows to the goal of a side; x goes up."""
    upwards = (position.turn == 0) == (side == MINE)
    return cell[0] if upwards else len(position.cells) - 1 - cell[0]


def sites(position: GridPosition, cell: Cell, target: Cell | None) -> tuple[int, ...]:
    """Row of the target, its distance from the nearer side, and whether that grows."""
    assert target is not None
    rows, columns = position.cells.shape
    left = left_of(position, target, MINE)
    row = left if left <= 3 else max(7 - (rows - 1 - left), 4)
    before, after = (min(at[1], columns - 1 - at[1]) for at in (cell, target))
    return row, min(after, 3), 1 + int(np.sign(after - before))


def race(wide: int) -> Plain:
    """Rows to go, enemies that stand in the cone ahead, and rows of the foremost of them."""

    def code(position: GridPosition, cell: Cell, target: Cell | None) -> tuple[int, ...]:
        assert target is not None
        enemies = [at for at, side in board_of(position).items() if side == THEIRS and at != target]
        forward = -1 if position.turn == 0 else 1
        ahead = [(forward * (at[0] - target[0]), abs(at[1] - target[1])) for at in enemies]
        defenders = sum(down > 0 and aside <= wide * down for down, aside in ahead)
        foremost = min([6, *(left_of(position, at, THEIRS) for at in enemies)])
        left = left_of(position, target, MINE)
        return min(left, 5), min(defenders, 2), min(max(foremost - 1, 0), 5)

    return code


CODES: list[tuple[str, dict[str, Any], str, Plain, int]] = [
    ("atarigo", {"size": 5}, "around", around, 30),
    ("atarigo", {"size": 5}, "life", life, 30),
    ("nogo", {"size": 5, "players": 3}, "life", life, 30),
    ("nogo", {"size": 4}, "place", place, 8),
    ("gomoku", {"size": 8}, "place", place, 30),
    ("breakthrough", {"rows": 9, "columns": 5}, "sites", sites, 20),
    ("knightthrough", {"rows": 7, "columns": 8}, "sites", sites, 20),
    ("breakthrough", {"rows": 8, "columns": 5}, "race", race(1), 20),
    ("knightthrough", {"rows": 8, "columns": 6}, "race", race(2), 20),
]


@pytest.mark.parametrize(("name", "options", "code", "plain", "least"), CODES)
def test_codes_are_those_of_the_position(
    name: str, options: dict[str, Any], code: str, plain: Plain, least: int
) -> None:
    """Codes of every move in random games are right, component by component."""
    game = load_game(name)
    check_codes(game, options, game.priors[code], plain, least=least)


def test_rings_are_told_apart_but_for_turns_and_mirrors() -> None:
    """Turns and mirrors of the square keep the class of any ring; 8,740 of 65,536 are left."""
    weights = HOLDERS ** np.arange(7, -1, -1)
    squares = np.zeros((len(RINGS), 3, 3), np.int64)
    for (row, column), weight in zip(AROUND, weights, strict=True):
        squares[:, row + 1, column + 1] = np.arange(len(RINGS)) // weight % HOLDERS
    for one in (squares, squares[:, :, ::-1]):
        for turns in range(4):
            turned = np.rot90(one, turns, axes=(1, 2))
            numbers = sum(
                turned[:, row + 1, column + 1] * weight
                for (row, column), weight in zip(AROUND, weights, strict=True)
            )
            assert np.array_equal(RINGS[numbers], RINGS)
    # Burnside: rings that a symmetry leaves alone, of none, half a turn, quarters, and mirrors.
    orbits = (4**8 + 4**4 + 2 * 4**2 + 4 * 4**5) // 8
    assert np.array_equal(np.unique(RINGS), np.arange(orbits))
    assert orbits == 8740


@pytest.mark.parametrize("name", ["atarigo", "nogo"])
def test_stones_beside_and_aslant_are_told_apart(name: str) -> None:
    """A stone beside a cell has another row than one aslant, whichever of the four it is."""
    game: Any = load_game(name)
    options = game.options(size=5)
    instance = game.instance(game.start(options), options)
    state = game.new_state(instance)
    reset(instance, state)
    play(instance, state, moves_by_text(game, instance, state)["c3"])
    moves = moves_by_text(game, instance, state)
    for code in (game.priors["stones"], game.priors["around"]):
        prior = code.table_class(np.zeros(code.rows))
        beside, aslant = (
            {prior_code(prior, instance, state, moves[cell]) for cell in cells}
            for cells in (("b3", "c2", "c4", "d3"), ("b2", "b4", "d2", "d4"))
        )
        assert len(beside) == len(aslant) == 1
        assert beside != aslant
