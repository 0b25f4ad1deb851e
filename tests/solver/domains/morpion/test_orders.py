"""Games as orders of lines, against the rules in plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from solver.algorithms import Relay, Tempering
from solver.compiling.random import new_stream
from solver.contract import orders as contract
from solver.contract.domain import Problem
from solver.domains.morpion.domain import MorpionDomain
from solver.domains.morpion.orders import new_line_orders
from solver.domains.morpion.text import CROSS, VARIANTS, Start
from solver.testing import check_algorithm
from tests.solver.domains.morpion.test_domain import PlainSheet, named

DOMAIN = MorpionDomain()


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("seed", range(3))
def test_an_order_is_played_by_the_rules(variant: str, seed: int) -> None:
    """Lines that cannot be drawn are passed over, then lines are drawn until there is none."""
    problem = Problem("p", Start(CROSS, variant))
    instance = DOMAIN.instance(problem, DOMAIN.options())
    orders, plain, stream = new_line_orders(instance), PlainSheet(CROSS, variant), new_stream(seed)
    played = np.zeros(DOMAIN.limits(instance).steps, np.int64)
    order = np.random.default_rng(seed).integers(0, len(instance.start.on_line), 3000)
    contract.go_to(orders, instance, order, 0)
    with np.errstate(over="ignore"):
        steps = contract.go_on(orders, instance, order, 0, stream, played, -np.inf)
    expected = []
    for line in order:
        if named(instance, line) in plain.lines():
            plain.draw(*named(instance, line))
            expected.append(line)
    assert played[: len(expected)].tolist() == expected
    for line in played[len(expected) : steps]:
        plain.draw(*named(instance, line))
    assert not plain.lines()
    assert contract.order_score(orders, instance) == steps
    order = played[:steps].copy()
    contract.keep(orders, instance, order, 0)
    moves, items = np.zeros(steps, np.int64), np.zeros(steps, np.int64)
    contract.list_moves(orders, instance, order, moves)
    contract.list_items(orders, instance, moves, items)
    assert items.tolist() == order.tolist()
    again = PlainSheet(CROSS, variant)
    for step in range(steps):
        contract.go_to(orders, instance, order, step)
        listed = orders.sheet.listed[: orders.sheet.scalars[0]]
        assert sorted(named(instance, line) for line in listed) == sorted(again.lines())
        with np.errstate(over="ignore"):
            assert contract.draw_item(orders, instance, stream) in listed
        again.draw(*named(instance, order[step]))


def test_searches_of_orders_keep_the_promises_of_algorithms() -> None:
    """Pauses and threads change nothing, budgets are exact, also of a game begun."""
    begun = DOMAIN.parse("oooo.\no....\no....\no....\n1,5|5\n", "begun")
    problems = [*DOMAIN.parse("o\n", "dot"), *begun, Problem("cross", Start(CROSS))]
    for algorithm in (Tempering, Relay):
        quick = algorithm(cold=0.3, hot=1.0, replicas=3, turn=4, shaping=False)
        check_algorithm(quick, DOMAIN, problems)
