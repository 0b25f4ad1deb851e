"""Methods of a match: a tree search with its parameters and budget; pairings of methods."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Self

from pipeline.requests.matches import MethodRequest
from solver.algorithms import tree_algorithm_named
from solver.algorithms.tree import PRIOR_IN, TreeAlgorithm, game_options
from solver.algorithms.trees.listed import TREE_ALGORITHMS
from solver.algorithms.words import name_in, parsed_settings, settings_in
from solver.compiling.sources import class_digest
from solver.contract.domain import Game
from solver.errors import InputError
from solver.priors.priors import NO_PRIOR, Prior, named_prior
from solver.searching.analysis import MOST_THREADS, guides_by
from solver.system.datasets import sha256
from solver.system.fields import Range, fields_of

#: Fields of a `Guide` by what words call them.
GUIDE = {"prior": "prior", "in": "within", "temperature": "temperature"}
#: What words may set besides parameters.
OTHERS = ("codes", *GUIDE, "threads", "keep")
#: What does nothing without a prior.
OF_PRIOR = ("in", "temperature")


@dataclasses.dataclass(frozen=True)
class Guide:
    """The prior of a tree search, as `mcps:prior=hex:in=playouts:temperature=2` names it."""

    prior: str = NO_PRIOR.name
    within: str = PRIOR_IN[0]
    temperature: float | None = None

    def load(self, game: Game) -> Prior:
        """Return the prior.

        Raises
        ------
        InputError
            If there is none of that name for `game`, or it cannot act there.
        """
        prior = named_prior(self.prior, game, self.temperature)
        if self.temperature is not None and prior.path is None:
            raise InputError(
                f"temperature has no effect on {self.prior}, expected a prior of a file"
            )
        guides_by(prior, self.within)
        return prior


@dataclasses.dataclass(frozen=True)
class Means:
    """Means of a tree search, as `mcps:threads=2:keep=true` names them."""

    threads: Annotated[int, Range(1, MOST_THREADS)] = 1
    keep: bool = False
    """True if the tree is kept from a move to the next."""


@dataclasses.dataclass(frozen=True)
class Method:
    """A tree search as a match names it: `mcps`, `grave:ref=100`, `my_search.py:exploration=1`."""

    name: str
    algorithm: TreeAlgorithm
    options: tuple[tuple[str, str], ...] = ()
    """Options of the game, other than those of the match, that its statistics are kept under."""
    guide: Guide = Guide()
    means: Means = Means()
    digest: str = ""
    """Digest of the file of its prior and of its sources, if it does not ship: with others it plays
    other games."""

    @classmethod
    def parse(cls, word: str) -> Method:
        """Read the words of a command line.

        Raises
        ------
        InputError
            If there is no such search or parameter, or a value does not fit or does nothing.
        """
        cls_of_search = tree_algorithm_named(name_in(word))
        fields = fields_of(cls_of_search)
        names = sorted(option.name for option in game_options(cls_of_search))
        guides = fields_of(Guide)
        means = fields_of(Means)
        fields = {**fields, **{key: guides[field] for key, field in GUIDE.items()}, **means}
        texts = settings_in(word, (*names, *OTHERS))
        _refuse_idle(word, texts, cls_of_search)
        options = [("codes", texts.pop("codes"))] if "codes" in texts else []
        given = parsed_settings(word, texts, fields)
        of_guide = {field: given.pop(key) for key, field in GUIDE.items() if key in given}
        of_means = {key: given.pop(key) for key in means if key in given}
        algorithm = cls_of_search(**given)
        return cls(word, algorithm, tuple(options), Guide(**of_guide), Means(**of_means))

    @classmethod
    def of(cls, request: MethodRequest) -> Method:
        """Return the method of a request.

        Raises
        ------
        InputError
            If there is no such search or parameter, or a value does not fit.
        """
        algorithm = tree_algorithm_named(request.algorithm)(**request.parameters)
        guide = Guide(request.prior, request.prior_in, request.prior_temperature)
        means = Means(request.threads, request.keep)
        return cls(request.name, algorithm, tuple(request.options.items()), guide, means)

    @property
    def request(self) -> MethodRequest:
        """The request that the method is `of`."""
        return MethodRequest(
            name=self.name,
            algorithm=name_in(self.name),
            parameters=dataclasses.asdict(self.algorithm),
            options=dict(self.options),
            prior=self.guide.prior,
            prior_in=self.guide.within,
            prior_temperature=self.guide.temperature,
            threads=self.means.threads,
            keep=self.means.keep,
        )

    def checked(self, game: Game) -> Self:
        """Return the method with the digests of its prior and of its sources.

        Raises
        ------
        InputError
            If there is no such prior for `game`, or it cannot act where it should.
        """
        path = self.guide.load(game).path
        digests = [] if path is None else [sha256(path)[:12]]
        if type(self.algorithm) not in TREE_ALGORITHMS.values():
            digests.append(class_digest(type(self.algorithm)))
        return dataclasses.replace(self, digest="".join(f"@{digest}" for digest in digests))

    def options_of(self, options: Any) -> Any:
        """`options` of a game with its own in their place.

        Raises
        ------
        InputError
            If the game does not have them.
        """
        known = {field.name for field in dataclasses.fields(options)}
        for name, _ in self.options:
            if name not in known:
                raise InputError(f"{self.name}: the game has no option {name}")
        return dataclasses.replace(options, **dict(self.options))


def _refuse_idle(word: str, texts: Mapping[str, str], search: type[TreeAlgorithm]) -> None:
    """Raise an `InputError` for what is said of a prior that is not there, or has no effect."""
    guided = texts.get("prior", NO_PRIOR.name) != NO_PRIOR.name
    in_tree, of_tree = guided and texts.get("in") != "playouts", search.of_prior
    if guided and not search.is_guided and texts.get("in", PRIOR_IN[0]) == PRIOR_IN[0]:
        raise InputError(f"{word}: a prior in the tree does nothing there, expected in=playouts")
    for key in texts:
        if (key in OF_PRIOR and not guided) or (key in of_tree and not in_tree):
            where = " in the tree" * (key in of_tree)
            raise InputError(f"{word}: {key} has no effect, expected a prior{where} beside it")


@dataclasses.dataclass(frozen=True)
class Match:
    """Games between two methods: one of them has one seat, in turns, the other all others."""

    one: Method
    other: Method
    playouts: int | None
    seconds: float | None

    @property
    def budget(self) -> str:
        """Budget of a move."""
        return f"{self.playouts:,} playouts" if self.seconds is None else f"{self.seconds:g} s"

    @property
    def name(self) -> str:
        """Name in the journal, from which the seeds of its random numbers are derived."""
        budget = f"{self.playouts}" if self.seconds is None else f"{self.seconds:g}s"
        names = (f"{method.name}{method.digest}" for method in (self.one, self.other))
        return f"{' '.join(names)} {budget}"


def matches_of(
    methods: Sequence[Method], playouts: Sequence[int], seconds: Sequence[float], players: int
) -> list[Match]:
    """Return a round robin for each budget; of more than two players both ways round.

    Raises
    ------
    InputError
        If fewer than two methods meet, or a budget is not positive.
    """
    if len({method.name for method in methods}) < 2:
        raise InputError("expected two methods or more, such as --algorithm mcps,grave")
    for budget in (*playouts, *seconds):
        if not budget > 0:
            raise InputError(f"a budget is {budget}, expected more than 0")
    pairs = itertools.combinations if players == 2 else itertools.permutations
    budgets = [(n, None) for n in playouts] + [(None, t) for t in seconds]
    return [Match(one, other, n, t) for n, t in budgets for one, other in pairs(methods, 2)]
