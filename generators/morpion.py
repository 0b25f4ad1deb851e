"""Games of Morpion Solitaire from the cross, found by search."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from generators.searched import Effort, SearchedAnswers
from solver.algorithms import AS_PUBLISHED, Gnrpa
from solver.contract.domain import Problem
from solver.domains.morpion.domain import MorpionDomain
from solver.domains.morpion.text import CROSS, Start, Variant
from solver.searching.driver import Budget
from solver.searching.solution import solve

#: Explicit, so that instances stay as they are whatever suits the domain later.
SEARCH = Gnrpa(level=2, **AS_PUBLISHED)


def cross(instances: int, seed: int) -> Iterator[Problem]:
    """Yield the start that everybody plays, once: there is no other."""
    yield Problem("cross", Start(CROSS))


@dataclass(frozen=True)
class MorpionGenerator(SearchedAnswers):
    """Generator of games from the cross, found by search.

    Parameters
    ----------
    rules : {"5D", "5T"}
        Rules of the generated games: 5D is disjoint, 5T touching.
    effort : int
        Playouts of the search for a game: GNRPA of level 2.
    guide : str
        Prior of that search: none, or the file of a table that was learned before.

    Raises
    ------
    InputError
        If a parameter is out of range, or the guide is no prior for morpion.
    """

    domain: ClassVar[str] = "morpion"
    rules: Variant = "5D"
    effort: Effort = 10_000
    guide: str = "none"

    def __post_init__(self) -> None:
        self.check_search()

    @property
    def family(self) -> str:
        """Name of these instances in a report."""
        return f"cross, {self.rules}"

    @property
    def family_parameters(self) -> dict[str, float | str]:
        """Parameters by which a report may compare families."""
        return {"rules": self.rules}

    def problem(self, seed: int, number: int) -> Problem:
        """Return the cross, under a name of its own."""
        return Problem(f"morpion-{self.rules}-{seed}-{number}", Start(CROSS, self.rules))

    def generate(self, seed: int, number: int) -> tuple[Problem, Any]:
        """Return the cross and game `number` of `seed`."""
        problem = self.problem(seed, number)
        domain = MorpionDomain()
        found = solve(
            domain, problem, domain.options(), SEARCH, Budget(playouts=self.effort),
            prior=self.guiding_prior.table, seed=(seed << 32) + number,
        )  # fmt: skip
        return problem, found.answer
