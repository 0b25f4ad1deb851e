"""Portfolio of searches that take turns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from solver.algorithms.complete import RUN_PLAYOUTS, Complete
from solver.algorithms.gnrpa import Gnrpa
from solver.algorithms.run import (
    Algorithm,
    CountFrom0,
    ListedAlgorithm,
    Run,
    named_shares,
    require,
    require_field,
    require_undo,
    suited,
)
from solver.errors import quoted
from solver.system.fields import check_fields

if TYPE_CHECKING:
    from solver.contract.domain import Puzzle

#: Shares that the instance decides.
AUTO = "auto"
#: The searches that need no other package.
OWN: dict[str, type[ListedAlgorithm]] = {"gnrpa": Gnrpa, "complete": Complete}
#: All searches that there may be; `cadical` where python-sat is installed, for exact covers.
PARTS = (*OWN, "cadical")


@dataclass(frozen=True)
class Portfolio(ListedAlgorithm):
    """Playouts, complete search and a SAT solver that take turns on the same problem [1]_.

    In turns that grow by a fixed factor each part makes its share of the playouts, which are dead
    ends in complete search and conflicts in CaDiCaL. The first answer, or the first proof that
    there is none, ends all. Of an instance that the problem knows to need one part only, that part
    is the search. The answer depends on the seed and the playouts, and on whether python-sat is
    installed.

    Parameters
    ----------
    parts : str
        Shares of the playouts, as NAME:SHARE,NAME:SHARE with the names gnrpa, complete and cadical;
        "auto" are those that the problem has for the instance.
    head : int
        Playouts that the first part makes before the turns.

    Raises
    ------
    InputError
        If `parts` does not read so.

    References
    ----------
    .. [1] C. P. Gomes, B. Selman, Algorithm Portfolios, 2001.
    """

    name: ClassVar[str] = "portfolio"
    label: ClassVar[str] = "Portfolio"
    kind: ClassVar[str] = "portfolios"

    parts: str = AUTO
    head: CountFrom0 = 1000

    def __post_init__(self) -> None:
        check_fields(self)
        if self.parts != AUTO:
            for name, _ in named_shares("parts", self.parts):
                known = ", ".join(PARTS)
                complaint = f"has {quoted(name)}, expected one of {known}"
                require_field(name in PARTS, "parts", complaint)

    @property
    def playouts_per_run(self) -> int:
        """Longer than any budget: the parts begin anew by themselves."""
        return RUN_PLAYOUTS

    def for_instance(self, domain: Puzzle, instance: Any) -> Algorithm:
        """Return the part that `domain` has for `instance`, if it is one of its own, else this."""
        if self.parts == AUTO:
            shares = domain.portfolio(instance)
            (name, *others) = shares
            if not others and name in OWN:
                return OWN[name]()
        return self

    def new_run(self, domain: Puzzle, instance: Any, prior: Any) -> Run:
        """Allocate a run.

        Raises
        ------
        InputError
            If moves of the domain cannot be undone, or a part cannot search it.
        """
        from solver.kernels.complete.cadical import CONFLICTS, CadicalRun, has_cadical
        from solver.kernels.complete.turns import Part, PortfolioRun

        require_undo(self, domain)
        sets = domain.exactly_one(instance)
        if self.parts == AUTO:
            shares = list(domain.portfolio(instance).items())
            if not has_cadical() or sets is None:
                shares = [(name, share) for name, share in shares if name != "cadical"]
        else:
            shares = named_shares("parts", self.parts)
        made = []
        for name, share in shares:
            if name == "cadical":
                complaint = f"has {quoted(name)}, {domain.name} has no clauses for it"
                require_field(sets is not None, "parts", complaint)
                require(has_cadical(), "cadical needs python-sat: pip install python-sat")
                cadical = CadicalRun(domain, instance, sets or [])
                made.append(Part(cadical, share, RUN_PLAYOUTS, least=CONFLICTS))
                continue
            algorithm = suited(OWN[name](), domain)
            run = algorithm.new_run(domain, instance, prior)
            made.append(Part(run, share, algorithm.playouts_per_run))
        return PortfolioRun(made, self.head)
