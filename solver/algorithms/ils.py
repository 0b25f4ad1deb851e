"""Iterated local search."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from solver.algorithms.run import (
    Count,
    CountFrom0,
    ListedAlgorithm,
    Run,
    require_fit,
    require_possible,
    set_by_domain,
)
from solver.system.fields import check_fields

if TYPE_CHECKING:
    from solver.contract.domain import Puzzle

#: Tens of seconds on most problems: `patience` ends most searches before.
RUN_PLAYOUTS = 1 << 20


@dataclass(frozen=True)
class Ils(ListedAlgorithm):
    """Iterated local search [1]_, where the problem has one (tsptw).

    A playout, made with the bias of a prior as by sampling, is improved by the local search. Then,
    again and again, it is changed a little at random and improved, and the result takes its place
    unless it is worse; while a tour is late, now and then a worse one does, too. Each such change
    counts as a playout.

    Parameters
    ----------
    patience : int
        Begin anew with another playout after so many changes for each of its moves without a
        score better than all since the last beginning.
    start_tour : str
        File of the tour to begin with, in place of the first playout.
    dead_ends : int
        Dead ends a playout may back out of, each counted as one.

    Raises
    ------
    InputError
        If a parameter is out of range.

    References
    ----------
    .. [1] H. R. Lourenço, O. C. Martin, T. Stützle, Iterated Local Search, 2003.
    """

    name: ClassVar[str] = "ils"
    label: ClassVar[str] = "Iterated local search"
    kind: ClassVar[str] = "iterated local searches"

    patience: Count = 10
    start_tour: str = ""
    dead_ends: CountFrom0 = set_by_domain("the domain's")

    def __post_init__(self) -> None:
        check_fields(self)

    @classmethod
    def suited_to(cls, domain: Puzzle) -> Self:
        """Return it with the dead ends of `domain`."""
        return cls(dead_ends=domain.default_dead_ends)

    @property
    def playouts_per_run(self) -> int:
        """Long enough for several searches."""
        return RUN_PLAYOUTS

    def new_run(self, domain: Puzzle, instance: Any, prior: Any) -> Run:
        """Allocate a run."""
        from solver.contract.rules import improve, perturb
        from solver.kernels.changes.ils import IlsRun
        from solver.system.files import read_text

        possible = domain.has(improve, perturb)
        require_fit(possible, self, domain, "has no local search to iterate")
        require_possible(self.dead_ends, domain)
        first = None
        if self.start_tour:
            text = read_text(Path(self.start_tour))
            first = domain.moves_of(instance, text, self.start_tour)
        return IlsRun(domain, instance, prior, self.patience, self.dead_ends, first)
