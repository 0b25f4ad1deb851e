"""Random tours with windows around the times of their visits, and better tours for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from generators.pyvrp_tours import solve_with_pyvrp
from generators.solved import SHARD_PLAYOUTS
from solver.algorithms import AS_PUBLISHED, Gnrpa
from solver.compiling.random import Stream, new_stream, next_uniform
from solver.contract.domain import Problem
from solver.domains.tsptw.coordinates import MAX_NODES
from solver.domains.tsptw.domain import Tour, TsptwDomain
from solver.searching.driver import Budget
from solver.searching.solution import solve
from solver.system.fields import Range, check_fields

SIDE = 100.0
DECIMALS = 4
#: Limits of mixed instances.
MOST_CLUSTERS, SPREAD, SERVICE, MOST_OPEN = 6, 0.25, 10.0, 0.8
Floats = npt.NDArray[np.float64]

#: More is of no use, and much more no longer a number of so many decimals.
MOST_WIDTH, MOST_ASYMMETRY = 1_000_000, 100

#: Explicit, so that instances stay as they are whatever suits the domain later.
SEARCH = Gnrpa(level=2, temperature=1.4, local_search=True, **AS_PUBLISHED)


class Mixture(NamedTuple):
    """Parameters of the instances of `--mixed on`; the defaults are those of all others."""

    customers: int
    width: float
    """Largest width of a window."""
    nearest: int = 2
    """The tour goes on to one of so many nearest nodes; not mixed: always to the last of them."""
    clusters: int = 0
    """Half of the customers are around so many points, if there are any."""
    service: float = 0.0
    """Time at a customer, part of the costs of leaving it."""
    open: float = 0.0
    """Share of the customers without a window."""


@dataclass(frozen=True)
class TsptwGenerator:
    """Generator of instances, with tours of several sources.

    Nodes are uniform in a square of side 100. From the depot the tour goes on to the second
    nearest node left; a window begins and ends up to half a width from its visit (as in
    Dumas et al. 1995). So the tour is feasible, and seldom the best.

    Parameters
    ----------
    customers : int
        Number of nodes besides the depot.
    width : float
        Largest width of a window.
    mixed : {"on", "off"}
        `on`: every instance has its own number of customers, from half of them, and its own
        largest width; some have clusters, service times, customers without a window, and
        tours that go on to any of the nearest.
    asymmetry : float
        Each leg costs more than its length by a share of its own, up to this one; 0: legs cost the
        same either way.
    tours : {"construction", "search", "pyvrp"}
        Source of the tours: the one that the windows were made for, GNRPA with local search, or
        the package PyVRP.
    effort : int
        Playouts of the search, or iterations of PyVRP.

    Raises
    ------
    InputError
        If a parameter is out of range.
    """

    domain: ClassVar[str] = "tsptw"
    customers: Annotated[int, Range(1, MAX_NODES - 1)] = 40
    width: Annotated[float, Range(0, MOST_WIDTH)] = 60.0
    mixed: Literal["on", "off"] = "off"
    asymmetry: Annotated[float, Range(0, MOST_ASYMMETRY)] = 0.0
    tours: Literal["construction", "search", "pyvrp"] = "construction"
    effort: Annotated[int, Range(1)] = 10_000

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def shard_instances(self) -> int:
        """Instances whose tours are found in about a minute."""
        return 10**9 if self.tours == "construction" else SHARD_PLAYOUTS // self.effort

    @property
    def family(self) -> str:
        """Name of these instances in a report."""
        kind = f", asymmetric by up to {self.asymmetry:g}" if self.asymmetry else ""
        if self.mixed == "on":
            return f"up to {self.customers} customers, mixed windows up to {self.width:g}{kind}"
        return f"{self.customers} customers, windows up to {self.width:g}{kind}"

    @property
    def family_parameters(self) -> dict[str, float | str]:
        """Parameters by which a report may compare families."""
        asymmetry = {"asymmetry": self.asymmetry} if self.asymmetry else {}
        return {"customers": self.customers, "width": self.width, "mixed": self.mixed, **asymmetry}

    def problem(self, seed: int, number: int) -> Problem:
        """Return instance `number` of `seed`."""
        return self._construct(seed, number)[0]

    def generate(self, seed: int, number: int) -> tuple[Problem, Tour]:
        """Return instance `number` of `seed` and a feasible tour from the source."""
        problem, tour = self._construct(seed, number)
        if self.tours == "search":
            domain = TsptwDomain()
            found = solve(
                domain, problem, domain.options(), SEARCH,
                Budget(playouts=self.effort), prior=domain.handmade["distance"], seed=seed,
            )  # fmt: skip
            return problem, found.answer if found.solved else tour
        if self.tours == "pyvrp":
            better = solve_with_pyvrp(problem.data, seed, iterations=self.effort).tour
            return problem, tour if better is None else better
        return problem, tour

    def _construct(self, seed: int, number: int) -> tuple[Problem, Tour]:
        """Return an instance and the tour that its windows were made for."""
        stream = new_stream(seed, number)
        mixed = self.mixed == "on"
        mixture = Mixture(self.customers, self.width)
        if mixed:
            mixture = _draw_mixture(stream, self.customers, self.width)
        n, width = mixture.customers + 1, mixture.width
        draws = _uniforms(stream, n, 8 if mixed else 4)
        place = draws[:, :2]
        if mixture.clusters:
            _gather(place, draws[:, 4:6], _uniforms(stream, mixture.clusters, 2))
        away = place[:, None] - place[None]
        length = SIDE * np.sqrt((away**2).sum(axis=2))
        if self.asymmetry:
            length *= 1.0 + self.asymmetry * _uniforms(stream, n, n)
        cost = np.round(length, DECIMALS)
        cost[1:] += mixture.service
        np.fill_diagonal(cost, 0.0)
        tour, times = _tour(cost, mixture.nearest, draws[:, 6] if mixed else np.ones(n))
        scale = 10**DECIMALS
        start = np.floor((times - draws[:, 2] * width / 2) * scale) / scale
        end = np.ceil((times + draws[:, 3] * width / 2) * scale + 1) / scale
        start[0], end[0] = 0.0, np.ceil(times.max() + cost.max() + width)
        if mixed:
            without = draws[:, 7] < mixture.open
            start[without], end[without] = 0.0, end[0]
        window = np.stack([np.maximum(start, 0.0), end], axis=1)
        kind = f"{'mixed-' if mixed else ''}{'asymmetric-' if self.asymmetry else ''}"
        name = f"tsptw-{kind}{self.customers}-{self.width:g}-{seed}-{number}"
        return Problem(name, np.hstack([cost, window])), np.array([*tour, 0], np.int64)


def _uniforms(stream: Stream, rows: int, columns: int) -> Floats:
    """Numbers in [0, 1), float64[rows, columns]; consumes `stream`."""
    with np.errstate(over="ignore"):  # outside of kernels streams wrap around with a warning
        drawn = [next_uniform(stream) for _ in range(rows * columns)]
    return np.array(drawn).reshape(rows, columns)


def _draw_mixture(stream: Stream, customers: int, width: float) -> Mixture:
    size, share, nearest, clusters, service, without = _uniforms(stream, 1, 6)[0]
    least = (customers + 1) // 2
    return Mixture(
        customers=least + int(size * (customers + 1 - least)),
        width=share * width,
        nearest=1 + int(3 * nearest),
        clusters=int(2 * MOST_CLUSTERS * clusters) % (MOST_CLUSTERS + 1),
        service=SERVICE * (service < 0.5),
        open=max(0.0, 2 * MOST_OPEN * (without - 0.5)),
    )


def _gather(place: Floats, draws: Floats, centres: Floats) -> None:
    """Move half of the customers near to the centres; all in the unit square."""
    for node in range(1, len(place)):
        if draws[node, 0] < 0.5:
            centre = centres[int(draws[node, 1] * len(centres))]
            place[node] = np.clip(centre + SPREAD * (place[node] - 0.5), 0.0, 1.0)


def _tour(cost: Floats, nearest: int, draws: Floats) -> tuple[list[int], Floats]:
    """Nodes from the depot, each one of the `nearest` left; and when they are visited."""
    tour, rest = [0], list(range(1, len(cost)))
    times = np.zeros(len(cost))
    while rest:
        here = tour[-1]
        near = sorted(rest, key=lambda node: (cost[here, node], node))[:nearest]
        there = near[min(int(draws[here] * len(near)), len(near) - 1)]
        times[there] = times[here] + cost[here, there]
        tour.append(there)
        rest.remove(there)
    return tour, times
