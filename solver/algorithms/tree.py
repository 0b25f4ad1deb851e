"""Tree searches of games and puzzles: what they select moves by.

A playout goes down the tree from the root, adds the first state that is not in it, and goes on at
random to an end. States that several ways lead to are one node. For a move a of a state s

- N(s, a) and Q(s, a) are number and mean reward of the playouts that went on with it from s,
- N~ and Q~ those of the playouts through s that have it there or later (all moves as first, AMAF),
- N^ and Q^ those of all playouts that have it and the moves that first led to s, in any order.

Moves without any of these come first; equals are drawn. The move played is the one of most visits.

With a prior in the tree P(s, a) is the share of a move's odds in those of all m moves of s. Every
value but that of PUCT gets (w H(s, a) + g P(s, a) sqrt(N(s))) / (N(s, a) + 1) added, a progressive
bias [1]_ with H = min(m P, 10) and the term of PUCT, which fades later; of moves without statistics
the likeliest come first.

The move played by flat Monte Carlo, which tries all alike, is that of the highest mean.

References
----------
.. [1] G. Chaslot et al., Progressive strategies for Monte-Carlo tree search, New Mathematics and
   Natural Computation 4, 2008.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, get_args

from solver.algorithms.run import (
    OF_GAMES,
    CountFrom0,
    ListedAlgorithm,
    Run,
    require_field,
    set_by_domain,
)
from solver.contract.references import resolve
from solver.errors import FieldError, quoted
from solver.system.fields import Range, check_fields, fields_of

if TYPE_CHECKING:
    from solver.contract.domain import Puzzle
    from solver.kernels.tree.arrays import TreeParameters

#: What papers use.
REF, BIAS, EXPLORATION = 50, 1e-5, 0.4
#: Playouts of a run on a puzzle, one that commits and one that does not; bytes of its tree.
COMMITTED_PLAYOUTS, RUN_PLAYOUTS, MEMORY = 1 << 16, 1 << 20, 1 << 29
#: Measured on SameGame, see `docs/problems/samegame.md`.
COMMIT, PUZZLE_EXPLORATION = 200, 0.1
#: Matches with these: `docs/results/games.md`.
WEIGHT, GUIDANCE, PUCT_EXPLORATION = 0.1, 0.6, 1.0
#: Key in the metadata of a field: its value for games, where it is another than for puzzles.
FOR_GAMES = "for_games"
#: Constant of a formula: the largest whose products stay numbers is 1e100.
Factor = Annotated[float, Range(0, 1e100)]

#: Where a prior may act: on the moves of nodes, on those of playouts, or on both.
PRIOR_IN = ("tree", "playouts", "both")

#: Playouts without a policy.
UNIFORM, POLICY_RATE = "uniform", 0.1
OF_POLICY = frozenset({"policy", "policy_rate"})
_POLICIES = "solver.kernels.tree.policies"
POLICIES = {
    "mast": f"{_POLICIES}.mast:Mast",
    "nst": f"{_POLICIES}.nst:Nst",
    "ppa": f"{_POLICIES}.ppa:Ppa",
}
Rate = Annotated[float, Range(1e-3, 1e3)]

Statistics = Literal["none", "amaf", "permutations"]
#: In the order of their numbers in `solver.kernels.tree.arrays`.
STATISTICS: tuple[Statistics, ...] = get_args(Statistics)
#: Parameters of searches from elsewhere that the kernel knows.
SHARED = ("ref", "proofs", "decisive", "leaf_playouts", "estimates")
#: Parameters of the progressive bias.
PROGRESSIVE = frozenset({"weight", "guidance"})


@dataclass(frozen=True)
class TreeAlgorithm(ListedAlgorithm):
    """A tree search: a frozen dataclass, whose fields become options of the commands.

    On puzzles the best playout counts; a prior acts in the tree and in playouts. Means of scores
    are compared by the difference between the highest and the least score so far.

    Parameters
    ----------
    policy : str
        Policy of playouts that is learned while searching: mast, nst or ppa, or uniform.
    policy_rate : float
        Temperature of mast and nst, step size of ppa.
    commit : int
        Of puzzles: playouts after which the move of most visits is played for good, and another
        tree begins there, or at the start behind the last move; 0 for one tree from the start.
    proofs : bool
        Of games: wins, losses and draws are proved.
    decisive : bool
        Of games: playouts take moves that win at once, and those that keep the next player from it.
    estimates : bool
        Of games that estimate positions: an estimate takes the place of a playout.

    Raises
    ------
    InputError
        If a parameter is out of range, or has no effect beside the others.
    """

    kind: ClassVar[str] = "tree searches"
    rule: ClassVar[Any]
    """Rule that selects moves: the name of one in `solver.kernels.tree.arrays`, or a NamedTuple
    class that `solver.kernels.tree.node` has a value for, its fields named as those here."""
    statistics: ClassVar[Statistics] = "none"
    """Statistics of codes that it keeps."""
    needs_prior: ClassVar[bool] = False
    """True if there is a P(s, a) without a prior, too, with all moves alike."""
    of_prior: ClassVar[frozenset[str]] = frozenset()
    """Parameters that have no effect unless a prior acts in the tree."""
    is_guided: ClassVar[bool] = True
    """True if a prior in the tree has an effect."""

    policies: ClassVar[Mapping[str, Any]] = POLICIES
    """Policies of playouts by name: their class or a reference to it."""

    commit: CountFrom0 = field(default=COMMIT, kw_only=True)
    policy: str = field(default=UNIFORM, kw_only=True)
    policy_rate: Rate = field(default=POLICY_RATE, kw_only=True)
    proofs: bool = field(default=False, kw_only=True, metadata={OF_GAMES: True})
    decisive: bool = field(default=False, kw_only=True, metadata={OF_GAMES: True})
    estimates: bool = field(default=False, kw_only=True, metadata={OF_GAMES: False})

    def __post_init__(self) -> None:
        check_fields(self)
        known = [UNIFORM, *self.policies]
        if self.policy not in known:
            expected = f"expected one of: {', '.join(known)}"
            raise FieldError("policy", f"is {quoted(self.policy)}, {expected}")
        if self.policy != UNIFORM and self.estimates:
            raise FieldError("policy", "has no effect with estimates in place of playouts")
        if self.policy_rate != POLICY_RATE and self.policy == UNIFORM:
            raise FieldError("policy_rate", "has no effect on uniform playouts, expected a policy")

    @property
    def keeps_codes(self) -> bool:
        """True if it has statistics by the codes of moves."""
        return self.statistics != "none" or self.policy != UNIFORM

    @property
    def new_policy(self) -> Callable[[int], Any] | None:
        """Function that makes its policy for so many codes, None where playouts are uniform."""
        if self.policy == UNIFORM:
            return None
        return partial(resolve(self.policies[self.policy]).new, float(self.policy_rate))

    def game_values(self) -> dict[str, Any]:
        """Values of the options of games by name; where unset, those of games."""
        values = {option.name: getattr(self, option.name) for option in game_options(self)}
        defaults = {option.name: game_default(option) for option in game_options(self)}
        return {name: defaults[name] if v is None else v for name, v in values.items()}

    @property
    def parameters(self) -> TreeParameters:
        """Parameters of the kernel: the fields, but for `commit`; where unset, those of games."""
        from solver.kernels.tree import arrays

        chosen = {name: v for name, v in self.game_values().items() if name not in OF_POLICY}
        kept = STATISTICS.index(self.statistics), self.needs_prior
        if isinstance(self.rule, str):
            return arrays.TreeParameters(getattr(arrays, self.rule), *kept, **chosen)
        kinds = fields_of(type(self))  # of 1 and 1.0 the compiler would make two kernels
        own = self.rule(**{name: kinds[name].kind(chosen[name]) for name in self.rule._fields})
        common = {name: chosen[name] for name in SHARED if name in chosen}
        return arrays.TreeParameters(arrays.OWN, *kept, own=own, **common)

    @property
    def playouts_per_run(self) -> int:
        """Enough for several ways to an end; of one tree what memory is for."""
        return COMMITTED_PLAYOUTS if self.commit else RUN_PLAYOUTS

    def new_run(self, domain: Puzzle, instance: Any, prior: Any) -> Run:
        """Allocate a run on a puzzle; raise an `InputError` if a parameter of games is set."""
        from solver.kernels.tree.arrays import Guides
        from solver.kernels.tree.puzzle_run import PuzzleRun
        from solver.kernels.tree.run import UNGUIDED
        from solver.priors.priors import NoPrior

        for name in ("proofs", "decisive", "estimates"):
            require_field(not getattr(self, name), name, f"is for games, {domain.name} is a puzzle")
        guides = UNGUIDED if isinstance(prior, NoPrior) else Guides(prior, prior)
        return PuzzleRun(
            domain, instance, guides, self.parameters, MEMORY, self.commit, self.new_policy
        )


def game_options(cls: Any) -> list[Any]:
    """Fields of a tree search that matter to games."""
    others = {"commit", *cls.fixed}
    return [option for option in dataclasses.fields(cls) if option.name not in others]


def game_default(option: Any) -> Any:
    """Value of a field in games if it is not given."""
    return option.metadata.get(FOR_GAMES, option.default)


def _exploration(for_games: float) -> Any:
    text = f"{for_games}, of puzzles {PUZZLE_EXPLORATION}"
    return set_by_domain(text, **{FOR_GAMES: for_games})


@dataclass(frozen=True)
class Flat(TreeAlgorithm):
    """Flat Monte Carlo: all moves of the root get as many playouts.

    Parameters and errors: see `TreeAlgorithm`.
    """

    name: ClassVar[str] = "flat"
    label: ClassVar[str] = "Flat Monte Carlo"
    rule: ClassVar[str] = "FLAT"
    is_guided: ClassVar[bool] = False
    fixed: ClassVar[frozenset[str]] = frozenset({"proofs", "estimates"})


@dataclass(frozen=True)
class Uct(TreeAlgorithm):
    """UCT [1]_: Q(s, a) + c sqrt(ln N(s) / N(s, a)).

    An `exploration` of None is 0.4 in games, 0.1 in puzzles. Further parameters and errors: see
    `TreeAlgorithm`.

    Parameters
    ----------
    exploration : float
        The constant c, times the difference between the highest and the least reward.
    weight : float
        The constant w of the progressive bias, where a prior acts in the tree.
    guidance : float
        The constant g of the term of PUCT, where a prior acts in the tree.

    References
    ----------
    .. [1] L. Kocsis and C. Szepesvári, Bandit based Monte-Carlo planning, ECML 2006.
    """

    name: ClassVar[str] = "uct"
    label: ClassVar[str] = "UCT"
    rule: ClassVar[str] = "UCT"
    of_prior: ClassVar[frozenset[str]] = PROGRESSIVE
    exploration: Factor = _exploration(EXPLORATION)
    weight: Factor = WEIGHT
    guidance: Factor = GUIDANCE

    @classmethod
    def suited_to(cls, domain: Puzzle) -> Self:
        """Return it with the exploration that suits puzzles."""
        return cls(PUZZLE_EXPLORATION)


@dataclass(frozen=True)
class Rave(TreeAlgorithm):
    """RAVE [1]_: (1 - β) Q(s, a) + β Q~(s, a) with β = N~ / (N~ + N + bias N~ N).

    Further parameters and errors: see `TreeAlgorithm`.

    Parameters
    ----------
    bias : float
        How soon a move's own playouts count more than the others.
    weight : float
        The constant w of the progressive bias, where a prior acts in the tree.
    guidance : float
        The constant g of the term of PUCT, where a prior acts in the tree.

    References
    ----------
    .. [1] S. Gelly and D. Silver, Monte-Carlo tree search and rapid action value estimation in
       computer Go, Artificial Intelligence 175, 2011.
    """

    name: ClassVar[str] = "rave"
    label: ClassVar[str] = "RAVE"
    rule: ClassVar[str] = "GRAVE"  # with ref 0
    statistics: ClassVar[Statistics] = "amaf"
    of_prior: ClassVar[frozenset[str]] = PROGRESSIVE
    bias: Factor = BIAS
    weight: Factor = WEIGHT
    guidance: Factor = GUIDANCE


@dataclass(frozen=True)
class Grave(TreeAlgorithm):
    """GRAVE [1]_: RAVE with N~ and Q~ of the last ancestor that has more than ref playouts.

    Further parameters and errors: see `TreeAlgorithm`.

    Parameters
    ----------
    ref : int
        Playouts from which on a state has statistics of its own.
    bias : float
        How soon a move's own playouts count more than the others.
    weight : float
        The constant w of the progressive bias, where a prior acts in the tree.
    guidance : float
        The constant g of the term of PUCT, where a prior acts in the tree.

    References
    ----------
    .. [1] T. Cazenave, Generalized rapid action value estimation, IJCAI 2015; algorithm 1 of
       Monte Carlo Permutation Search.
    """

    name: ClassVar[str] = "grave"
    label: ClassVar[str] = "GRAVE"
    rule: ClassVar[str] = "GRAVE"
    statistics: ClassVar[Statistics] = "amaf"
    of_prior: ClassVar[frozenset[str]] = PROGRESSIVE
    ref: CountFrom0 = REF
    bias: Factor = BIAS
    weight: Factor = WEIGHT
    guidance: Factor = GUIDANCE


@dataclass(frozen=True)
class Mcps(TreeAlgorithm):
    """MCPS [1]_: (c N Q + N~ Q~ + N^ Q^) / (c N + N~ + N^) with c = (N~ + N^) / N~.

    N~ and Q~ are those of the last ancestor that has more than ref playouts. Further parameters and
    errors: see `TreeAlgorithm`.

    Parameters
    ----------
    ref : int
        Playouts from which on a state has statistics of its own.
    weight : float
        The constant w of the progressive bias, where a prior acts in the tree.
    guidance : float
        The constant g of the term of PUCT, where a prior acts in the tree.

    References
    ----------
    .. [1] T. Cazenave, Monte Carlo Permutation Search, algorithm 2 and section 3.2.
    """

    name: ClassVar[str] = "mcps"
    label: ClassVar[str] = "MCPS"
    rule: ClassVar[str] = "MCPS"
    statistics: ClassVar[Statistics] = "permutations"
    of_prior: ClassVar[frozenset[str]] = PROGRESSIVE
    ref: CountFrom0 = REF
    weight: Factor = WEIGHT
    guidance: Factor = GUIDANCE


@dataclass(frozen=True)
class Puct(TreeAlgorithm):
    """PUCT [1]_, in the form of [2]_: Q(s, a) + c P(s, a) sqrt(N(s)) / (1 + N(s, a)).

    P is the prior in the tree, else all moves are alike. Q of a move that nobody has tried is the
    mean of those tried. An `exploration` of None is 1.0 in games, 0.1 in puzzles. Further
    parameters and errors: see `TreeAlgorithm`.

    Parameters
    ----------
    exploration : float
        The constant c, times the difference between the highest and the least reward.

    References
    ----------
    .. [1] C. D. Rosin, Multi-armed bandits with episode context, Annals of Mathematics and
       Artificial Intelligence 61, 2011.
    .. [2] D. Silver et al., Mastering the game of Go with deep neural networks and tree search,
       Nature 529, 2016.
    """

    name: ClassVar[str] = "puct"
    label: ClassVar[str] = "PUCT"
    rule: ClassVar[str] = "PUCT"
    needs_prior: ClassVar[bool] = True
    exploration: Factor = _exploration(PUCT_EXPLORATION)

    @classmethod
    def suited_to(cls, domain: Puzzle) -> Self:
        """Return it with the exploration that suits puzzles."""
        return cls(PUZZLE_EXPLORATION)
