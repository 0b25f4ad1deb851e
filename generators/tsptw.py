"""Random tours with windows around the times of their visits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from solver.domain import Problem
from solver.domains.tsptw import Tour
from solver.domains.tsptw_text import MAX_NODES
from solver.errors import InputError
from solver.random import new_stream, next_uniform

SIDE = 100.0
DECIMALS = 4


@dataclass(frozen=True)
class TsptwGenerator:
    """Which instances to draw.

    Nodes are uniform in a square of side 100. From the depot the tour goes on to the second
    nearest node left; a window begins and ends up to half a width from its visit (as in
    Dumas et al. 1995). So the tour is feasible, and seldom the best.

    Parameters
    ----------
    customers : int
        Number of nodes besides the depot.
    width : float
        Largest width of a window.

    Raises
    ------
    InputError
        If a parameter is out of range.
    """

    domain: ClassVar[str] = "tsptw"
    customers: int = 40
    width: float = 60.0

    def __post_init__(self) -> None:
        if not 1 <= self.customers < MAX_NODES:
            raise InputError(f"customers is {self.customers}, expected 1 ... {MAX_NODES - 1}")
        if not 0 <= self.width < np.inf:
            raise InputError(f"width is {self.width}, expected 0 or more")

    @property
    def family(self) -> str:
        """What these instances are called in a report."""
        return f"{self.customers} customers, windows up to {self.width:g}"

    @property
    def family_parameters(self) -> dict[str, float | str]:
        """Parameters by which a report may compare families."""
        return {"customers": self.customers, "width": self.width}

    def generate(self, seed: int, number: int) -> tuple[Problem, Tour]:
        """Return instance `number` of `seed` and the tour that its windows were made for."""
        stream = new_stream(seed, number)
        n = self.customers + 1
        with np.errstate(over="ignore"):  # outside of kernels streams wrap around with a warning
            draws = np.array([next_uniform(stream) for _ in range(4 * n)]).reshape(n, 4)
        away = draws[:, None, :2] - draws[None, :, :2]
        cost = np.round(SIDE * np.sqrt((away**2).sum(axis=2)), DECIMALS)
        tour, rest = [0], list(range(1, n))
        times = np.zeros(n)
        while rest:
            here = tour[-1]
            there = sorted(rest, key=lambda node: (cost[here, node], node))[: min(2, len(rest))][-1]
            times[there] = times[here] + cost[here, there]
            tour.append(there)
            rest.remove(there)
        scale = 10**DECIMALS
        start = np.floor((times - draws[:, 2] * self.width / 2) * scale) / scale
        end = np.ceil((times + draws[:, 3] * self.width / 2) * scale + 1) / scale
        start[0], end[0] = 0.0, np.ceil(times.max() + cost.max() + self.width)
        window = np.stack([np.maximum(start, 0.0), end], axis=1)
        name = f"tsptw-{self.customers}-{self.width:g}-{seed}-{number}"
        return Problem(name, np.hstack([cost, window])), np.array([*tour, 0], np.int64)


def benchmark(instances: int, seed: int) -> Iterator[Problem]:
    """Yield the set `solve tsptw` runs on: 40 customers."""
    generator = TsptwGenerator()
    return (generator.generate(seed, number)[0] for number in range(instances))
