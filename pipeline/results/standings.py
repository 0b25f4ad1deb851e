"""Standing of several methods on the same instances: ranks, tests, and the virtual best of them.

Methods are ranked on every instance and compared in pairs by Wilcoxon's signed-rank test with
Holm's correction, as Benavoli, Corani and Mangili recommend in place of tests on mean ranks [1]_.
The virtual best solver takes for each instance the method that is best there. The performance
profile of Dolan and Moré [2]_ is the share of instances on which a method needs at most so many
times what the best one needs.

References
----------
.. [1] A. Benavoli, G. Corani, F. Mangili: Should we really use post-hoc tests based on mean-ranks?
   Journal of Machine Learning Research 17, 2016.
.. [2] E. Dolan, J. Moré: Benchmarking optimization software with performance profiles.
   Mathematical Programming 91, 2002.
"""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.results.data import Family, Method, MethodRuns
from pipeline.results.statistics import PENALTY, Floats, holm

PLAYOUTS, SECONDS, SCORE = "playouts", "seconds", "score"
#: Differences with a larger p-value, after correction, are not told apart.
LEVEL = 0.05


@dataclass(frozen=True)
class Standings:
    """Methods on the instances that all of them ran on.

    Parameters
    ----------
    methods : list of Method
    unit : str
        Unit of the costs: playouts or seconds to a solution, where a run without one counts as
        twice its limit; or scores with a minus sign, of problems without a target.
    costs : float64[methods, instances]
        Mean over the seeds; infinite where a run has no answer at all.
    unsolved : bool[methods, instances]
        True where no run of a method solved an instance.
    """

    methods: list[Method]
    unit: str
    costs: Floats
    unsolved: NDArray[np.bool_]

    @functools.cached_property
    def ranks(self) -> Floats:
        """Rank of each method on each instance, float64[methods, instances]; ties share ranks."""
        from scipy.stats import rankdata

        return np.asarray(rankdata(self.costs, axis=0), dtype=np.float64)

    @functools.cached_property
    def virtual_best(self) -> Floats:
        """Cost of the best method on each instance, float64[instances]."""
        return np.asarray(self.costs.min(axis=0))

    @functools.cached_property
    def is_best(self) -> NDArray[np.bool_]:
        """True where a method has an answer and none a better one, bool[methods, instances]."""
        answered = np.isfinite(self.costs)
        if self.unit != SCORE:
            answered &= ~self.unsolved
        return np.asarray(answered & (self.costs == self.virtual_best))

    @functools.cached_property
    def p_values(self) -> Floats:
        """Corrected p-value of every pair of methods, float64[methods, methods], 1 of itself."""
        n = len(self.methods)
        pairs = list(itertools.combinations(range(n), 2))
        corrected = holm(np.array([_wilcoxon(self.costs[i], self.costs[j]) for i, j in pairs]))
        found = np.ones((n, n))
        for (i, j), p in zip(pairs, corrected, strict=True):
            found[i, j] = found[j, i] = p
        return found

    @functools.cached_property
    def groups(self) -> list[list[int]]:
        """Longest runs of methods, by mean rank, of which no two are told apart; two or more."""
        order = np.argsort(self.ranks.mean(axis=1), kind="stable").tolist()
        found: list[list[int]] = []
        for first in range(len(order)):
            last = first
            while last + 1 < len(order) and all(
                self.p_values[order[last + 1], other] > LEVEL for other in order[first : last + 1]
            ):
                last += 1
            group = order[first : last + 1]
            if len(group) > 1 and not (found and set(group) <= set(found[-1])):
                found.append(group)
        return found

    def profile(self, method: int, factors: Floats) -> Floats:
        """Share of instances on which a method's cost is within factors of the best one's.

        Parameters
        ----------
        method : int
            Place among `methods`.
        factors : float64[points]
            1 and more; of scores the gap to the best score, 0 and more.
        """
        cost, best = self.costs[method], self.virtual_best
        if self.unit == SCORE:
            size = np.maximum(np.abs(best), 1e-12)
            with np.errstate(invalid="ignore"):  # inf - inf, of what nobody solved
                within = (cost - best) / size <= factors[:, None] + 1e-12
        else:
            within = cost <= np.maximum(best, 1e-12) * factors[:, None] * (1 + 1e-12)
        known = np.isfinite(cost) & np.isfinite(best)
        if self.unit != SCORE:
            known &= ~self.unsolved[method]
        return np.asarray((within & known).mean(axis=1))


def standings(family: Family) -> Standings | None:
    """Return the standing of the methods of a family; None without two or a common instance."""
    methods = family.methods
    if len(methods) < 2:
        return None
    common = functools.reduce(np.intersect1d, [runs.instance for runs in methods])
    if not common.size:
        return None
    unit = _unit(family)
    costs = np.array([_means(runs, _costs(runs, family, unit), common) for runs in methods])
    share = [_means(runs, runs.solved.astype(np.float64), common) for runs in methods]
    return Standings([runs.method for runs in methods], unit, costs, np.array(share) == 0)


def _unit(family: Family) -> str:
    """Unit that all methods can be compared in: playouts where they alone limit every run."""
    if not family.decision:
        return SCORE
    limited = all(not np.isnan(runs.limit).any() for runs in family.methods)
    untimed = all(np.isnan(runs.budget_seconds) for runs in family.methods)
    return PLAYOUTS if limited and untimed else SECONDS


def _costs(runs: MethodRuns, family: Family, unit: str) -> Floats:
    """Cost of each run, float64[runs]; see `Standings`."""
    if unit == SCORE:
        least = np.array([family.feasible_above(name) for name in runs.instance.tolist()])
        return np.where(runs.score > least, -runs.score, np.inf)  # false of nan
    if unit == PLAYOUTS:
        return np.where(runs.solved, runs.playouts, PENALTY * runs.limit)
    return np.where(runs.solved, runs.seconds, PENALTY * family.time_limit)


def _means(runs: MethodRuns, values: Floats, instances: NDArray[np.str_]) -> Floats:
    """Means over the runs on each of `instances`."""
    place = np.searchsorted(instances, runs.instance)
    known = np.isin(runs.instance, instances)
    total = np.bincount(place[known], values[known], minlength=instances.size)
    return np.asarray(total / np.bincount(place[known], minlength=instances.size))


def _wilcoxon(first: Floats, second: Floats) -> float:
    """p-value of Wilcoxon's signed-rank test; 1 where nothing differs."""
    from scipy.stats import wilcoxon

    both = np.isfinite(first) & np.isfinite(second)
    with np.errstate(invalid="ignore"):  # inf - inf, of what nobody solved
        ranked = np.where(both, first - second, np.where(first == second, 0.0, first > second))
    missing = ~both & (first != second)
    if missing.any():  # no answer is worse than any: by more than every other difference
        most = 1 + np.abs(ranked[both]).max(initial=0.0)
        ranked[missing] = np.where(first[missing] > second[missing], most, -most)
    if not ranked.any():
        return 1.0
    return float(wilcoxon(ranked, zero_method="zsplit").pvalue)
