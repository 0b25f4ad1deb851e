"""Held-out instances: of the kinds that a candidate, and the model in use, were learned from."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar

from pipeline.comparing.jobs import FamilyPlan
from pipeline.learning.learn import LearnPlan
from pipeline.requests.evaluation import EvaluationPlan, parameters_in
from solver.contract.domain import Domain, Problem, Puzzle
from solver.contract.references import generated_problems, load_generator
from solver.domains import load_domain
from solver.errors import FieldError, InputError, quoted
from solver.system.fields import fields_of

#: Added to the seed of the training instances: no table is learned from what it is held against.
HELD_OUT_SEED = 1 << 31


#: Options of held-out instances that can decide, by domain: hard enough that priors differ on most
#: of them, and so many that a table as good as the one in use is seen to be. What flows judge by.
DECIDING = {
    "latin-square": ["--held-out", "1000", "--held-out-set", "order=40"],
    "kakuro": ["--held-out", "500", "--held-out-set", "rows=14,columns=14,values=16"],
    "sudoku": ["--held-out", "500", "--held-out-set", "order=25,holes=0.52"],
    "rna": ["--held-out", "200", "--held-out-playouts", "500"],
    "morpion": ["--held-out", "200"],
    "samegame": ["--held-out", "500"],
    "tsptw": ["--held-out", "500"],
}


@dataclass(frozen=True)
class BenchmarkInstances:
    """The instances of `solve DOMAIN`, for domains whose training instances come from a corpus."""

    domain: str
    instances: int
    family: ClassVar[str] = "generated benchmark"
    family_parameters: ClassVar[dict[str, str]] = {"set": "generated benchmark"}

    def problem(self, seed: int, number: int) -> Problem:
        """Return instance `number` of `seed`."""
        return _benchmark(self.domain, self.instances, seed)[number]


@lru_cache(maxsize=4)
def _benchmark(domain: str, instances: int, seed: int) -> list[Problem]:
    return list(generated_problems(load_domain(domain), instances, seed))


def held_out_families(
    domain: Puzzle, plan: LearnPlan, evaluation: EvaluationPlan, current: Mapping[str, Any] | None
) -> list[FamilyPlan]:
    """Kinds of instances that decide between a candidate and the model in use, each once.

    They are of another seed than those of `plan`; options are those of the replay, as when
    solving. A corpus has no other seed: every sequence may have been learned from. There the
    generated instances of `solve DOMAIN` are taken.

    Parameters
    ----------
    current : mapping, optional
        Metadata of the table in use: what it was learned from.

    Raises
    ------
    InputError
        If the instances of the model in use cannot be made, or a parameter is unknown.
    """
    kinds = [(plan.generator, plan.options)]
    if current is not None:
        kinds.append(_learned_from(domain, current))
    if evaluation.held_out_set:
        other = _changed(domain, plan.generator, evaluation.held_out_parameters())
        kinds.append((other, plan.options))
    families: list[FamilyPlan] = []
    for generator, replayed in kinds:
        seed = plan.seed + HELD_OUT_SEED
        family = _family(domain, generator, replayed, evaluation.held_out, seed)
        if family not in families:
            families.append(family)
    return families


def family_of_kind(
    domain: Puzzle, plan: LearnPlan, changes: str, instances: int, seed: int, option: str
) -> FamilyPlan:
    """Instances of `seed` like those of `plan`, but for `changes`, which `option` has given.

    Raises
    ------
    InputError
        If a parameter is unknown or no list of such.
    """
    changed = parameters_in(changes, option)
    generator = plan.generator
    if changed:
        generator = _changed(domain, generator, changed, option)
    return _family(domain, generator, plan.options, instances, seed)


def _family(domain: Puzzle, generator: Any, replayed: Any, instances: int, seed: int) -> FamilyPlan:
    asked: Any = generator
    if hasattr(type(generator), "n_available"):
        asked = BenchmarkInstances(domain.name, instances)
    usual = asdict(domain.options())
    replayed_only = getattr(generator, "replay_defaults", {})
    options = replace(replayed, **{name: usual[name] for name in replayed_only})
    return FamilyPlan(asked, options, instances, seed)


def _learned_from(domain: Domain, metadata: Mapping[str, Any]) -> tuple[Any, Any]:
    """Generator, and options of the replay, that the metadata of a table name."""
    source, options = metadata["source"], metadata["options"]
    try:
        generator = load_generator(domain)
        return (
            generator(**_known(generator, source)),
            domain.options(**_known(domain.options, options)),
        )
    except (InputError, KeyError, TypeError, ValueError) as error:
        reason = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
        raise InputError(
            f"the instances that the model in use was learned from cannot be made ({reason}); "
            "--replace, without an evaluation, publishes in any case"
        ) from None


def _known(cls: Any, values: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of `cls` that have `values`; others came later, with a default that fits."""
    return {name: values[name] for name in _fields(cls) if name in values}


def _changed(
    domain: Puzzle, generator: Any, parameters: Mapping[str, str], option: str = "held-out-set"
) -> Any:
    """`generator` with other values of some of its parameters, given as texts by `option`."""
    if hasattr(type(generator), "n_available"):
        raise InputError(
            f"--{option}: {domain.name} is judged on the instances of "
            f"`solve {domain.name}`, expected none"
        )
    return with_texts(generator, parameters, option)


def with_texts(settings: Any, texts: Mapping[str, str], option: str) -> Any:
    """Return the dataclass `settings` with the values in `texts`, by name, which `option` gives.

    Raises
    ------
    InputError
        If a name is unknown or a value does not fit.
    """
    fields = fields_of(type(settings))
    values: dict[str, Any] = {}
    for name, text in texts.items():
        if name not in fields:
            known = ", ".join(fields)
            raise InputError(f"--{option}: {quoted(name)} is unknown, expected one of: {known}")
        try:
            values[name] = fields[name].parse(text)
        except FieldError as error:
            raise InputError(f"--{option}: {error}") from None
    return replace(settings, **values)


def _fields(cls: Any) -> list[str]:
    return [field.name for field in dataclasses.fields(cls)]
