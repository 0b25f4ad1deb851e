"""A small tour whose front of cost and makespan is known by trying every order."""

from __future__ import annotations

import functools
import itertools

import numpy as np

from solver.contract.domain import Problem

NODES, SEED = 8, 18


@functools.cache
def small_tour(begin: int = 0) -> Problem:
    """Return an instance that begins at `begin`: of 5,040 orders 48 are in time, 4 on the front."""
    random = np.random.default_rng(SEED)
    place = random.integers(0, 40, (NODES, 2))
    cost = np.rint(np.hypot(*(place[:, None] - place).T))
    start = random.integers(0, 120, NODES)
    start[0] = 0
    end = start + 60
    end[0] = 400
    return Problem("small", np.column_stack([cost, start + begin, end + begin]))


@functools.cache
def whole_front(begin: int = 0) -> list[tuple[float, float]]:
    """Cost and makespan of all tours of `small_tour` in time that none dominates, in order."""
    data = small_tour(begin).data
    found = set()
    for order in itertools.permutations(range(1, NODES)):
        time, cost, here, late = data[0, NODES], 0.0, 0, False
        for node in (*order, 0):
            cost += data[here, node]
            time += data[here, node]
            late = late or time > data[node, NODES + 1]
            time, here = max(time, data[node, NODES]), node
        if not late:
            found.add((float(cost), float(time)))
    return sorted(
        one
        for one in found
        if not any(two != one and two[0] <= one[0] and two[1] <= one[1] for two in found)
    )
