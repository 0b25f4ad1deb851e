"""Nested Monte Carlo search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from solver.algorithms.run import (
    MAX_RUN_PLAYOUTS,
    SHAPED_WITH,
    CountFrom0,
    Level,
    ListedAlgorithm,
    Run,
    require_possible,
    require_shaped,
    set_by_domain,
)
from solver.system.fields import check_fields

if TYPE_CHECKING:
    from solver.contract.domain import Puzzle

#: No less than the playouts of a search of level 1 on most problems.
SEARCH_PLAYOUTS = 4096


@dataclass(frozen=True)
class Nmcs(ListedAlgorithm):
    """Nested Monte Carlo search [1]_ ([2]_, Algorithm 1).

    A search of level L, at every state on its way, tries each possible move by a search of level
    L - 1 from there, a search of level 0 being a playout, and plays the move of the best of them:
    of all since it began, if it memorises its best sequence, else of those from this state. A
    playout plays move m with probability exp(β_m) / Σ_i exp(β_i), where β is the bias of a prior.
    Parameters that are None are set by the domain.

    Parameters
    ----------
    level : int
        Nesting level, 1 or more; a search is followed by another.
    memorise : bool
        Follow the best sequence so far where no move leads to a better one.
    dead_ends : int
        Dead ends a playout may back out of, each counted as one.
    shaping : bool
        Compare playouts by the problem's shaped score (samegame has one); the best of all is still
        that of the best score.

    Raises
    ------
    InputError
        If a parameter is out of range.

    References
    ----------
    .. [1] T. Cazenave, Nested Monte-Carlo Search, 2009.
    .. [2] T. Cazenave, F. Teytaud, Beam Nested Rollout Policy Adaptation, 2012.
    """

    name: ClassVar[str] = "nmcs"
    label: ClassVar[str] = "NMCS"
    kind: ClassVar[str] = "nested Monte Carlo searches"

    level: Level = set_by_domain("the domain's, 2 or 3")
    memorise: bool = True
    dead_ends: CountFrom0 = set_by_domain("the domain's")
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
        """Enough for a whole search on most problems; how many one has depends on the problem."""
        return min(int(SEARCH_PLAYOUTS**self.level), MAX_RUN_PLAYOUTS)

    def new_run(self, domain: Puzzle, instance: Any, prior: Any) -> Run:
        """Allocate a run.

        Raises
        ------
        InputError
            If playouts back out of dead ends and moves of `domain` cannot be undone, or `shaping`
            is set and it has no shaped score.
        """
        from solver.kernels.nested.nmcs import NmcsRun

        require_possible(self.dead_ends, domain)
        require_shaped(self.shaping, domain)
        return NmcsRun(
            domain, instance, prior, level=self.level, memorise=self.memorise,
            dead_ends=self.dead_ends, shaping=self.shaping,
        )  # fmt: skip
