"""Protocol of generators of solved instances, and the table that they fill."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from solver.compiling.user_files import errors_in_a_line
from solver.contract.domain import Domain, Problem, Puzzle
from solver.contract.references import instance_of
from solver.errors import VerificationError

if TYPE_CHECKING:
    import pyarrow as pa


class Generator(Protocol):
    """A frozen dataclass that generates instances; instance i depends on the seed and i alone.

    It may say in `family` what its instances are called in a report, and in `family_parameters` by
    what they may be compared: all of its parameters without them. See `problem_of` for `problem`.
    """

    #: Protocol of dataclasses; `asdict` asks for no more.
    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]

    def generate(self, seed: int, number: int) -> tuple[Problem, Any]:
        """Return solved instance `number` of `seed`: the problem and its answer."""


#: Playouts that a shard of instances solved by search may take: about a minute.
SHARD_PLAYOUTS = 1_000_000


def family_of(generator: Any) -> str:
    """Return the name of the instances of `generator` in a report."""
    family = getattr(generator, "family", None)
    values = dataclasses.asdict(generator).items() if family is None else ()
    return family or ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in values)


def family_parameters_of(generator: Any) -> dict[str, Any]:
    """Parameters by which a report may compare families of instances of `generator`."""
    parameters: dict[str, Any] | None = getattr(generator, "family_parameters", None)
    return dataclasses.asdict(generator) if parameters is None else parameters


def describe(generator: Generator) -> dict[str, Any]:
    """Parameters of `generator`, and the `source` it reads, as kept in the metadata of files."""
    parameters = dataclasses.asdict(generator)
    named = {"domain": generator.domain} if hasattr(generator, "domain") else {}
    return {**named, **parameters, **getattr(generator, "source", {})}


def solved_table(
    domain: Domain, generator: Generator, seed: int, numbers: Iterable[int]
) -> pa.Table:
    """Generate the instances `numbers` of `seed`, each checked by the domain's verifier.

    Those without an answer are left out. For a game, instances are played games; their replay
    checks them.
    """
    import pyarrow as pa

    from generators.schema import SOLVED_SCHEMA

    rows: dict[str, list[str]] = {"name": [], "problem": [], "answer": []}
    for number in numbers:
        which = f"generated instance {number} of seed {seed}"
        with errors_in_a_line(which):
            problem, answer = instance_of(generator, seed, number)
            if answer is None:  # a search that has not solved it
                continue
            rows["name"].append(problem.name)
            rows["problem"].append(domain.format_problem(problem))
            try:
                rows["answer"].append(_as_text(domain, problem, answer))
            except VerificationError as error:
                raise VerificationError(f"{which}, {problem.name}: {error}") from error
    said = {"domain": domain.name, **describe(generator), "seed": seed}
    metadata = {"nestor": json.dumps(said, sort_keys=True)}
    return pa.table(rows, schema=SOLVED_SCHEMA.with_metadata(metadata))


def _as_text(domain: Domain, problem: Problem, answer: Any) -> str:
    """`answer`, verified, as text; moves of a game are words already."""
    if not isinstance(domain, Puzzle):
        return " ".join(answer)
    domain.verify(problem, answer)
    return domain.format(problem, answer)
