"""The travelling salesman problem with time windows (paper 'gnrpa', section 6.2).

The score is minus the travel cost, the way back included, or minus the time of the arrival back at
the depot; and minus a penalty for every window that is violated: a million, as in the papers, or
more where a tour may cost as much. An early arrival waits: that costs nothing, but takes time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, Self, get_args

import numpy as np
import numpy.typing as npt

from solver.contract.codes import PriorCode
from solver.contract.domain import Benchmark, Limits, Problem, Puzzle
from solver.contract.gaps import relative_gap
from solver.contract.references import OF_FILES
from solver.contract.rules import Moves
from solver.domains.tsptw import local_search  # noqa: F401 - registers `improve`
from solver.domains.tsptw.conflicts import conflict, is_hopeless
from solver.domains.tsptw.coordinates import Distances
from solver.domains.tsptw.ends import end_of, ending_at, is_open, open_ended
from solver.domains.tsptw.instance import Tsptw
from solver.domains.tsptw.kernels import (
    DUE_RANKS,
    N_VISITED,
    NEAR_STEPS,
    SOON_RANKS,
    DistancePrior,
    NextTable,
    TsptwState,
)
from solver.domains.tsptw.objectives import OBJECTIVES
from solver.domains.tsptw.penalty import Scale, scale_of
from solver.domains.tsptw.proofs.facts import facts_of_bound, rounded
from solver.domains.tsptw.reach import by_urgency, least_travel, near_lists
from solver.domains.tsptw.route import new_route
from solver.domains.tsptw.text import (
    Floats,
    check_tour,
    check_tsptw,
    describe_lateness,
    follow_tour,
    format_tour,
    format_tsptw,
    parse_tour,
    parse_tsptw,
    read_start,
)
from solver.domains.tsptw.windows import times_of
from solver.errors import FieldError, InputError
from solver.system.datasets import corpus_path
from solver.system.fields import Range, check_fields
from solver.system.files import read_text

Tour = npt.NDArray[np.int64]
"""int64[n + 1]: nodes from the depot, 0, to the depot."""

Objective = Literal["cost", "makespan"]
COST, MAKESPAN = get_args(Objective)

#: Sets of customers of a size that are looked at before a search, and after one without a tour.
QUICK, THOROUGH = 500, 50_000

#: Cost of the best tours of the set `potvin-bengio`, all proved.
OPTIMA = {
    "rc_201.1": 444.54, "rc_201.2": 711.54, "rc_201.3": 790.61, "rc_201.4": 793.64,
    "rc_202.1": 771.78, "rc_202.2": 304.14, "rc_202.3": 837.72, "rc_202.4": 793.03,
    "rc_203.1": 453.48, "rc_203.2": 784.16, "rc_203.3": 817.53, "rc_203.4": 314.29,
    "rc_204.1": 878.64, "rc_204.2": 662.16, "rc_204.3": 455.03, "rc_205.1": 343.21,
    "rc_205.2": 755.93, "rc_205.3": 825.06, "rc_205.4": 760.47, "rc_206.1": 117.85,
    "rc_206.2": 828.06, "rc_206.3": 574.42, "rc_206.4": 831.67, "rc_207.1": 732.68,
    "rc_207.2": 701.25, "rc_207.3": 682.40, "rc_207.4": 119.64, "rc_208.1": 789.25,
    "rc_208.2": 533.78, "rc_208.3": 634.44,
}  # fmt: skip


@dataclass(frozen=True)
class TsptwOptions:
    """Options of the next nodes to try, the objective, and the reading of coordinates.

    Parameters
    ----------
    pruning : {"on", "off"}
        `on`: where a node can no more be reached in time, even over other nodes, only such nodes;
        else those that are reached in time and put no other out of reach, if there are any.
    objective : {"cost", "makespan"}
        `cost`: travel, waiting not counted; `makespan`: the time of the arrival back at the
        depot, waiting counted.
    distances : {"auto", "floor", "truncate", "exact"}
        In files with coordinates. `floor`: integers as in the collections of Dumas and
        others; `truncate`: one decimal; `exact`: all; `auto`: as a file of TSPLIB says, floor if
        node 999 closes the table, else exact.
    open : {"no", "yes"}
        `yes`: the tour ends with the last customer, by when the depot is due.
    end : int
        Node where the tour ends, by when the depot is due; 0: the depot.

    Raises
    ------
    InputError
        If a value is none of these.
    """

    pruning: Literal["on", "off"] = "on"
    objective: Objective = "cost"
    distances: Distances = field(default="auto", metadata=OF_FILES)
    open: Literal["no", "yes"] = field(default="no", metadata=OF_FILES)
    end: Annotated[int, Range(0)] = field(default=0, metadata=OF_FILES)

    def __post_init__(self) -> None:
        check_fields(self)
        if self.open == "yes" and self.end:
            raise FieldError("open", f"yes and --end {self.end}, expected one of both")


class TsptwDomain(Puzzle):
    """Travelling salesman problem with time windows."""

    name: ClassVar[str] = "tsptw"
    instance_class: ClassVar[type] = Tsptw
    fact_names: ClassVar[tuple[str, ...]] = (
        "cost",
        "makespan",
        "violations",
        "optimum",
        "gap_percent",
        "lower_bound",
        "optimal",
        "bound_gap_percent",
    )
    objectives: ClassVar[tuple[str, ...]] = OBJECTIVES
    priors: ClassVar[dict[str, PriorCode]] = {
        "next": PriorCode(
            "next",
            {"near": NEAR_STEPS, "due": DUE_RANKS, "soon": SOON_RANKS},
            NextTable,
        ),
    }
    handmade: ClassVar[dict[str, Any]] = {"distance": DistancePrior()}
    generator: ClassVar[Any] = "generators.tsptw:TsptwGenerator"
    drawing: ClassVar[Any] = "pipeline.reports.drawings.tsptw"
    peers: ClassVar[Any] = "pipeline.comparing.peers:TSPTW"
    shipped_prior: ClassVar[str | None] = "tsptw"
    prover: ClassVar[Any] = "solver.domains.tsptw.proofs.scores:prove_tours"
    best_parameters: ClassVar[dict[str, Any]] = {
        "level": 3, "iterations": 30, "temperature": 1.4, "local_search": True
    }  # fmt: skip
    options: ClassVar[type[TsptwOptions]] = TsptwOptions
    benchmarks: ClassVar[dict[str, Benchmark]] = {
        "potvin-bengio": Benchmark("30 instances with 3 to 45 customers", {}),
        "rc204.1": Benchmark("the one of them in the tables of the paper 'gnrpa'", {}),
    }

    def __init__(self, chosen: TsptwOptions | None = None) -> None:
        self.chosen = chosen or TsptwOptions()

    def with_options(self, options: TsptwOptions) -> Self:
        """Return the domain with the objective of `options`, which reads files by them."""
        return type(self)(options)

    def benchmark(self, name: str) -> list[Problem]:
        """Read the set from the data home."""
        folder = corpus_path("potvin-bengio")
        pattern = "rc_204.1.txt" if name == "rc204.1" else "rc_2*.txt"
        paths = sorted(folder.glob(pattern))
        if not paths:
            raise InputError(f"{folder}: no files {pattern}")
        return [Problem(path.stem, self._read(read_text(path), str(path))) for path in paths]

    def parse(self, text: str, source: str) -> list[Problem]:
        """Read one instance."""
        return [Problem(source, self._read(text, source))]

    def _read(self, text: str, source: str) -> Floats:
        data = parse_tsptw(text, source, self.chosen.distances)
        if len(data) == 1:
            data[0, 0] = 0.0  # as elsewhere to stay takes no time, whatever the matrix says
        is_round = self.chosen.open == "no" and not self.chosen.end
        last = None if is_round else end_of(data)
        if last and last != self.chosen.end:
            raise InputError(f"{source}: its tours end at node {last}, expected no other end")
        if self.chosen.open == "yes":
            data = open_ended(data)
        return ending_at(data, self.chosen.end, source) if self.chosen.end else data

    def best_algorithm(self, options: TsptwOptions) -> str:
        """Iterated local search: no other comes near it."""
        return "ils"

    def instance(self, problem: Problem, options: TsptwOptions) -> Tsptw:
        """Split costs and windows, and prepare the prior `distance`."""
        data = np.array(problem.data, np.float64)
        check_tsptw(data, problem.name)
        n = len(data)
        cost = np.ascontiguousarray(data[:, :n])
        times = times_of(data)
        start, end = (np.ascontiguousarray(times[:, k]) for k in range(2))
        given_end = np.ascontiguousarray(data[:, n + 1] - data[0, n])
        gaps = np.ascontiguousarray(times[:, 2:]).reshape(n, -1, 2)
        reach = least_travel(cost, float(np.abs([start, given_end]).max()))
        ways = cost[~np.eye(n, dtype=bool)]
        least = ways.min(initial=np.inf) if n > 1 else 0.0
        apart = np.where(np.eye(n, dtype=bool), least, cost)
        behind, ahead = near_lists(cost, start, given_end)
        span = float(ways.max(initial=0.0) - least)
        scale = scale_of(data, makespan=options.objective == MAKESPAN)
        return Tsptw(
            n=n,
            cost=cost,
            start=start,
            end=end,
            given_end=given_end,
            gaps=gaps,
            near=np.exp(-10.0 * (apart - least) / span) if span > 0 else np.ones((n, n)),
            reach=reach,
            urgent=by_urgency(reach, given_end),
            earlier=(end[1:] < end[:, None]).sum(axis=1),
            detour=float(ways.mean() - least) if span > 0 else 1.0,
            pruning=int(options.pruning == "on"),
            makespan=int(options.objective == MAKESPAN),
            origin=scale.origin,
            penalty=scale.penalty,
            behind=behind,
            ahead=ahead,
        )

    def new_state(self, instance: Tsptw) -> TsptwState:
        """Allocate a state."""
        n = instance.n
        tour, rest, place, passed, earlier = (np.zeros(n, np.int64) for _ in range(5))
        clock, scalars = np.zeros(5), np.zeros(3, np.int64)
        return TsptwState(tour, rest, place, passed, earlier, clock, scalars, new_route(n))

    def limits(self, instance: Tsptw) -> Limits:
        """Every step visits one node of those left."""
        n = instance.n
        return Limits(steps=n - 1, moves=n - 1, choices=n * (n - 1) // 2, codes=n * n)

    def answer(self, instance: Tsptw, state: TsptwState) -> Tour:
        """Return the tour as far as it goes, and back to the depot."""
        return np.concatenate([[0], state.tour[: state.scalars[N_VISITED]], [0]])

    def verify(self, problem: Problem, answer: Tour) -> None:
        """Every node is visited once; violated windows are a matter of `feasible`."""
        check_tour(answer, len(problem.data))

    def objective(self, problem: Problem, answer: Tour) -> float:
        """Minus the cost, or the time of the arrival back, and the penalties."""
        visits, scale = follow_tour(problem.data, answer), self._scale(problem)
        spent = visits.taken if self.chosen.objective == MAKESPAN else visits.cost
        return -spent - scale.origin - scale.penalty * visits.violations

    def feasible(self, problem: Problem, answer: Tour) -> bool:
        """Return whether every arrival is in time."""
        return follow_tour(problem.data, answer).violations == 0

    def why_not_feasible(self, problem: Problem, answer: Tour) -> str:
        """Name the first node that is reached late, and count the others; or the wrong end."""
        last = end_of(problem.data)
        if last and answer[-2] != last:
            return f"the tour ends at node {answer[-2]}, expected node {last}"
        return describe_lateness(problem.data, answer)

    def why_infeasible(
        self, problem: Problem, options: TsptwOptions, *, thorough: bool = False
    ) -> str | None:
        """Look at least travel times, then at sets of customers, as many as are soon looked at."""
        data = np.array(problem.data, np.float64)
        check_tsptw(data, problem.name)
        n = len(data)
        start, end = times_of(data)[:, :2].T
        reach = least_travel(np.ascontiguousarray(data[:, :n]), float(np.abs([start, end]).max()))
        why = conflict(reach, start, end, float(data[0, n]))
        most = THOROUGH if thorough else QUICK
        if why is None and is_hopeless(data[:, :n], reach, start, end, most):
            why = "no order of the nodes keeps all windows"
        return why

    def feasible_above(self, problem: Problem) -> float:
        """Minus the penalty, and the origin of times."""
        scale = self._scale(problem)
        return -scale.origin - scale.penalty

    def _scale(self, problem: Problem) -> Scale:
        data = np.asarray(problem.data, np.float64)
        return scale_of(data, makespan=self.chosen.objective == MAKESPAN)

    def best_known(self, problem: Problem) -> float | None:
        """Minus the optimum, for the set `potvin-bengio`; no least makespans are known."""
        is_round = self.chosen.open == "no" and not self.chosen.end
        if self.chosen.objective == COST and is_round and problem.name in OPTIMA:
            return -OPTIMA[problem.name]
        return None

    def describe_scores(self, scored: Sequence[tuple[Problem, float]]) -> str:
        """Return cost or makespan, and the windows that the scores count as violated."""
        parts = [self._scale(problem).split(score) for problem, score in scored]
        late = sum(violations for _, violations in parts)
        windows = f", {late} window{'s' if late > 1 else ''} violated" if late else ""
        spent = sum(spent for spent, _ in parts)
        digits = 10 if abs(spent) < 1e10 else 15  # a time of day in milliseconds has 13
        return f"{self.chosen.objective} {spent:.{digits}g}{windows}"

    def facts(self, problem: Problem, answer: Tour) -> dict[str, Any]:
        """Cost, makespan, violated windows; a known optimum, and the gap of a feasible tour."""
        visits = follow_tour(problem.data, answer)
        begin = float(problem.data[0, len(problem.data)])
        facts = {
            "cost": rounded(visits.cost, visits.cost),
            "makespan": rounded(begin + visits.taken, max(abs(begin), visits.taken)),
            "violations": visits.violations,
        }
        known = self.best_known(problem)
        if known is not None:
            facts["optimum"] = -known
            if not visits.violations:
                gap = 100 * float(relative_gap(-visits.cost, known))
                facts["gap_percent"] = round(gap, 3) + 0.0  # no -0.0
        return facts

    def bound_facts(self, problem: Problem, answer: Tour, bound: float) -> dict[str, Any]:
        """Lower bound of the objective, as it is written among the facts, and the gap to it."""
        origin = self._scale(problem).origin
        return facts_of_bound(-self.objective(problem, answer), -bound, origin)

    def format_problem(self, problem: Problem) -> str:
        """Return the number of nodes, the matrix and the windows."""
        return format_tsptw(problem.data)

    def format(self, problem: Problem, answer: Tour) -> str:
        """Return the nodes on a line, without the depot at the end of an open tour."""
        return format_tour(answer[:-1] if is_open(problem.data) else answer)

    def parse_answer(self, problem: Problem, text: str, source: str) -> Tour:
        """Read a tour; that of an open one may have no depot at its end."""
        tour = parse_tour(text, source, len(problem.data))
        if is_open(problem.data) and len(tour) == len(problem.data) and tour[-1] != 0:
            tour = np.append(tour, 0)
        return tour

    def moves_of(self, instance: Tsptw, text: str, source: str) -> Moves:
        """Read a tour to begin with."""
        return read_start(text, source, instance.n)

    def solution(self, problem: Problem, answer: Tour) -> Moves:
        """Nodes after the depot, int64[n - 1]."""
        return np.ascontiguousarray(answer[1:-1], np.int64)
