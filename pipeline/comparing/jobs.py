"""Jobs of a comparison: one method on one instance with one seed."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from generators.given import GivenProblems
from generators.solved import family_of, family_parameters_of
from pipeline.comparing.peers import Peer
from solver.algorithms import ListedAlgorithm
from solver.compiling.user_files import errors_told_later
from solver.contract.domain import Puzzle
from solver.contract.references import problem_of
from solver.errors import InputError
from solver.priors.priors import Prior
from solver.searching.driver import Budget

#: More runs are a slip of the fingers: their list alone would fill the memory.
MOST_JOBS = 1_000_000

#: Seed of repeat r on instance i is r * SEED_STEP + i; on a problem of a file, i is of its content.
SEED_STEP = 1_000_000


@dataclass(frozen=True)
class FamilyPlan:
    """Instances of one kind, searched in one way."""

    generator: Any
    options: Any
    instances: int
    seed: int

    def parameters(self, varying: Sequence[str]) -> dict[str, Any]:
        """Parameters for the report: the generator's, and the options that vary."""
        options = asdict(self.options)
        return {**family_parameters_of(self.generator), **{name: options[name] for name in varying}}

    def name(self, varying: Sequence[str]) -> str:
        """Return the name of the family in the report."""
        options = asdict(self.options)
        return ", ".join([family_of(self.generator), *(str(options[name]) for name in varying)])

    @property
    def is_given(self) -> bool:
        """True if the problems are a user's own."""
        return isinstance(self.generator, GivenProblems)

    def instance(self, number: int) -> str:
        """Name of instance `number`."""
        if isinstance(self.generator, GivenProblems):
            return self.generator.keys[number]
        return f"{self.seed}-{number}"

    def run_seed(self, number: int, repeat: int) -> int:
        """Seed of a run on instance `number`: where instances are alike, runs must not be."""
        if isinstance(self.generator, GivenProblems):
            key, _, again = self.instance(number).partition("-")
            number = (int(key[:8], 16) + int(again or 1) - 1) % SEED_STEP  # whatever is added
        return repeat * SEED_STEP + number


@dataclass(frozen=True)
class MethodPlan:
    """An algorithm with a prior; or a peer, which has neither."""

    name: str
    algorithm: ListedAlgorithm | None
    prior: Prior | None
    peer: Peer | None = None

    @property
    def settings(self) -> dict[str, Any]:
        """Return the parameters that tell methods of the same name apart."""
        if self.peer is not None:
            return self.peer.settings
        settings = {} if self.algorithm is None else asdict(self.algorithm)
        if self.prior is not None and self.prior.path is not None:
            settings["prior_temperature"] = self.prior.temperature
        return settings


@dataclass(frozen=True)
class Job:
    """One method on one instance of a family, once."""

    family: FamilyPlan
    number: int
    method: MethodPlan
    seed: int
    varying: tuple[str, ...]

    @property
    def instance(self) -> str:
        """Name of the instance within its family."""
        return self.family.instance(self.number)

    def describe(self) -> str:
        """Name the problem and the method."""
        prior = self.method.prior.name if self.method.prior else ""
        name = self.instance
        with errors_told_later():  # of a problem that cannot even be made
            name = problem_of(self.family.generator, self.family.seed, self.number).name
        return f"{name}, {self.method.name}{f' with {prior}' if prior else ''}"

    def head(self, domain: Puzzle, budget: Budget) -> dict[str, Any]:
        """Return the columns that are known before the job is run; `run` identifies it."""
        head = {
            "domain": domain.name,
            "family": self.family.name(self.varying),
            "family_parameters": json.dumps(self.family.parameters(self.varying)),
            "instance": self.instance,
            "algorithm": self.method.name,
            "prior": self.method.prior.name if self.method.prior else "",
            "settings": json.dumps(self.method.settings),
            "seed": self.seed,
            "budget_playouts": budget.playouts if self.method.algorithm else None,
            "budget_seconds": budget.seconds,
        }
        identity = {**head, "options": asdict(self.family.options)}
        if not self.family.is_given:  # there the name of an instance is made of its content
            identity["generator"] = asdict(self.family.generator)
        if self.method.prior and self.method.prior.metadata:
            identity["prior_metadata"] = self.method.prior.metadata
        digest = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()
        return {"run": digest[:16], **head}


def plan_jobs(
    families: Sequence[FamilyPlan], methods: Sequence[MethodPlan], seeds: int
) -> list[Job]:
    """Every job; the methods take turns on each instance, so noise falls on all alike.

    Raises
    ------
    InputError
        If there are more than `MOST_JOBS`.
    """
    many = sum(family.instances for family in families) * len(methods) * seeds
    if many > MOST_JOBS:
        raise InputError(
            f"{many:,} runs, instances times methods times seeds, expected {MOST_JOBS:,} at most"
        )
    options = [asdict(family.options) for family in families]
    usual = asdict(type(families[0].options)())
    varying = tuple(
        name for name in usual if any(option[name] != usual[name] for option in options)
    )
    largest = max(family.instances for family in families)
    return [
        Job(family, number, method, family.run_seed(number, repeat), varying)
        for repeat, number, family in itertools.product(range(seeds), range(largest), families)
        if number < family.instances
        for method in methods
    ]
