"""Generalized nested rollout policy adaptation that learns the weights of its biases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from solver.algorithms.gnrpa import Gnrpa
from solver.algorithms.run import NotNegative, Run, require

if TYPE_CHECKING:
    from solver.contract.domain import Puzzle


@dataclass(frozen=True)
class BiasGnrpa(Gnrpa):
    """GNRPA that learns the weights of its biases [1]_ [2]_.

    A playout plays move m with probability p_m proportional to exp(w_m / τ + Σ_j v_j β_j(m)), where
    β_j are the biases of the codes of a prior, one of a prior of a single code. The weights v are
    1 when a search begins. Each level has its own, as it has its policy, and each adapt moves them,
    too: v_j += r Σ (β_j(b) - Σ_m p_m β_j(m)) / Σ σ_j², both sums over the decisions of the best
    sequence, b being the move of it and σ_j² the variance of β_j over all possible moves. The
    papers have the gradient alone; the division makes v β independent of the scale of β.

    Parameters
    ----------
    bias_rate : float
        Learning rate r of the weights of biases; 0 for GNRPA.

    Raises
    ------
    InputError
        If a parameter is out of range.

    References
    ----------
    .. [1] J. Sentuc, T. Cazenave, J.-Y. Lucas, Generalized Nested Rollout Policy Adaptation with
       Dynamic Bias for Vehicle Routing, 2021.
    .. [2] J. Sentuc, F. Ellouze, J.-Y. Lucas, T. Cazenave, Learning the Biases Weights for
       Generalized Nested Rollout Policy Adaptation, 2023.
    """

    name: ClassVar[str] = "bias-gnrpa"
    label: ClassVar[str] = "GNRPA with bias weights"
    without_prior: ClassVar[str] = ""
    fixed: ClassVar[frozenset[str]] = frozenset({"layered", "local_search"})
    takes_best: ClassVar[bool] = False

    bias_rate: NotNegative = 0.01

    def __post_init__(self) -> None:
        super().__post_init__()
        require(not self.layered, f"{self.name} has no layered, use gnrpa")
        require(not self.local_search, f"{self.name} has no local search, use gnrpa")

    def new_run(self, domain: Puzzle, instance: Any, prior: Any) -> Run:
        """Allocate a run."""
        from solver.kernels.nested.bias_weights import BiasWeightsRun
        from solver.priors.priors import NoPrior

        if self.bias_rate == 0 or isinstance(prior, NoPrior):
            return super().new_run(domain, instance, prior)
        self.check_possible(domain)
        return BiasWeightsRun(
            domain, instance, prior, self.level_parameters(), float(self.bias_rate),
            dead_ends=self.dead_ends, shaping=self.shaping,
        )  # fmt: skip
