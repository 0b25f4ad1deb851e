"""Complete search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from solver.algorithms.run import CountFrom0, ListedAlgorithm, Run, require_undo
from solver.system.fields import check_fields

if TYPE_CHECKING:
    from solver.contract.domain import Puzzle

#: Longer than any budget: what a run has learned is lost to the next.
RUN_PLAYOUTS = 1 << 50
VALUES = ("drawn", "best")


@dataclass(frozen=True)
class Complete(ListedAlgorithm):
    """Complete search, which proves that there is no solution, or finds all.

    Depth first, branching on the variable with the fewest values for each dead end that its
    constraints were to blame for ([1]_), on a value drawn by the odds of the prior. After
    `fails` times 1, 1, 2, 1, 1, 2, 4 ... dead ends ([2]_) it begins again at the root, where it
    keeps the blame, and each refuted branch as a nogood ([3]_). A playout is a dead end.

    Parameters
    ----------
    fails : int
        Dead ends before the first restart, 0 for no restarts.
    value_order : {"drawn", "best"}
        Value to try first: one drawn with probability proportional to its odds, or the one of the
        largest odds.
    phases : bool
        Try first the value that held last ([4]_).

    Raises
    ------
    InputError
        If a parameter is out of range.

    References
    ----------
    .. [1] F. Boussemart et al., Boosting Systematic Search by Weighting Constraints, 2004.
    .. [2] M. Luby, A. Sinclair, D. Zuckerman, Optimal Speedup of Las Vegas Algorithms, 1993.
    .. [3] C. Lecoutre et al., Recording and Minimizing Nogoods from Restarts, 2007.
    .. [4] K. Pipatsrisawat, A. Darwiche, A Lightweight Component Caching Scheme for Satisfiability
       Solvers, 2007.
    """

    name: ClassVar[str] = "complete"
    label: ClassVar[str] = "Complete search"
    kind: ClassVar[str] = "complete search"

    fails: CountFrom0 = 100
    value_order: Literal["drawn", "best"] = "drawn"
    phases: bool = False

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def playouts_per_run(self) -> int:
        """Longer than any budget."""
        return RUN_PLAYOUTS

    def new_run(self, domain: Puzzle, instance: Any, prior: Any) -> Run:
        """Allocate a run.

        Raises
        ------
        InputError
            If moves of the domain cannot be undone.
        """
        from solver.kernels.complete.run import CompleteRun

        require_undo(self, domain)
        return CompleteRun(
            domain,
            instance,
            prior,
            fails=self.fails,
            values=VALUES.index(self.value_order),
            phases=self.phases,
        )
