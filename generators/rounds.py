"""Instances of another generator, solved by a search with a table that was learned before."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from generators.solved import SHARD_PLAYOUTS, family_of, family_parameters_of
from solver.algorithms import algorithm_named, suited
from solver.contract.domain import Problem, Puzzle
from solver.contract.references import load_generator, problem_of
from solver.domains import load_domain
from solver.priors.priors import Prior, load_prior
from solver.searching.driver import Budget
from solver.searching.solution import solve
from solver.system.datasets import sha256


@dataclass(frozen=True)
class SolvedBySearch:
    """Generator of problems with the answers of a search; those that it does not solve are none.

    Parameters
    ----------
    name : str
        Domain of the problems.
    generator : dict
        Parameters of the domain's generator, which makes the problems.
    options : dict
        Options of the domain while searching.
    guide : str
        File of the table that the search has.
    algorithm : str
        Search for the answers.
    effort : int
        Playouts of each.
    """

    name: str
    generator: dict[str, Any]
    options: dict[str, Any]
    guide: str
    algorithm: str
    effort: int

    @cached_property
    def _domain(self) -> Puzzle:
        return load_domain(self.name)

    @cached_property
    def _problems(self) -> Any:
        return load_generator(self._domain)(**self.generator)

    @cached_property
    def _prior(self) -> Prior:
        return load_prior(Path(self.guide), self._domain)

    @property
    def shard_instances(self) -> int:
        """Answers that are found in about a minute, or one."""
        return max(1, SHARD_PLAYOUTS // self.effort)

    @property
    def source(self) -> dict[str, Any]:
        """Parameters of the problems, and the SHA-256 of the guide wherever it lies."""
        guide = {"guide": Path(self.guide).name, "guide_sha256": sha256(Path(self.guide))}
        return {**self.generator, **guide}

    @property
    def family(self) -> str:
        """Name of these instances in a report."""
        return family_of(self._problems)

    @property
    def family_parameters(self) -> dict[str, Any]:
        """Parameters by which a report may compare families."""
        return family_parameters_of(self._problems)

    def problem(self, seed: int, number: int) -> Problem:
        """Return problem `number` of `seed`."""
        return problem_of(self._problems, seed, number)

    def generate(self, seed: int, number: int) -> tuple[Problem, Any]:
        """Return problem `number` of `seed` and its answer, None where none was found."""
        problem, domain = self.problem(seed, number), self._domain
        found = solve(
            domain, problem, domain.options(**self.options),
            suited(algorithm_named(self.algorithm)(), domain), Budget(playouts=self.effort),
            prior=self._prior.table, seed=(seed << 32) + number,
        )  # fmt: skip
        return problem, found.answer if found.solved else None
