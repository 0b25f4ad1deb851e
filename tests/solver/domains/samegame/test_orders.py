"""Games as orders of cells, against the rules in plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from solver.compiling.random import new_stream, next_below
from solver.contract import orders as contract
from solver.contract.domain import Problem
from solver.domains.samegame.orders import new_cell_orders
from tests.solver.domains.samegame.test_domain import ALL, DOMAIN, PlainBoard, boards


def removed_with(plain: PlainBoard, origin: tuple[int, int]) -> bool:
    """Remove the group that the cell of the start is in by now; returns whether there is one."""
    for group in plain.groups():
        if origin in {plain.origin[cell] for cell in group}:
            plain.remove(group)
            return True
    return False


def first_grouped(plain: PlainBoard, instance: Any, begin: int) -> tuple[int, int]:
    """The cell of the start that a game without an order removes next, from column `begin` on."""
    found = []
    for group, colour in plain.groups().items():
        for x, y in group & {place for a, b in group for place in ((a - 1, b), (a, b - 1))}:
            column = (plain.origin[x, y][0] - begin) % instance.width
            found.append((colour == instance.dominant, column, y, plain.origin[x, y]))
    return min(found)[-1]


def places(orders: Any, instance: Any) -> dict[tuple[int, int], tuple[int, int]]:
    """The cell of the start that lies at each place, columns counted without empty ones."""
    rows = [
        [row for row in range(instance.height) if not gone >> row & 1]
        for gone in orders.cells.gone[1:-1].tolist()
    ]
    filled = [x for x in range(instance.width) if rows[x]]
    return {(place, y): (x, row) for place, x in enumerate(filled) for y, row in enumerate(rows[x])}


@given(boards(), st.integers(0, 99), st.integers(0, 40))
def test_an_order_is_played_by_the_rules(board: Any, seed: int, wanted: int) -> None:
    """Cells that are gone or alone are passed over; then all that can be removed is.

    That is from a column drawn at random around, first what has not the dominant colour.
    """
    instance = DOMAIN.instance(Problem("b", board), ALL)
    orders, plain, stream = new_cell_orders(instance), PlainBoard(board), new_stream(seed)
    order = np.random.default_rng(seed).integers(0, board.size, wanted)
    expected = [cell for cell in order if removed_with(plain, divmod(int(cell), instance.height))]
    played = np.zeros(max(DOMAIN.limits(instance).steps, 1), np.int64)
    contract.go_to(orders, instance, order, 0)
    with np.errstate(over="ignore"):
        steps = contract.go_on(orders, instance, order, 0, stream, played, -np.inf)
        following = new_stream(seed)
        begin = next_below(following, instance.width) if len(plain.cells) > 1 else 0
    assert np.array_equal(stream, following)
    assert played[: len(expected)].tolist() == expected
    for cell in played[len(expected) : steps]:
        assert divmod(int(cell), instance.height) == first_grouped(plain, instance, begin)
        assert removed_with(plain, divmod(int(cell), instance.height))
    assert not plain.groups()
    assert places(orders, instance) == plain.origin
    score = plain.score + (0 if plain.cells else 1000)
    assert contract.order_score(orders, instance) == score
    shaped = plain.score + 1000 - 15 * len(plain.cells)
    assert contract.shaped_order_score(orders, instance) == shaped


@given(boards(), st.integers(0, 99))
def test_an_order_that_is_kept_can_be_gone_to(board: Any, seed: int) -> None:
    """Each step of a kept order has the board of the rules, and lists legal moves."""
    instance = DOMAIN.instance(Problem("b", board), ALL)
    orders, plain, stream = new_cell_orders(instance), PlainBoard(board), new_stream(seed)
    played = np.zeros(max(DOMAIN.limits(instance).steps, 1), np.int64)
    nothing = played[:0]
    contract.go_to(orders, instance, nothing, 0)
    with np.errstate(over="ignore"):
        steps = contract.go_on(orders, instance, nothing, 0, stream, played, -np.inf)
    score, order = contract.order_score(orders, instance), played[:steps]
    contract.keep(orders, instance, order, 0)
    moves = np.zeros(steps, np.int64)
    contract.list_moves(orders, instance, order, moves)
    answer = np.stack([moves // instance.height, moves % instance.height], axis=1)
    DOMAIN.verify(Problem("b", board), answer)
    assert DOMAIN.objective(Problem("b", board), answer) == score
    for step in range(steps):
        contract.go_to(orders, instance, order, step)
        assert places(orders, instance) == plain.origin
        with np.errstate(over="ignore"):
            cell = contract.draw_item(orders, instance, stream)
        assert 0 <= cell < board.size
        assert removed_with(plain, divmod(int(order[step]), instance.height))


def changed_at_random(order: Any, cells: int, random: np.random.Generator) -> tuple[int, Any]:
    """An order with an item added, taken out, replaced or moved, and the first step changed."""
    items, kind, n = order.tolist(), random.integers(0, 4), len(order)
    if n < 2 or kind == 0:
        step = int(random.integers(0, n + 1))
        items.insert(step, int(random.integers(0, cells)))
        return step, np.array(items, np.int64)
    step = int(random.integers(0, n))
    item = items.pop(step)
    if kind == 1:
        items.insert(step, int(random.integers(0, cells)))
    elif kind == 2:
        place = int(random.integers(0, n))
        items.insert(place, item)
        step = min(step, place)
    return step, np.array(items, np.int64)


def check_changes(board: Any, seed: int, changes: int) -> int:
    """Change a kept order again and again; returns how often its end was that of the kept one."""
    instance, random = DOMAIN.instance(Problem("b", board), ALL), np.random.default_rng(seed)
    orders, steps = new_cell_orders(instance), max(DOMAIN.limits(instance).steps, 1)
    played, expected = np.zeros(steps, np.int64), np.zeros(steps, np.int64)
    order, met = np.zeros(0, np.int64), 0
    for number in range(changes):
        step, changed = changed_at_random(order, board.size, random)
        fresh, streams = new_cell_orders(instance), [new_stream(number), new_stream(number)]
        contract.go_to(orders, instance, order, step)
        played[:step] = order[:step]
        contract.go_to(fresh, instance, order, 0)
        with np.errstate(over="ignore"):
            n = contract.go_on(orders, instance, changed, step, streams[0], played, -np.inf)
            m = contract.go_on(fresh, instance, changed, 0, streams[1], expected, -np.inf)
        assert played[:n].tolist() == expected[:m].tolist()
        assert orders.game.tolist() == fresh.game.tolist()
        assert np.array_equal(streams[0], streams[1])
        met += not np.array_equal(orders.cells.gone, fresh.cells.gone)
        if number == 0 or random.integers(0, 2):
            order = played[:n].copy()
            contract.keep(orders, instance, order, step if number else 0)
            contract.keep(fresh, instance, order, 0)
            for step in range(n + 1):
                contract.go_to(orders, instance, order, step)
                contract.go_to(fresh, instance, order, step)
                assert orders.game.tolist() == fresh.game.tolist()
                assert np.array_equal(orders.cells.gone, fresh.cells.gone)
    return met


@pytest.mark.slow
@settings(max_examples=30)
@given(boards(), st.integers(0, 99))
def test_a_change_beside_a_kept_order_is_played_like_any_other(board: Any, seed: int) -> None:
    """Nothing depends on the order that is kept: games, scores, draws, and boards after it."""
    event(f"ended as the kept order: {min(check_changes(board, seed, 40), 1)}")


@pytest.mark.slow
@pytest.mark.parametrize("width", [61, 62, 63, 70, 130])
def test_boards_with_more_columns_than_an_integer_has_bits(width: int) -> None:
    """Changes of orders of wide boards are played like any others too."""
    board = np.random.default_rng(width).integers(1, 4, (3, width)).astype(np.int8)
    check_changes(board, width, 20)


@given(boards(), st.integers(0, 99), st.integers(0, 40))
def test_a_game_is_given_up_only_below_the_floor(board: Any, seed: int, wanted: int) -> None:
    """With a floor a game is the same as without, or both its scores are below the floor."""
    instance = DOMAIN.instance(Problem("b", board), ALL)
    order = np.random.default_rng(seed).integers(0, board.size, wanted)
    played, given_up = np.zeros(max(DOMAIN.limits(instance).steps, 1), np.int64), 0
    whole = new_cell_orders(instance)
    contract.go_to(whole, instance, order, 0)
    with np.errstate(over="ignore"):
        contract.go_on(whole, instance, order, 0, new_stream(seed), played, -np.inf)
    shaped = contract.shaped_order_score(whole, instance)
    for floor in (shaped - 20, shaped, shaped + 1, shaped + 20, shaped + 2000):
        orders = new_cell_orders(instance)
        contract.go_to(orders, instance, order, 0)
        with np.errstate(over="ignore"):
            contract.go_on(orders, instance, order, 0, new_stream(seed), played, floor)
        reached = contract.shaped_order_score(orders, instance)
        assert contract.order_score(orders, instance) <= contract.order_score(whole, instance)
        if reached != shaped:
            given_up += 1
            assert max(reached, shaped) < floor
        elif shaped >= floor:
            assert orders.game.tolist() == whole.game.tolist()
    event(f"given up: {min(given_up, 1)}")
