"""What a report is made of: runs grouped by family and method."""

from __future__ import annotations

import functools
import json
import re
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.statistics import Floats
from solver.errors import InputError

ALGORITHMS = {
    "sampling": "Sampling",
    "nmcs": "NMCS",
    "nrpa": "NRPA",
    "gnrpa": "GNRPA",
    "cp-sat": "CP-SAT",
    "pyvrp": "PyVRP",
}
# GNRPA is NRPA with a prior: without one they are the same search, so they are compared
SAME_SEARCH = {"gnrpa": "nrpa"}
NO_PRIOR = "none"


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
        """Whether it is an outside solver, which plays no playouts and takes no prior."""
        return self.prior == ""

    @property
    def is_baseline(self) -> bool:
        """Whether it searches without a prior."""
        return self.prior == NO_PRIOR

    @property
    def search(self) -> str:
        """Name of the search, the same for methods that differ only in their prior."""
        return SAME_SEARCH.get(self.algorithm, self.algorithm)


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
    budget_seconds: float  # nan if none was set
    traces: list[Trace]
    solutions: list[str | None]

    @property
    def seconds_to_solve(self) -> Floats:
        """Seconds of the solved runs, infinite for the others."""
        return np.where(self.solved, self.seconds, np.inf)

    @property
    def mean_score(self) -> float:
        """Mean score, minus infinity if a run has none: what the methods are ordered by."""
        return float(np.where(np.isnan(self.score), -np.inf, self.score).mean())

    def solved_within(self, playouts: float) -> NDArray[np.bool_]:
        """Which runs were solved by at most so many playouts."""
        return np.asarray(self.playouts <= playouts, dtype=np.bool_)


@dataclass(frozen=True)
class Instance:
    """A problem of a family, as it was kept beside the runs."""

    name: str
    problem: str
    """As the domain's `parse` reads it."""
    best_known: float | None
    """Score of the best answer known before these runs."""


@dataclass(frozen=True)
class Family:
    """Instances of one kind and the methods that ran on them, in the report's order."""

    domain: str
    name: str
    parameters: dict[str, Any]
    decision: bool
    methods: list[MethodRuns]
    instances: dict[str, Instance]
    """Those that were kept."""

    @functools.cached_property
    def best(self) -> dict[str, float]:
        """Best score known of each instance: before, or from the runs of this report."""
        known = {name: one.best_known for name, one in self.instances.items()}
        best = {name: value for name, value in known.items() if value is not None}
        for runs in self.methods:
            for name, score in zip(runs.instance.tolist(), runs.score.tolist(), strict=True):
                if not np.isnan(score):
                    best[name] = max(best.get(name, -np.inf), score)
        return best

    @functools.cached_property
    def is_cost(self) -> bool:
        """Whether scores are costs with a minus sign: what is shown is the gap to the least."""
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
    """Everything the report shows."""

    families: list[Family]
    methods: list[Method]
    priors: list[Prior]
    facts: list[dict[str, Any]]  # of each folder: command, machine, versions...
    status: dict[str, int]  # how many runs ended with each status
    rows: int


def group_runs(
    rows: list[dict[str, Any]],
    decision: dict[str, bool],
    instances: dict[tuple[str, str], dict[str, Instance]],
) -> list[Family]:
    """Group rows of runs by domain, in the order of the rows, and then by family and method.

    Parameters
    ----------
    decision : whether a domain has a target, by domain
    instances : the problems that were kept, by domain and family, then by name
    """
    families = []
    for domain in dict.fromkeys(row["domain"] for row in rows):
        own = [row for row in rows if row["domain"] == domain]
        families += _families(own, _methods(own), decision.get(domain, True), instances)
    return families


def _method_key(row: dict[str, Any]) -> tuple[str, str, str]:
    settings = json.dumps(json.loads(row["settings"] or "{}"), sort_keys=True)
    return row["algorithm"], row["prior"] or "", settings


def _methods(rows: list[dict[str, Any]]) -> dict[tuple[str, str, str], Method]:
    """All methods in the order of the report: searches, no prior first, then peers."""
    order = list(ALGORITHMS)
    keys = sorted(
        {_method_key(row) for row in rows},
        key=lambda key: (
            key[1] == "",
            order.index(key[0]) if key[0] in order else len(order),
            key[0],
            key[1] != NO_PRIOR,
            key[1:],
        ),
    )
    variants: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for algorithm, prior, settings in keys:
        variants[algorithm, prior].append(json.loads(settings))
    return {
        key: Method(*key[:2], _label(key, variants[key[:2]]), json.loads(key[2]), index)
        for index, key in enumerate(keys)
    }


def _label(key: tuple[str, str, str], variants: list[dict[str, Any]]) -> str:
    """Readable name, with the settings that differ between methods of the same name."""
    algorithm, prior, settings = key
    label = ALGORITHMS.get(algorithm, algorithm)
    if prior:
        label += ", no prior" if prior == NO_PRIOR else f" + {prior}"
    mine = json.loads(settings)
    names = sorted({name for variant in variants for name in variant})
    differing = [n for n in names if len({json.dumps(v.get(n)) for v in variants}) > 1]
    said = ", ".join(f"{n.replace('_', ' ')} {mine[n]}" for n in differing if n in mine)
    return f"{label} ({said})" if said else label


def _families(
    rows: list[dict[str, Any]],
    methods: dict[tuple[str, str, str], Method],
    decision: bool,
    instances: dict[tuple[str, str], dict[str, Instance]],
) -> list[Family]:
    """Families by name, with numbers in numeric order."""
    grouped: dict[tuple[str, str], dict[int, list[dict[str, Any]]]] = {}
    for row in rows:
        family = grouped.setdefault((row["domain"], row["family"]), defaultdict(list))
        family[methods[_method_key(row)].index].append(row)
    ordered = list(methods.values())
    return [
        Family(
            domain=domain,
            name=name,
            parameters=json.loads(next(iter(group.values()))[0]["family_parameters"] or "{}"),
            decision=decision,
            methods=_same_budget(
                [_method_runs(ordered[index], group[index]) for index in sorted(group)]
            ),
            instances=instances.get((domain, name), {}),
        )
        for (domain, name), group in sorted(grouped.items(), key=lambda item: _natural(item[0]))
    ]


def _natural(key: tuple[str, str]) -> list[tuple[int, float, str]]:
    """Sorts "order 9" before "order 20", and 0.38 before 0.4."""
    pieces = re.split(r"(\d+(?:\.\d+)?)", "\n".join(key))
    return [(0, float(x), "") if x[:1].isdigit() else (1, 0.0, x) for x in pieces if x]


def _method_runs(method: Method, rows: list[dict[str, Any]]) -> MethodRuns:
    rows = sorted(rows, key=lambda row: (row["instance"], row["seed"]))
    traces = [_trace(row) for row in rows]
    spent = [float(row["playouts"] or 0) for row in rows]
    budgets = [float(row["budget_playouts"] or 0) for row in rows]
    limits = [row["budget_seconds"] for row in rows if row["budget_seconds"] is not None]
    to_solve = [
        (trace.playouts[-1] if trace.playouts.size else played) if row["solved"] else np.inf
        for row, trace, played in zip(rows, traces, spent, strict=True)
    ]
    return MethodRuns(
        method=method,
        instance=np.array([row["instance"] for row in rows], dtype=np.str_),
        solved=np.array([row["solved"] for row in rows], dtype=np.bool_),
        playouts=np.full(len(rows), np.inf) if method.is_peer else np.array(to_solve, np.float64),
        spent=np.full(len(rows), np.inf) if method.is_peer else np.array(spent),
        seconds=np.array([row["seconds"] for row in rows], dtype=np.float64),
        score=np.array([_finite(row["score"]) for row in rows], dtype=np.float64),
        budget=np.inf if method.is_peer else max(budgets) or np.nan,
        budget_seconds=max(limits) if limits else np.nan,
        traces=traces,
        solutions=[row["solution"] for row in rows],
    )


def _same_budget(methods: list[MethodRuns]) -> list[MethodRuns]:
    """Give the methods that only time limited one budget, the most that any of them played."""
    limited_by_time = [runs for runs in methods if np.isnan(runs.budget)]
    most = max((float(runs.spent.max()) for runs in limited_by_time), default=0.0)
    return [replace(runs, budget=most) if np.isnan(runs.budget) else runs for runs in methods]


def _finite(score: float | None) -> float:
    return score if score is not None and np.isfinite(score) else np.nan


def _trace(row: dict[str, Any]) -> Trace:
    """The improvements that have a finite score; a column without values stays empty."""
    names = ("trace_playouts", "trace_seconds", "trace_score")
    playouts, seconds, score = (
        np.array([np.nan if x is None else x for x in row[name] or []], dtype=np.float64)
        for name in names
    )
    kept = np.isfinite(score)

    def chosen(column: Floats) -> Floats:
        if column.size == 0 or np.isnan(column).any():
            return np.empty(0)
        if column.size != score.size:
            raise InputError(f"run {row['run']!r}: its trace columns differ in length")
        return np.asarray(column[kept])

    return Trace(chosen(playouts), chosen(seconds), score[kept])
