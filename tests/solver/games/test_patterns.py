"""Codes of priors of games against plain ones, computed from positions and coordinates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from solver.compiling.random import new_stream, next_below
from solver.contract.codes import PriorCode
from solver.contract.rules import play, prior_code, reset
from solver.games import load_game
from solver.games.boards.codes.ring import RINGS
from solver.games.boards.grid import GridPosition
from solver.games.boards.patterns import FREE, MINE, NONE, THEIRS
from solver.games.moves import moves_by_text

Cell = tuple[int, int]
Board = dict[Cell, int]
Plain = Callable[[GridPosition, Cell, Cell | None], tuple[int, ...]]

CROSS = [(-1, 0), (0, -1), (0, 1), (1, 0)]
AROUND = [(-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1)]
#: Of Hex, each beside the next.
SIX = [(-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1), (0, -1)]


def board_of(position: GridPosition) -> Board:
    """Return the owner of each cell, seen by the player to move."""
    return {
        (int(row), int(column)): FREE
        if mark == 0
        else MINE
        if mark - 1 == position.turn
        else THEIRS
        for (row, column), mark in np.ndenumerate(position.cells)
    }


def plus(cell: Cell, step: Cell, times: int = 1) -> Cell:
    return cell[0] + times * step[0], cell[1] + times * step[1]


def rows_of_five(position: GridPosition, cell: Cell, _: Cell | None) -> tuple[int, ...]:
    """Classes of the two best directions, of both sides."""
    board, found = board_of(position), []
    for side in (MINE, THEIRS):
        classes = []
        for step in ((0, 1), (1, -1), (1, 0), (1, 1)):
            rows = [[plus(cell, step, place + k) for k in range(5)] for place in range(-4, 1)]
            held = [[board.get(at, NONE) for at in row] for row in rows]
            stones = [row.count(side) for row in held if {*row} <= {FREE, side}]
            most = max(stones, default=0)
            classes.append(1 + 2 * most + (stones.count(most) > 1) if stones else 0)
        found += sorted(classes)[:-3:-1]
    return tuple(found)


def stones(position: GridPosition, cell: Cell, _: Cell | None) -> tuple[int, ...]:
    """The ring, and the weakest group of both sides."""
    board = board_of(position)
    ring = 0
    for step in AROUND:
        ring = 4 * ring + board.get(plus(cell, step), NONE)
    weakest = [weakest_group(position, cell, side) for side in (MINE, THEIRS)]
    return int(RINGS[ring]), *weakest


def weakest_group(position: GridPosition, cell: Cell, side: int) -> int:
    """0 without a group beside the cell, 1 in atari, 2 with few pairs of stone and liberty, 3."""
    board, found = board_of(position), []
    for near in (plus(cell, step) for step in CROSS):
        if board.get(near) != side:
            continue
        group, new = {near}, [near]
        while new:
            at = new.pop()
            more = {plus(at, step) for step in CROSS} - group
            marks = position.cells
            new += [other for other in more if other in board and marks[other] == marks[near]]
            group |= {*new}
        pairs = [
            plus(at, step) for at in group for step in CROSS if board.get(plus(at, step)) == FREE
        ]
        found.append(1 if len({*pairs}) == 1 else 2 if len(pairs) <= 2 else 3)
    return min(found, default=0)


def hex_view(position: GridPosition) -> Callable[[Cell], int]:
    """Return the owner of a cell or side, with the player to move going downwards."""
    board, size = board_of(position), len(position.cells)

    def held(at: Cell) -> int:
        at = at if position.turn == 0 else at[::-1]
        if at in board:
            return board[at]
        above = at[0] in (-1, size) and at[1] not in (-1, size)
        corner = {at[0], at[1]} <= {-1, size}
        return MINE if (above or corner) == (position.turn == 0) else THEIRS

    return held


def bridges(position: GridPosition, cell: Cell, _: Cell | None) -> tuple[int, ...]:
    """The six cells around and the sides with bridges; the greater of both ways up."""
    held = hex_view(position)
    here = cell if position.turn == 0 else cell[::-1]
    found = []
    for steps in (SIX, SIX[3:] + SIX[:3]):
        ring, sides = 0, set()
        for step, other in zip(steps, steps[1:] + steps[:1], strict=True):
            ring = 3 * ring + held(plus(here, step))
            if held(plus(here, step)) == held(plus(here, other)) == FREE:
                down, right = plus(step, other)
                far = held(plus(plus(here, step), other))
                turn = 1 if steps == SIX else -1
                if far == MINE:
                    sides.add(1 if turn * down < 0 else 2)
                if far == THEIRS:
                    sides.add(4 if turn * right > 0 else 8)
        found.append((ring, sum(sides)))
    return max(found)


def links(position: GridPosition, cell: Cell, _: Cell | None) -> tuple[int, ...]:
    """Bridges with the cell between their ends: intruded into, of the other, and intact."""
    held, size = hex_view(position), len(position.cells)
    here = cell if position.turn == 0 else cell[::-1]
    found = [0, 0, 0]
    for place in range(6):
        ends = {held(plus(here, SIX[place])), held(plus(here, SIX[(place + 2) % 6]))}
        between = plus(here, SIX[(place + 1) % 6])
        if not (0 <= between[0] < size and 0 <= between[1] < size):
            continue
        found[0] += ends == {MINE} and held(between) == THEIRS
        found[1] += ends == {THEIRS} and held(between) == FREE
        found[2] += ends == {MINE} and held(between) == FREE
    return tuple(min(number, 2) for number in found)


def exchanges(steps: list[Cell], quiet: int) -> Plain:
    """Rows, capture, and who attacks whom, for pieces with these steps, of x."""

    def code(position: GridPosition, cell: Cell, target: Cell | None) -> tuple[int, ...]:
        assert target is not None
        board, last = board_of(position), len(position.cells) - 1
        forward = 1 if position.turn == 0 else -1
        capturing = [(forward * down, forward * right) for down, right in steps[quiet:]]

        def count(at: Cell, side: int, sign: int) -> int:
            return sum(board.get(plus(at, step, sign)) == side for step in capturing)

        left = target[0] if position.turn == 0 else last - target[0]
        rows = left if left <= 3 else max(7 - (last - left), 4)
        defenders = count(target, MINE, -1) - (target in [plus(cell, s) for s in capturing])
        numbers = [count(target, THEIRS, 1), defenders, count(target, THEIRS, 1)]
        return (
            rows,
            int(board[target] == THEIRS),
            *(min(n, 2) for n in numbers),
            min(count(cell, THEIRS, 1), 2),
        )

    return code


PAWN, KNIGHT = [(-1, 0), (-1, -1), (-1, 1)], [(-2, -1), (-2, 1), (-1, -2), (-1, 2)]
PLAYED: list[tuple[str, dict[str, Any], Plain]] = [
    ("hex", {"size": 5, "first": "none"}, bridges),
    ("gomoku", {"size": 7}, rows_of_five),
    ("atarigo", {"size": 5}, stones),
    ("nogo", {"size": 5}, stones),
    ("nogo", {"size": 4, "players": 3}, stones),
    ("breakthrough", {"rows": 9, "columns": 4}, exchanges(PAWN, 1)),
    ("knightthrough", {"rows": 6, "columns": 5}, exchanges(KNIGHT, 0)),
]


OTHERS: list[tuple[str, dict[str, Any], str, Plain]] = [
    ("hex", {"size": 5, "first": "none"}, "links", links),
]


@pytest.mark.parametrize(("name", "options", "plain"), PLAYED)
def test_codes_are_those_of_the_position(name: str, options: dict[str, Any], plain: Plain) -> None:
    """Codes of every move in random games are right, component by component."""
    game = load_game(name)
    check_codes(game, options, next(iter(game.priors.values())), plain)


@pytest.mark.parametrize(("name", "options", "code", "plain"), OTHERS)
def test_other_codes_are_those_of_the_position(
    name: str, options: dict[str, Any], code: str, plain: Plain
) -> None:
    """Likewise, of the codes that are not the first."""
    game = load_game(name)
    check_codes(game, options, game.priors[code], plain, least=5)


def check_codes(
    game: Any, options: dict[str, Any], code: PriorCode, plain: Plain, least: int = 30
) -> None:
    instance = game.instance(game.start(game.options(**options)), game.options(**options))
    state = game.new_state(instance)
    prior = code.table_class(np.zeros(code.rows))
    seen = set()
    for seed in range(3):
        reset(instance, state)
        stream = new_stream(seed)
        while possible := moves_by_text(game, instance, state):
            position = game.position(instance, state)
            for word, move in possible.items():
                cells = [
                    game.cell_named(at, *position.cells.shape, word)
                    for at in word.replace("x", "-").split("-")
                ]
                row = prior_code(prior, instance, state, move)
                found = np.unravel_index(row, tuple(code.components.values()))
                expected = plain(position, cells[0], cells[1] if len(cells) > 1 else None)
                assert tuple(map(int, found)) == expected, word
                seen.add(expected)
            with np.errstate(over="ignore"):
                chosen = next_below(stream, len(possible))
            play(instance, state, list(possible.values())[chosen])
    assert len(seen) > least


@pytest.mark.parametrize(
    ("name", "options"), [("hex", {"size": 6}), ("gomoku", {"size": 8}), ("nogo", {"size": 6})]
)
def test_offsets_are_from_the_last_stones(name: str, options: dict[str, Any]) -> None:
    """`last` and `second` tell how far the stones set last are, alike where the board is."""
    game: Any = load_game(name)
    instance = game.instance(game.start(game.options(**options)), game.options(**options))
    state = game.new_state(instance)
    reset(instance, state)
    played = [tuple(map(int, at)) for at in np.argwhere(game.position(instance, state).cells)]
    stream = new_stream(1)
    codes = [game.priors[code] for code in ("last", "second")]
    row_of: dict[Any, int] = {}
    for _ in range(8):
        possible = moves_by_text(game, instance, state)
        turn = game.position(instance, state).turn
        for move in possible.values():
            cell = game.cell(instance, move)
            for back, code in enumerate(codes, start=1):
                row = prior_code(code.table_class(np.zeros(code.rows)), instance, state, move)
                stone = played[-back] if back <= len(played) else None
                offset: Any = stone and (cell[0] - stone[0], cell[1] - stone[1])
                if stone and max(map(abs, offset)) > 4:
                    offset = "far"
                elif stone and name == "hex":
                    offset = offset if turn == 0 else offset[::-1]
                    offset = max(offset, (-offset[0], -offset[1]))
                elif stone:
                    offset = max(map(abs, offset)), min(map(abs, offset))
                assert row_of.setdefault(offset, row) == row
        with np.errstate(over="ignore"):
            move = list(possible.values())[next_below(stream, len(possible))]
        played.append(game.cell(instance, move))
        play(instance, state, move)
    assert len({*row_of.values()}) == len(row_of) > 10
