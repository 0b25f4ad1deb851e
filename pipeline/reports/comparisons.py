"""The comparisons of a report: pairs of priors, budgets of the table, parameter sweeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from pipeline.reports.figures.curves import SweepLine
from pipeline.results.data import Family, Method, MethodRuns, Proofs
from pipeline.results.statistics import (
    Estimate,
    Floats,
    difference_of_means,
    mean_interval,
    mean_share,
    paired_values,
    quartiles,
)
from pipeline.results.targets import final_gaps, log_effort, log_playouts

SWEEP_VALUES = 4  # a parameter with fewer values is not drawn as a curve
SWEEP_LINES = 6
COLUMNS = 8  # of the table of budgets


@dataclass(frozen=True)
class Pair:
    """Two methods of the same search on the same instances.

    `gain` is how much better the candidate is: mean over instances of log2(playouts of the
    baseline / playouts of the candidate); or of the difference of the scores; or, where scores
    are costs, of the gaps, on the `clear` instances that both always solve. `points` is the
    difference of the shares solved. The two after it are the shares of instances that a run of
    one solves and a run of the other does not. `targets` is, for optimisation problems, as the
    first kind of gain, over all targets of an instance.
    """

    baseline: Method
    candidate: Method
    instances: int
    gain: Estimate
    points: Estimate
    only_candidate: Estimate
    only_baseline: Estimate
    budget: float  # the smaller of both; infinite where only time was limited
    family: Family
    targets: Estimate | None
    clear: int  # instances that `gain` is over

    @property
    def decision(self) -> bool:
        """True if the problem has a target."""
        return self.family.decision


def compare(baseline: MethodRuns, candidate: MethodRuns, family: Family) -> Pair | None:
    """Compare two methods on their common instances; None if there is none."""
    sides = (baseline, candidate)
    limits = [float(np.nanmax(runs.limit)) for runs in sides if not np.isnan(runs.limit).all()]
    budget = min(limits, default=np.inf)
    solved = [_solved(runs, family, budget) for runs in sides]
    old, new = _paired(sides, solved)
    if not old.size:
        return None
    targets = None
    if family.decision:
        values = [
            log_playouts(runs.playouts[:, None], runs, family, budget)[:, 0] for runs in sides
        ]
    elif family.is_cost:
        values = [final_gaps(runs, family) for runs in sides]
    else:
        values = [-runs.score for runs in sides]
    if not family.decision:
        targets, _ = reduction(sides, [log_effort(runs, family, budget) for runs in sides])
    gain, clear = reduction(sides, values)
    return Pair(
        baseline=baseline.method,
        candidate=candidate.method,
        instances=old.size,
        gain=gain,
        points=reduction(sides, [1 - share for share in solved])[0],
        only_candidate=mean_share(new * (1 - old)),
        only_baseline=mean_share(old * (1 - new)),
        budget=budget,
        family=family,
        targets=targets,
        clear=clear,
    )


def _paired(sides: tuple[MethodRuns, MethodRuns], values: list[Floats]) -> tuple[Floats, Floats]:
    """Values of the runs of both sides, as means of their common instances."""
    return paired_values((sides[0].instance, values[0]), (sides[1].instance, values[1]))


def reduction(sides: tuple[MethodRuns, MethodRuns], values: list[Floats]) -> tuple[Estimate, int]:
    """Return the reduction of the values by the second method, with its interval.

    The interval is over the common instances; over the runs where there is one only.

    Parameters
    ----------
    sides : (MethodRuns, MethodRuns)
    values : two float64 arrays, shapes (runs of the first,) and (runs of the second,)

    Returns
    -------
    Estimate
        Mean over the instances where the means of both are finite.
    int
        The number of these instances.
    """
    old, new = _paired(sides, values)
    clear = ~(np.isinf(old) | np.isinf(new))
    if old.size == 1 and clear.all():
        common = np.intersect1d(sides[0].instance, sides[1].instance)
        samples = [x[np.isin(runs.instance, common)] for runs, x in zip(sides, values, strict=True)]
        return difference_of_means(samples[0], samples[1]), 1
    return mean_interval(old[clear] - new[clear]), int(clear.sum())


def _solved(runs: MethodRuns, family: Family, budget: float) -> Floats:
    """1 for the runs that were solved by at most `budget` playouts, or that found an answer."""
    solved = runs.solved_within(budget) if family.decision else runs.solved
    return np.asarray(solved, dtype=np.float64)


def baseline_of(candidate: MethodRuns, family: Family) -> MethodRuns | None:
    """The same search without a prior, with the most settings in common."""
    without = [
        runs
        for runs in family.searches
        if runs.method.is_baseline and runs.method.search == candidate.method.search
    ]
    settings = candidate.method.settings.items()
    return max(
        without,
        key=lambda runs: (sum(x in settings for x in runs.method.settings.items()),),
        default=None,
    )


def pairs(family: Family, first: Pair | None = None) -> list[Pair]:
    """Each prior against none, then the priors of a search against each other if they are few.

    Before them `first`, if it is not among them: methods of two searches.
    """
    found: list[Pair | None] = []
    for search in dict.fromkeys(runs.method.search for runs in family.searches):
        priors = [
            runs
            for runs in family.searches
            if runs.method.search == search and not runs.method.is_baseline
        ]
        for candidate in priors:
            baseline = baseline_of(candidate, family)
            if baseline is not None:
                found.append(compare(baseline, candidate, family))
        if len(priors) <= 4:
            found += [compare(a, b, family) for a, b in combinations(priors, 2)]
    known = [pair for pair in found if pair is not None]
    if first is None or (first.baseline, first.candidate) in [
        (pair.baseline, pair.candidate) for pair in known
    ]:
        return known
    return [first, *known]


def budget_columns(methods: Sequence[MethodRuns], chosen: Sequence[float] | None) -> list[float]:
    """About eight budgets for the table: those asked for, else powers of two up to the budget.

    They double; where most runs would be solved before the first they quadruple, and so on.
    """
    budget = max((runs.budget for runs in methods), default=0.0)
    if chosen:
        return sorted(float(x) for x in chosen if x <= budget) or [budget]
    solved = np.concatenate([runs.playouts[runs.solved] for runs in methods])
    first = float(np.median(solved)) if solved.size else budget
    last = int(np.ceil(np.log2(max(budget, 1.0))))
    span = last - int(np.floor(np.log2(max(first, 1.0))))
    step = max(1, -(-span // (COLUMNS - 1)))  # rounded up
    powers = [2.0**k for k in range(last - step, -1, -step)][: COLUMNS - 1]
    return [*reversed(powers), budget]


def pooled(families: Sequence[Family]) -> Family:
    """All instances of several families of a domain as one family."""
    by_method: dict[int, list[tuple[str, MethodRuns]]] = {}
    for family in families:
        for runs in family.methods:
            by_method.setdefault(runs.method.index, []).append((family.name, runs))
    return Family(
        domain=families[0].domain,
        name=f"all {len(families)} families",
        parameters={},
        decision=families[0].decision,
        methods=[_joined(by_method[index]) for index in sorted(by_method)],
        instances={
            f"{family.name}/{name}": instance
            for family in families
            for name, instance in family.instances.items()
        },
        proofs=_all_proofs(families),
        infeasible=sum(family.infeasible for family in families),
    )


def _all_proofs(families: Sequence[Family]) -> list[Proofs]:
    by_method: dict[int, list[Proofs]] = {}
    for family in families:
        for proof in family.proofs:
            by_method.setdefault(proof.method.index, []).append(proof)
    return [
        Proofs(
            parts[0].method,
            sum(proof.proved for proof in parts),
            sum(proof.runs for proof in parts),
            np.concatenate([proof.seconds for proof in parts]),
        )
        for _, parts in sorted(by_method.items())
    ]


def _joined(parts: Sequence[tuple[str, MethodRuns]]) -> MethodRuns:
    columns = ("solved", "playouts", "spent", "seconds", "score", "limit")
    joined: dict[str, Any] = {
        column: np.concatenate([getattr(runs, column) for _, runs in parts]) for column in columns
    }
    return replace(
        parts[0][1],
        instance=np.array([f"{name}/{x}" for name, runs in parts for x in runs.instance.tolist()]),
        budget=max(runs.budget for _, runs in parts),
        budget_seconds=float(np.fmax.reduce([runs.budget_seconds for _, runs in parts])),
        traces=[trace for _, runs in parts for trace in runs.traces],
        solutions=[text for _, runs in parts for text in runs.solutions],
        **joined,
    )


@dataclass(frozen=True)
class Sweep:
    """Families of a domain along a numeric parameter, one line per value of another one."""

    parameter: str
    lines_by: str | None
    fixed: str  # what singles these families out among the domain's, or nothing
    families: list[Family]

    @property
    def line_values(self) -> list[Any]:
        """Values of the parameter that has one line each; [None] if there is no such parameter."""
        if self.lines_by is None:
            return [None]
        return sorted({family.parameters[self.lines_by] for family in self.families})


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def sweeps(families: Sequence[Family], fixed: str = "") -> list[Sweep]:
    """Find the parameters along which a domain's families form curves.

    One parameter has at least four values; at most one other tells the lines apart; the rest
    are constant or follow from the two (holes = share of holes x cells). Families that differ in
    more are split by the first parameter that is a word.
    """
    shared = [k for k in families[0].parameters if all(k in f.parameters for f in families)]
    varying = [k for k in shared if len({f.parameters[k] for f in families}) > 1]
    numeric = [k for k in varying if all(_number(f.parameters[k]) for f in families)]
    candidates = [
        Sweep(x, z, fixed, sorted(families, key=lambda f: float(f.parameters[x])))
        for x in numeric
        for z in [None, *(k for k in varying if k != x)]
    ]
    valid = [sweep for sweep in candidates if _is_valid(sweep, varying, numeric)]
    if valid:
        return [min(valid, key=_preference)]
    for word in (k for k in varying if k not in numeric):
        parts: dict[Any, list[Family]] = {}
        for family in families:
            parts.setdefault(family.parameters[word], []).append(family)
        named = ((f"{fixed} {value}".strip(), part) for value, part in parts.items())
        return [sweep for name, part in named for sweep in sweeps(part, name)]
    return []


def _is_valid(sweep: Sweep, varying: Sequence[str], numeric: Sequence[str]) -> bool:
    values = sweep.line_values
    if len(values) > SWEEP_LINES:
        return False
    rest = [k for k in varying if k not in (sweep.parameter, sweep.lines_by)]
    for value in values:
        line = [
            f
            for f in sweep.families
            if sweep.lines_by is None or f.parameters[sweep.lines_by] == value
        ]
        if len(line) < SWEEP_VALUES or any(
            len({f.parameters[k] for f in line}) > 1 for k in rest if k not in numeric
        ):
            return False
        x = np.array([f.parameters[sweep.parameter] for f in line], dtype=np.float64)
        if np.any(np.diff(x) <= 0):
            return False
        for k in (k for k in rest if k in numeric):
            steps = np.diff(np.array([f.parameters[k] for f in line], dtype=np.float64))
            if not (np.all(steps > 0) or np.all(steps < 0) or np.all(steps == 0)):
                return False
    return True


def _preference(sweep: Sweep) -> tuple[bool, int, bool]:
    """Sort key: no second parameter first, then values shared by lines, then shares over counts."""
    values = {family.parameters[sweep.parameter] for family in sweep.families}
    return sweep.lines_by is not None, len(values), all(isinstance(v, int) for v in values)


def sweep_lines(sweep: Sweep, method: Method, value: Any, index: int) -> SweepLine | None:
    """Quartiles of a method's playouts to solve along a sweep; None where it did not run."""
    x, quarters, budget = [], [], 0.0
    for family in sweep.families:
        if sweep.lines_by is not None and family.parameters[sweep.lines_by] != value:
            continue
        for runs in family.methods:
            if runs.method.index == method.index:
                x.append(float(family.parameters[sweep.parameter]))
                quarters.append(quartiles(np.asarray(runs.playouts)))
                budget = max(budget, runs.budget)
    if not x:
        return None
    low, median, high = np.array(quarters).T
    named = sweep.lines_by is not None
    label = f"{str(sweep.lines_by).replace('_', ' ')} {value}" if named else method.label
    dashes = "dashed" if method.is_baseline and not named else "solid"
    return SweepLine(label, index, dashes, np.array(x), low, median, high, budget)
