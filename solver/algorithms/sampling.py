"""Sampling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from solver.algorithms.run import (
    MIN_RUN_PLAYOUTS,
    CountFrom0,
    Run,
    require_possible,
    set_by_domain,
)
from solver.system.fields import check_fields

if TYPE_CHECKING:
    from solver.contract.domain import Puzzle


@dataclass(frozen=True)
class Sampling:
    """Independent playouts: move m is played with probability exp(β_m) / Σ_i exp(β_i) [1]_.

    β is the bias of a prior, 0 without one. A `dead_ends` of None is set by the domain.

    Parameters
    ----------
    dead_ends : int
        Dead ends a playout may back out of, each counted as one; now and then a playout may back
        out of more, twice as many each time, so that a problem without solution is proved so.

    Raises
    ------
    InputError
        If a parameter is out of range.

    References
    ----------
    .. [1] T. Cazenave, Learning a Prior for Monte Carlo Search by Replaying Solutions to
       Combinatorial Problems, section 3.
    """

    name: ClassVar[str] = "sampling"
    label: ClassVar[str] = "Sampling"
    kind: ClassVar[str] = "playouts"
    takes_prior: ClassVar[bool] = True
    without_prior: ClassVar[str] = ""
    fixed: ClassVar[frozenset[str]] = frozenset()
    changes_assignments: ClassVar[bool] = False
    takes_best: ClassVar[bool] = False

    dead_ends: CountFrom0 = set_by_domain("the domain's")

    def __post_init__(self) -> None:
        check_fields(self)

    @classmethod
    def suited_to(cls, domain: Puzzle) -> Self:
        """Return it with the dead ends of `domain`."""
        return cls(domain.default_dead_ends)

    @property
    def playouts_per_run(self) -> int:
        """Playouts are independent, so any number will do."""
        return MIN_RUN_PLAYOUTS

    @property
    def runs_lengthen(self) -> bool:
        """True if later runs are longer, so that one of them can try everything."""
        return self.dead_ends > 0

    def new_run(self, domain: Puzzle, instance: Any, prior: Any) -> Run:
        """Allocate a run.

        Raises
        ------
        InputError
            If playouts back out of dead ends and moves of `domain` cannot be undone.
        """
        from solver.kernels.sampling import SamplingRun

        require_possible(self.dead_ends, domain)
        return SamplingRun(domain, instance, prior, self.dead_ends)
