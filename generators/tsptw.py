"""Random tours with windows around the times of their visits, and better tours for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from generators.pyvrp_tours import solve_with_pyvrp
from generators.solved import SHARD_PLAYOUTS
from solver.algorithms import AS_PUBLISHED, Gnrpa, Ils
from solver.compiling.random import Stream, new_stream, next_uniform
from solver.contract.domain import Problem
from solver.domains.tsptw.coordinates import MAX_NODES
from solver.domains.tsptw.domain import Tour, TsptwDomain
from solver.errors import FieldError
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

#: A shortest tour of n nodes at random in an area A is about as long as this times sqrt(n A)
#: (Beardwood, Halton and Hammersley 1959).
TOUR_CONSTANT = 0.7124
#: Least horizon of an instance as a share of `TsptwGenerator.horizon`, and shares of it that its
#: windows are.
LEAST_HORIZON, LEAST_SHARE, MOST_SHARE = 0.8, 0.2, 0.25
MOST_HORIZON = 1000

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
    Dumas et al. 1995). So the tour is feasible, and seldom the best. With a horizon, windows are
    20 to 25 % of it: around a horizon of 3 some instances have a tour in time and others none.

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
    horizon : float
        Length of the day in estimates of the shortest tour's, each instance's 80 to 100 % of it;
        `width` is of no use then. 0: windows of `width`.
    windows : {"visited", "anywhere"}
        With a horizon: around the visits of the tour, which are spread over the day; or anywhere
        in the day, so that there may be no tour in time, and none is known before it is searched.
    tours : {"construction", "search", "pyvrp"}
        Source of the tours: the one that the windows were made for, GNRPA with local search, or
        the package PyVRP. Where there is no first one, iterated local search.
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
    horizon: Annotated[float, Range(0, MOST_HORIZON)] = 0.0
    windows: Literal["visited", "anywhere"] = "visited"
    tours: Literal["construction", "search", "pyvrp"] = "construction"
    effort: Annotated[int, Range(1)] = 10_000

    def __post_init__(self) -> None:
        check_fields(self)
        if self.horizon and self.mixed == "on":
            raise FieldError("mixed", "on with a horizon, expected off")
        if self.windows == "anywhere" and not self.horizon:
            raise FieldError("windows", "anywhere without a horizon, expected --horizon")

    @property
    def shard_instances(self) -> int:
        """Instances whose tours are found in about a minute."""
        is_constructed = self.tours == "construction" and self.windows == "visited"
        return 10**9 if is_constructed else max(SHARD_PLAYOUTS // self.effort, 1)

    @property
    def family(self) -> str:
        """Name of these instances in a report."""
        kind = f", asymmetric by up to {self.asymmetry:g}" if self.asymmetry else ""
        if self.horizon:
            where = " anywhere" if self.windows == "anywhere" else ""
            return (
                f"{self.customers} customers, windows{where} in a horizon of up to {self.horizon:g}"
                f" shortest tours{kind}"
            )
        if self.mixed == "on":
            return f"up to {self.customers} customers, mixed windows up to {self.width:g}{kind}"
        return f"{self.customers} customers, windows up to {self.width:g}{kind}"

    @property
    def family_parameters(self) -> dict[str, float | str]:
        """Parameters by which a report may compare families."""
        asymmetry = {"asymmetry": self.asymmetry} if self.asymmetry else {}
        if self.horizon:
            day = {"horizon": self.horizon, "windows": self.windows}
            return {"customers": self.customers, **day, **asymmetry}
        return {"customers": self.customers, "width": self.width, "mixed": self.mixed, **asymmetry}

    def problem(self, seed: int, number: int) -> Problem:
        """Return instance `number` of `seed`."""
        return self._construct(seed, number)[0]

    def generate(self, seed: int, number: int) -> tuple[Problem, Any]:
        """Return instance `number` of `seed` and a feasible tour from the source, if it has one."""
        problem, tour = self._construct(seed, number)
        if self.tours == "search" or (self.tours == "construction" and tour is None):
            domain = TsptwDomain()
            found = solve(
                domain, problem, domain.options(), Ils() if tour is None else SEARCH,
                Budget(playouts=self.effort), prior=domain.handmade["distance"], seed=seed,
            )  # fmt: skip
            return problem, found.answer if found.solved else tour
        if self.tours == "pyvrp":
            better = solve_with_pyvrp(problem.data, seed, iterations=self.effort).tour
            return problem, tour if better is None else better
        return problem, tour

    def _construct(self, seed: int, number: int) -> tuple[Problem, Tour | None]:
        """Return an instance and the tour that its windows were made for, if there is one."""
        stream = new_stream(seed, number)
        mixed = self.mixed == "on"
        mixture = Mixture(self.customers, self.width)
        if mixed:
            mixture = _draw_mixture(stream, self.customers, self.width)
        n, width = mixture.customers + 1, mixture.width
        day = _uniforms(stream, 1, 1)[0, 0] if self.horizon else 0.0
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
        if self.horizon:
            back = times.max() + cost[tour[-1], 0]
            longest = self.horizon * _estimate(n) * (1.0 + self.asymmetry / 2)
            horizon = longest * (LEAST_HORIZON + (1.0 - LEAST_HORIZON) * day)
            if self.windows == "visited":
                horizon = max(horizon, back)
                times *= horizon / max(back, 1.0)
            start, end = _windows_in(horizon, draws, times if self.windows == "visited" else None)
            end[0] = np.ceil(horizon + cost.max())
        else:
            start, end = times - draws[:, 2] * width / 2, times + draws[:, 3] * width / 2
            end[0] = np.ceil(times.max() + cost.max() + width)
        scale = 10**DECIMALS
        start = np.floor(start * scale) / scale
        end[1:] = np.ceil(end[1:] * scale + 1) / scale
        start[0] = 0.0
        if mixed:
            without = draws[:, 7] < mixture.open
            start[without], end[without] = 0.0, end[0]
        window = np.stack([np.maximum(start, 0.0), end], axis=1)
        kind = f"{'mixed-' if mixed else ''}{'asymmetric-' if self.asymmetry else ''}"
        size = f"{self.customers}-{self.width:g}"
        if self.horizon:
            size = f"{self.windows}-{self.customers}-{self.horizon:g}"
        problem = Problem(f"tsptw-{kind}{size}-{seed}-{number}", np.hstack([cost, window]))
        known = self.windows == "visited"
        return problem, np.array([*tour, 0], np.int64) if known else None


def _estimate(n: int) -> float:
    """Estimate of the length of a shortest tour of n nodes in the square."""
    return TOUR_CONSTANT * SIDE * float(np.sqrt(n))


def _windows_in(horizon: float, draws: Floats, times: Floats | None) -> tuple[Floats, Floats]:
    """Starts and ends of windows from 0 to `horizon`, around the `times` of visits, if given."""
    width = horizon * (LEAST_SHARE + (MOST_SHARE - LEAST_SHARE) * draws[:, 2])
    first, last = np.zeros(len(width)), horizon - width
    if times is not None:
        first, last = np.maximum(first, times - width), np.minimum(last, times)
    start = first + (last - first) * draws[:, 3]
    return start, start + width


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
