"""Data of a report: families, methods, their runs, and priors."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pipeline.results.statistics import Floats
from solver.algorithms import ALGORITHMS, known_algorithms

#: Labels of methods, in the order of the report: our algorithms, then peers.
LABELS = {
    **{name: algorithm.label for name, algorithm in ALGORITHMS.items()},
    "cp-sat": "CP-SAT",
    "cp-sat-integers": "CP-SAT, integers",
    "cadical": "CaDiCaL",
    "rnainverse": "RNAinverse",
    "pyvrp": "PyVRP",
}
NO_PRIOR = "none"

#: Scores above it are feasible where a table does not say: a violated window of a tour cost 10^6.
EARLIER_TOURS = -1e6


def label_of(algorithm: str) -> str:
    """Return an algorithm's name for readers; if its file is not here, the name in its runs."""
    known = known_algorithms().get(algorithm)
    return LABELS.get(algorithm) or (known.label if known is not None else algorithm)


@dataclass(frozen=True)
class Method:
    """An algorithm with a prior and settings, as one row of a table and one line of a figure."""

    algorithm: str
    prior: str
    label: str
    settings: dict[str, Any]
    index: int  # place among the report's methods: its colour in every figure

    @property
    def is_peer(self) -> bool:
        """True if the method is an outside solver, which plays no playouts and takes no prior."""
        return self.prior == ""

    @property
    def is_baseline(self) -> bool:
        """True if the method searches without a prior."""
        return self.prior == NO_PRIOR

    @property
    def search(self) -> str:
        """Name of the search, the same for methods that differ only in their prior."""
        known = known_algorithms().get(self.algorithm)
        return (known.without_prior if known else "") or self.algorithm


@dataclass(frozen=True)
class Trace:
    """Improvements of one run, arrays of shape (improvements,); playouts empty for peers."""

    playouts: Floats
    seconds: Floats
    score: Floats


@dataclass(frozen=True)
class MethodRuns:
    """The runs of one method on one family; arrays of shape (runs,), sorted by instance, seed."""

    method: Method
    instance: NDArray[np.str_]
    solved: NDArray[np.bool_]
    playouts: Floats  # to solve, infinite if unsolved
    spent: Floats  # playouts played; infinite for peers
    seconds: Floats  # of the search
    score: Floats  # nan where nothing was found
    budget: float  # playouts; infinite for peers; the most any method played where none was set
    limit: Floats  # playouts each run was allowed, nan where only time was limited
    budget_seconds: float  # nan if none was set
    traces: list[Trace]
    solutions: list[str]  # as text, empty where there is none

    @property
    def seconds_to_solve(self) -> Floats:
        """Seconds of the solved runs, infinite for the others."""
        return np.where(self.solved, self.seconds, np.inf)

    @property
    def mean_score(self) -> float:
        """Mean score, minus infinity if a run has none; methods are ordered by it."""
        return float(np.where(np.isnan(self.score), -np.inf, self.score).mean())

    def solved_within(self, playouts: float) -> NDArray[np.bool_]:
        """Return whether each run was solved within `playouts`."""
        return np.asarray(self.solved & (self.playouts <= playouts), dtype=np.bool_)


@dataclass(frozen=True)
class Instance:
    """A problem of a family, as it was kept beside the runs."""

    name: str
    problem: str
    """Text for the domain's `parse`."""
    best_known: float | None
    """Score of the best answer known before these runs."""
    feasible_above: float | None = None
    """Score above which answers are feasible, and no others, where it was kept."""


@dataclass(frozen=True)
class Proofs:
    """Results of a method on the instances that have no answer."""

    method: Method
    proved: int
    runs: int
    seconds: Floats  # of the proofs


@dataclass(frozen=True)
class FailedRun:
    """A run that ended in an error."""

    problem: str
    method: str
    message: str


@dataclass(frozen=True)
class Family:
    """Instances of one kind and the methods that ran on them, in the report's order.

    The runs of `methods` are those on instances that may have an answer. Those
    proved to have none, and those that no method could run on, leave nothing to solve: they are
    counted in `proofs` and `failed`, and are no failures of a search.
    """

    domain: str
    name: str
    parameters: dict[str, Any]
    decision: bool
    methods: list[MethodRuns]
    instances: dict[str, Instance]
    """Instances kept beside the runs."""
    proofs: list[Proofs] = field(default_factory=list)
    infeasible: int = 0
    """Instances that were proved to have no answer."""
    failed: list[FailedRun] = field(default_factory=list)
    disputed: list[str] = field(default_factory=list)
    """Instances that one run proved infeasible and another one solved."""

    def label(self, instance: str) -> str:
        """Return the name of an instance for readers."""
        kept = self.instances.get(instance)
        return kept.name if kept is not None else instance

    def feasible_above(self, instance: str) -> float:
        """Score above which answers to an instance are feasible, and no others."""
        kept = self.instances.get(instance)
        if kept is not None and kept.feasible_above is not None:
            return kept.feasible_above
        return EARLIER_TOURS if self.domain == "tsptw" else -np.inf

    @functools.cached_property
    def most_played(self) -> dict[str, float]:
        """Playouts that a run on each instance was allowed, or that the longest one made."""
        allowed = [
            pd.Series(np.where(np.isnan(runs.limit), runs.spent, runs.limit), runs.instance)
            for runs in self.searches
        ]
        return {name: max(most, 1.0) for name, most in _largest(allowed).items()}

    @functools.cached_property
    def best(self) -> dict[str, float]:
        """Best score known of each instance: before, or from the runs of this report."""
        known = {name: instance.best_known for name, instance in self.instances.items()}
        found = [pd.Series(runs.score, runs.instance) for runs in self.methods]
        return _largest([pd.Series(known, dtype=np.float64), *found])

    @functools.cached_property
    def is_cost(self) -> bool:
        """True if scores are costs with a minus sign, shown as the gap to the least cost."""
        return not self.decision and bool(self.best) and max(self.best.values()) < 0

    @property
    def searches(self) -> list[MethodRuns]:
        """The methods that play playouts."""
        return [runs for runs in self.methods if not runs.method.is_peer]

    @property
    def budget(self) -> float:
        """The largest budget in playouts; 0 if only peers ran."""
        return max((runs.budget for runs in self.searches), default=0.0)

    @property
    def time_limit(self) -> float:
        """Seconds that PAR-2 doubles: the time limit, else the longest search."""
        limits = [r.budget_seconds for r in self.methods if np.isfinite(r.budget_seconds)]
        return max(limits) if limits else max(float(r.seconds.max()) for r in self.methods)


def _largest(values: Iterable[pd.Series[float]]) -> dict[str, float]:
    """Largest of the values of each instance, by which they are indexed; nan is none."""
    joined = pd.concat([pd.Series(dtype=np.float64), *values])
    largest: dict[str, float] = joined.dropna().groupby(level=0).max().to_dict()
    return largest


@dataclass(frozen=True)
class Prior:
    """A prior of the comparison: its facts and, if it was copied, its bias table."""

    name: str
    facts: dict[str, Any]
    table: dict[str, NDArray[Any]] | None  # column -> (rows,)
    size: int | None  # bytes of its file

    @property
    def components(self) -> list[str]:
        """Names of the code's components, columns of the table."""
        return [str(name) for name in self.facts.get("components") or []]


@dataclass(frozen=True)
class ReportData:
    """All data of a report."""

    families: list[Family]
    methods: list[Method]
    priors: list[Prior]
    facts: list[dict[str, Any]]  # of each folder: command, decision...
    runs: pd.DataFrame  # of all folders, as of `read_runs`
