"""Bridges that playouts of Hex save, against a plain look at rows and columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from solver import load_game
from solver.contract.rules import play, reset, urgent_move
from solver.games.boards.placement import FREE, NOBODY, TURN, WINNER
from solver.testing.games import check_urgent

HEX = load_game("hex")
#: Rows and columns to the six neighbours of a cell, around it.
AROUND = ((-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1), (0, -1))
SIZE = 5
WIDTH = SIZE + 2


def begun(**options: Any) -> Any:
    """Return the instance of a start."""
    chosen = HEX.options(**options)
    return HEX.instance(HEX.start(chosen), chosen)


def broken_bridges(owner: Any, last: int, mover: int) -> set[int]:
    """Free cells that keep together what the last stone would part."""

    def mine(row: int, column: int) -> bool:
        if 0 < row <= SIZE and 0 < column <= SIZE:
            return bool(owner[row * WIDTH + column] == mover)
        # Of the first player are the rows above and below; corners lie beside no cell with both.
        return (row in (0, SIZE + 1)) == (mover == 0)

    row, column = divmod(last, WIDTH)
    cells = [(row + down, column + right) for down, right in AROUND]
    found = set()
    for before, between, after in zip(
        cells[-1:] + cells[:-1], cells, cells[1:] + cells[:1], strict=True
    ):
        inside = all(0 < at <= SIZE for at in between)
        free = inside and owner[between[0] * WIDTH + between[1]] < 0
        if free and mine(*before) and mine(*after):
            found.add(between[0] * WIDTH + between[1])
    return found


def test_a_bridge_is_saved_wherever_one_is_broken() -> None:
    """In random games the urgent move is one of the plain look's, none where there is none."""
    instance = begun(size=SIZE)
    state, drawn, seen = HEX.new_state(instance), np.random.default_rng(5), [0, 0]
    for _ in range(200):
        reset(instance, state)
        placed, last = state.board, None
        while placed.counters[WINNER] == NOBODY:
            urgent = int(urgent_move(instance, state))
            if last is not None:
                expected = broken_bridges(placed.owner, last, int(placed.counters[TURN]))
                assert urgent in expected if expected else urgent == -1
                seen[bool(expected)] += 1
            last = int(drawn.choice(placed.free[: placed.counters[FREE]]))
            play(instance, state, last)
        assert urgent_move(instance, state) == -1
    assert min(seen) > 200


def test_the_contract_is_kept() -> None:
    """The move is legal, with a swap and after the end, too."""
    for options in ({"size": 4}, {"size": 3, "swap": True}, {"size": 4, "misere": True}):
        check_urgent(HEX, begun(**options), "start")


def test_nothing_is_saved_where_who_connects_loses() -> None:
    """The stone of o on c3 breaks into the bridge of x from b4 to d3; d2 saves it."""
    for misere, saved in ((False, 3 * WIDTH + 3), (True, -1)):
        instance = begun(size=SIZE, first="none", misere=misere)
        state = HEX.new_state(instance)
        reset(instance, state)
        for row, column in ((3, 2), (5, 5), (2, 4), (2, 3)):
            play(instance, state, row * WIDTH + column)
        assert urgent_move(instance, state) == saved
