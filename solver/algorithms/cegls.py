"""Counterexample-guided local search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from solver.algorithms.run import (
    Count,
    ListedAlgorithm,
    NotNegative,
    Run,
    named_shares,
    require_field,
    require_fit,
    set_by_domain,
)
from solver.contract.assignments import Assignable
from solver.errors import quoted
from solver.system.fields import check_fields

if TYPE_CHECKING:
    from solver.contract.domain import Puzzle
    from solver.kernels.guided.palettes import Palettes

#: The prior that the search is given, the one that has no preference, those made by hand.
GIVEN, UNIFORM, HANDMADE = "prior", "uniform", "handmade"
#: Beginnings of the search, in the order of the numbers that the run has for them; from the best.
BEST, PART = "best", "part"
BEGINNINGS = ("drawn", "parts", BEST, PART)
#: Name of the palette that leaves the priors as they are.
PLAIN_PALETTE = "plain"
RUN_PLAYOUTS = 1_000_000


#: Parameters of domains that have none of their own in `guided_parameters`.
DEFAULTS: dict[str, Any] = {
    "proposals": "prior:0.8,handmade:0.1,uniform:0.1",
    "moves": 100,
    "noise": 0.1,
    "reweight": 0.02,
    "memory": 8,
    "patience": 100,
    "beginnings": "drawn,parts,best,part,best",
    "palettes": PLAIN_PALETTE,
}


def _set_by_domain(name: str) -> Any:
    return set_by_domain(f"the problem's, else {DEFAULTS[name]}")


@dataclass(frozen=True)
class Cegls(ListedAlgorithm):
    """Local search guided by counterexamples, for problems whose check is exact and slow.

    An assignment that fails its check yields a counterexample, which becomes a constraint c that is
    fast to evaluate ([1]_). Between two checks a local search makes all constraints hold by their
    margins: of a random violated constraint it changes a random step ([2]_) to a move drawn from
    a mixture of priors, and accepts with probability exp(-Δ / noise) ([3]_), where the
    cost is Σ_c w_c violation_c plus a term of the problem; not accepted, w_c grows ([4]_). A
    checked assignment is gone on from if it is no further from a solution than the nearest, or
    than the one `memory` checks before ([5]_). After long without a gain, the search begins
    again, in turns with a playout, with an assignment put together from the problem's parts, each
    solved by itself first, and with the best of all, a part of which is drawn or solved again that
    a violated constraint depends on ([6]_). In every second cycle of these beginnings the first two
    have a palette: shares of moves in place of those of the first prior, which would hardly ever
    propose the solutions of some problems; palettes that have led nearer are drawn more often. A
    playout is a check, of the whole or of a part. Parameters that are None are set by the domain.

    Parameters
    ----------
    proposals : str
        Mixture of priors that moves are drawn from, as NAME:SHARE,NAME:SHARE: "prior" is that of
        --prior, "uniform" has no preference, "handmade" are all that the problem has of priors
        made by hand, which also go by their names (nemo): where it has none, their share goes to
        the others. The first one makes the assignments to begin with.
    moves : int
        Moves tried between two checks.
    noise : float
        Temperature of acceptance, in the unit of costs (rna: kcal/mol; latin-square:
        a conflict costs ln k where a hole may have k values).
    reweight : float
        Weight added to a violated constraint after a move that was not accepted.
    memory : int
        Checks that late acceptance looks back.
    patience : int
        Checks without a gain before a restart.
    beginnings : str
        Assignments that the search begins and restarts with, in turns: "drawn", a playout; "parts",
        put together from parts; "best", the best with a part of it drawn again; "part", the best
        with the smallest such part solved again by itself. The last two are not the first of all.
        If the problem has no parts, all of them are playouts.
    palettes : str
        Palettes of the problem that restarts draw from, as plain,NAME,NAME; "plain" is none.

    Raises
    ------
    InputError
        If a parameter is out of range, or `proposals` or `beginnings` cannot be read.

    References
    ----------
    .. [1] A. Solar-Lezama et al., Combinatorial Sketching for Finite Programs, 2006.
    .. [2] B. Selman, H. Kautz, B. Cohen, Noise Strategies for Improving Local Search, 1994.
    .. [3] N. Metropolis et al., Equation of State Calculations by Fast Computing Machines, 1953.
    .. [4] P. Morris, The Breakout Method for Escaping from Local Minima, 1993.
    .. [5] E. Burke, Y. Bykov, The Late Acceptance Hill-Climbing Heuristic, 2017.
    .. [6] P. Shaw, Using Constraint Programming and Local Search Methods to Solve Vehicle Routing
       Problems, 1998.
    """

    name: ClassVar[str] = "cegls"
    label: ClassVar[str] = "Counterexample-guided local search"
    kind: ClassVar[str] = "local searches"
    changes_assignments: ClassVar[bool] = True

    proposals: str = _set_by_domain("proposals")
    moves: Count = _set_by_domain("moves")
    noise: NotNegative = _set_by_domain("noise")
    reweight: NotNegative = _set_by_domain("reweight")
    memory: Count = _set_by_domain("memory")
    patience: Count = _set_by_domain("patience")
    beginnings: str = _set_by_domain("beginnings")
    palettes: str = _set_by_domain("palettes")

    def __post_init__(self) -> None:
        check_fields(self)
        if self.proposals is not None:
            self.shares()
        if self.beginnings is not None:
            self._check_beginnings()

    def _check_beginnings(self) -> None:
        words = self.beginnings.split(",")
        for word in words:
            complaint = f"has {quoted(word)}, expected one of {', '.join(BEGINNINGS)}"
            require_field(word in BEGINNINGS, "beginnings", complaint)
        none_yet = f"starts with {words[0]}, there is no best playout yet"
        require_field(words[0] not in (BEST, PART), "beginnings", none_yet)

    def _palettes(self, domain: Puzzle, first: float) -> Palettes | None:
        """Return the palettes to draw from, None if `domain` has none.

        `first` is the share of the first prior.
        """
        from solver.kernels.guided.palettes import Palettes

        known = {PLAIN_PALETTE: (), **domain.palettes}
        words = self.palettes.split(",")
        expected = f"{domain.name} has: {', '.join(known)}"
        for word in words:
            require_field(word in known, "palettes", f"has {quoted(word)}, {expected}")
        start = f"starts with {quoted(words[0])}, expected {PLAIN_PALETTE}"
        require_field(words[0] == PLAIN_PALETTE, "palettes", start)
        if not domain.palettes:
            return None
        shares = [known[word] for word in words[1:]]
        return Palettes(first, len(next(iter(domain.palettes.values()))), shares)

    @classmethod
    def suited_to(cls, domain: Puzzle) -> Self:
        """Return it with the parameters for the costs of `domain`."""
        return cls(**{**DEFAULTS, **domain.guided_parameters})

    def shares(self, handmade: Sequence[str] = ()) -> list[tuple[str, float]]:
        """Return names and shares of `proposals`; the shares add up to 1.

        Parameters
        ----------
        handmade : sequence of str
            Names of the priors that the problem has made by hand.

        Raises
        ------
        InputError
            If it does not read NAME:SHARE,NAME:SHARE.
        """
        found = []
        for name, share in named_shares("proposals", self.proposals):
            names = handmade if name == HANDMADE else (name,)
            found += [(each, share / len(names)) for each in names]
        total = sum(share for _, share in found)
        return [(name, share / total) for name, share in found]

    @property
    def playouts_per_run(self) -> int:
        """Many: a run knows its counterexamples, another would have to find them again."""
        return RUN_PLAYOUTS

    def new_run(self, domain: Puzzle, instance: Any, prior: Any) -> Run:
        """Allocate a run.

        Raises
        ------
        InputError
            If the problem has no constraints, or no prior or palette of a name that is given.
        """
        from solver.kernels.arguments import Off
        from solver.kernels.guided.proposals import new_mixture
        from solver.kernels.guided.run import GuidedRun
        from solver.kernels.guided.search import GuidedParameters
        from solver.priors.priors import NoPrior

        constraints = domain.new_constraints(instance)
        by_options = type(domain).new_constraints is not Assignable.new_constraints
        lack = "guided search with these options" if by_options else "constraints for guided search"
        require_fit(constraints is not None, self, domain, f"has no {lack}")
        known = {GIVEN: prior, UNIFORM: NoPrior(), **domain.handmade}
        shares = self.shares(list(domain.handmade))
        expected = f"{domain.name} has: {', '.join(known)}"
        require_field(bool(shares), "proposals", f"has no prior, {expected}")
        for name, _ in shares:
            require_field(name in known, "proposals", f"has {quoted(name)}, {expected}")
        priors = [(known[name], share) for name, share in shares]
        palettes = self._palettes(domain, shares[0][1])
        parameters = GuidedParameters(
            new_mixture(priors), Off() if palettes is None else palettes.palette,
            self.moves, max(self.moves // 2, 1), float(self.noise), float(self.reweight),
            self.patience,
        )  # fmt: skip
        turns = [BEGINNINGS.index(word) for word in self.beginnings.split(",")]
        return GuidedRun(domain, instance, parameters, constraints, self.memory, turns, palettes)
