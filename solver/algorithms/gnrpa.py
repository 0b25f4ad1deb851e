"""Generalized nested rollout policy adaptation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

from solver.algorithms.run import (
    SHAPED_WITH,
    Count,
    CountFrom0,
    Level,
    Positive,
    Run,
    for_reproduction,
    require_field,
    require_possible,
    require_shaped,
    set_by_domain,
    whole_searches,
)
from solver.system.fields import check_fields

if TYPE_CHECKING:
    from solver.contract.domain import Puzzle
    from solver.kernels.nested.levels import LevelParameters


@dataclass(frozen=True)
class Gnrpa:
    """Generalized nested rollout policy adaptation [1]_ (Algorithms 3, 4 and 6).

    A playout plays move m with probability p_m = exp(w_m / τ + β_m) / Σ_i exp(w_i / τ + β_i), where
    w are the weights of the policy, τ its temperature and β the bias of a prior. A search of
    level L makes N searches of level L - 1, a search of level 0 being a playout, each with
    the policy as it then is, and after each adapts the policy to the best sequence so far: at
    every state of it w_m += α / τ (δ_m - p_m) for every possible move m, where δ is 1 for the
    move of the sequence and 0 for the others. Parameters that are None are set by the domain.

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
    dead_ends : int
        Dead ends a playout may back out of, each counted as one; now and then a playout may back
        out of more, twice as many each time, so that a problem without solution is proved so.
    playouts_per_adapt : int
        Playouts of level 1 before each adapt (P of stabilized NRPA [2]_); a search has so many
        times more playouts.
    repetitions : int
        A level ends when its best sequence was found again so often, its policy having
        converged (GNRPA with limited repetitions [3]_); 0 for no limit.
    warm_start : bool
        After a restart the best sequence so far is the one to adapt to until a better is found.
    layered : bool
        Adapt to the moves that were first possible at the same state together, as if made there:
        for games whose moves can wait, as those of morpion.
    local_search : bool
        Improve every new best playout of level 1 by the problem's local search (tsptw has one); the
        policy adapts to the result. Budgets count playouts only, not what that costs.
    shaping : bool
        Compare playouts by the problem's shaped score (samegame has one); the best of all is still
        that of the best score.

    Raises
    ------
    InputError
        If a parameter is out of range.

    References
    ----------
    .. [1] T. Cazenave, Generalized Nested Rollout Policy Adaptation, 2020.
    .. [2] T. Cazenave, J.-B. Sevestre, M. Toulemont, Stabilized Nested Rollout Policy
       Adaptation, 2020.
    .. [3] T. Cazenave, Generalized Nested Rollout Policy Adaptation with Limited
       Repetitions, 2024.
    """

    name: ClassVar[str] = "gnrpa"
    label: ClassVar[str] = "GNRPA"
    kind: ClassVar[str] = "nested searches"
    takes_prior: ClassVar[bool] = True
    without_prior: ClassVar[str] = "nrpa"
    fixed: ClassVar[frozenset[str]] = frozenset()
    changes_assignments: ClassVar[bool] = False
    takes_best: ClassVar[bool] = True

    level: Level = set_by_domain("the domain's, 2 or 3")
    iterations: Count = 100
    alpha: Positive = 1.0
    temperature: Positive = 1.0
    dead_ends: CountFrom0 = set_by_domain("the domain's")
    playouts_per_adapt: Count = 1
    repetitions: CountFrom0 = for_reproduction(0)
    warm_start: bool = False
    layered: bool = for_reproduction(False)
    local_search: bool = field(default=False, metadata={"default": "only `solve`, with gnrpa"})
    shaping: bool = set_by_domain(SHAPED_WITH)

    def __post_init__(self) -> None:
        check_fields(self)

    @classmethod
    def suited_to(cls, domain: Puzzle) -> Self:
        """Return it with the level, the dead ends and the shaped score of `domain`."""
        from solver.contract.rules import shaped_score

        return cls(
            level=domain.default_level,
            dead_ends=domain.default_dead_ends,
            shaping=domain.has(shaped_score),
        )

    @property
    def playouts_per_run(self) -> int:
        """Playouts of a whole nested search, or of several if it is short."""
        return whole_searches(int(self.iterations**self.level) * self.playouts_per_adapt)

    @property
    def runs_lengthen(self) -> bool:
        """True if later runs are longer, so that one of them can try everything."""
        return self.dead_ends > 0

    def check_possible(self, domain: Puzzle) -> None:
        """Raise a `FieldError` if `domain` lacks a function that a parameter needs."""
        from solver.contract.rules import improve

        improves = not self.local_search or domain.has(improve)
        complaint = f"is not for {domain.name}, which has no local search"
        require_field(improves, "local_search", complaint)
        require_shaped(self.shaping, domain)
        require_possible(self.dead_ends, domain)

    def level_parameters(self) -> LevelParameters:
        """Return the parameters of the kernel's levels."""
        from solver.kernels.nested.levels import LevelParameters

        return LevelParameters(
            self.level, self.iterations, float(self.alpha), float(self.temperature),
            self.playouts_per_adapt, self.repetitions, self.warm_start, self.layered,
        )  # fmt: skip

    def new_run(self, domain: Puzzle, instance: Any, prior: Any) -> Run:
        """Allocate a run.

        Raises
        ------
        InputError
            As `check_possible`.
        """
        from solver.kernels.nested.search import NestedRun

        self.check_possible(domain)
        return NestedRun(
            domain, instance, prior, self.level_parameters(), dead_ends=self.dead_ends,
            local_search=self.local_search, shaping=self.shaping,
        )  # fmt: skip
