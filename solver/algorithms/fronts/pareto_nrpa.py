"""Nested rollout policy adaptation for several objectives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from solver.algorithms.run import (
    Count,
    Level,
    Positive,
    Run,
    require,
    set_by_domain,
    whole_searches,
)
from solver.system.fields import Range, check_fields

if TYPE_CHECKING:
    from solver.contract.domain import Puzzle

#: Each policy has a weight for each code, each sequence of a front a record of a playout.
MOST = 4096


@dataclass(frozen=True)
class ParetoNrpa:
    """Pareto-NRPA [1]_, generalized as GNRPA is: the front of a problem of several objectives.

    An answer dominates another one if it violates less, or as much and is at least as good in all
    objectives and better in one. A level has a set of policies and a front of sequences, none of
    which another dominates; of sequences with equal values the newest stays. A playout is made by a
    policy of the set drawn at random. A search of level L makes N searches of level L - 1, each
    with a copy of its policies, and after each merges the front of that search into its own; then
    every sequence of the front moves the policy that made it, by adapt with the learning rate α d.
    d is the crowding distance of the sequence (NSGA-II [2]_), 2 at the ends of the front, where it
    is infinite: isolated sequences pull more. A policy that made none of them stays.

    The front of the answer is that of all runs. A level keeps `front_size` sequences: when there is
    one more, the most crowded leaves, never an end of a front of two objectives.

    Parameters
    ----------
    level : int
        Nesting level, 1 or more.
    iterations : int
        Iterations N of each level; a search has N**level playouts, then restarts.
    alpha : float
        Learning rate.
    temperature : float
        Temperature of the policy, not of nrpa's.
    policies : int
        Policies in the set of each level.
    front_size : int
        Most sequences in the front of each level.

    Raises
    ------
    InputError
        If a parameter is out of range.

    References
    ----------
    .. [1] N. Lallouet, T. Cazenave, C. Enderli, Pareto-NRPA: A Novel Monte-Carlo Search Algorithm
       for Multi-Objective Optimization, 2025.
    .. [2] K. Deb, A. Pratap, S. Agarwal, T. Meyarivan, A Fast and Elitist Multiobjective Genetic
       Algorithm: NSGA-II, 2002.
    """

    name: ClassVar[str] = "pareto-nrpa"
    label: ClassVar[str] = "Pareto-NRPA"
    kind: ClassVar[str] = "searches for fronts"
    takes_prior: ClassVar[bool] = True
    without_prior: ClassVar[str] = ""
    fixed: ClassVar[frozenset[str]] = frozenset()
    changes_assignments: ClassVar[bool] = False
    takes_best: ClassVar[bool] = False
    keeps_front: ClassVar[bool] = True

    level: Level = set_by_domain("the domain's, 2 or 3")
    iterations: Count = 100
    alpha: Positive = 1.0
    temperature: Positive = 1.0
    policies: Annotated[int, Range(1, MOST)] = 4
    front_size: Annotated[int, Range(2, MOST)] = 50

    def __post_init__(self) -> None:
        check_fields(self)

    @classmethod
    def suited_to(cls, domain: Puzzle) -> Self:
        """Return it with the level of `domain`."""
        return cls(level=domain.default_level)

    @property
    def playouts_per_run(self) -> int:
        """Playouts of a whole nested search, or of several if it is short."""
        return whole_searches(int(self.iterations**self.level))

    def new_run(self, domain: Puzzle, instance: Any, prior: Any) -> Run:
        """Allocate a run."""
        from solver.contract.fronts.objectives import objectives_of
        from solver.kernels.nested.fronts import FrontParameters
        from solver.kernels.nested.pareto_search import ParetoRun

        has_objectives = len(objectives_of(domain)) > 1
        require(has_objectives, f"{domain.name} has no objectives, which {self.name} looks for")
        parameters = FrontParameters(
            self.level, self.iterations, float(self.alpha), float(self.temperature), self.policies
        )
        return ParetoRun(domain, instance, prior, parameters, self.front_size)
