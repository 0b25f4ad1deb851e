"""Nested rollout policy adaptation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from solver.algorithms.gnrpa import Gnrpa
from solver.algorithms.run import Run, require

if TYPE_CHECKING:
    from solver.contract.domain import Puzzle


@dataclass(frozen=True)
class Nrpa(Gnrpa):
    """Nested rollout policy adaptation [1]_: GNRPA at temperature 1, without a prior.

    A playout plays move m with probability exp(w_m) / Σ_i exp(w_i). Parameters: see `Gnrpa`.

    Raises
    ------
    InputError
        As `Gnrpa`, or if `temperature` is not 1.

    References
    ----------
    .. [1] C. D. Rosin, Nested Rollout Policy Adaptation for Monte Carlo Tree Search, 2011.
    """

    name: ClassVar[str] = "nrpa"
    label: ClassVar[str] = "NRPA"
    takes_prior: ClassVar[bool] = False
    without_prior: ClassVar[str] = ""
    fixed: ClassVar[frozenset[str]] = frozenset({"temperature"})
    takes_best: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.temperature == 1.0, "nrpa has no temperature, use gnrpa")

    @classmethod
    def suited_to(cls, domain: Puzzle) -> Self:
        """Return it with the level and the dead ends of `domain`, and plain scores."""
        return cls(level=domain.default_level, dead_ends=domain.default_dead_ends, shaping=False)

    def new_run(self, domain: Puzzle, instance: Any, prior: Any) -> Run:
        """Allocate a run.

        Raises
        ------
        InputError
            As `Gnrpa.new_run`, or if `prior` is not a `NoPrior`.
        """
        from solver.priors.priors import NoPrior

        require(isinstance(prior, NoPrior), "nrpa takes no prior, use gnrpa")
        return super().new_run(domain, instance, prior)
