"""Tables of solved instances."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, ClassVar

import pyarrow as pa
import pytest

from generators import generator_named
from generators.latin_square import LatinSquareGenerator
from generators.schema import SOLVED_SCHEMA
from generators.solved import describe, solved_table
from solver.contract.domain import Problem
from solver.domains import DOMAINS
from solver.domains.latin_square.domain import LatinSquareDomain
from solver.errors import InputError, VerificationError

DOMAIN = LatinSquareDomain()
GENERATOR = LatinSquareGenerator(order=5, holes=0.4)


@dataclass(frozen=True)
class Careless:
    """Every second answer has its first two rows exchanged."""

    domain: ClassVar[str] = "latin-square"

    def generate(self, seed: int, number: int) -> tuple[Problem, Any]:
        problem, answer = GENERATOR.generate(seed, number)
        return problem, answer[[1, 0, 2, 3, 4]] if number % 2 else answer


def test_table_has_the_schema_and_says_how_it_was_made() -> None:
    """Three text columns without nulls; the metadata are the parameters and the seed."""
    table = solved_table(DOMAIN, GENERATOR, 3, range(2, 5))
    assert table.schema.equals(SOLVED_SCHEMA)
    assert [(field.name, field.type, field.nullable) for field in table.schema] == [
        ("name", pa.string(), False),
        ("problem", pa.string(), False),
        ("answer", pa.string(), False),
    ]
    assert json.loads(table.schema.metadata[b"nestor"]) == {
        "domain": "latin-square",
        "order": 5,
        "holes": 0.4,
        "squares": "uniform",
        "pattern": "random",
        "seed": 3,
    }


def test_rows_are_the_instances_asked_for_as_text() -> None:
    """Row by row the texts read back as the problem and the answer of that number."""
    numbers = [4, 0, 2]
    table = solved_table(DOMAIN, GENERATOR, 3, numbers)
    assert table.num_rows == len(numbers)
    for number, row in zip(numbers, table.to_pylist(), strict=True):
        problem, answer = GENERATOR.generate(3, number)
        assert row["name"] == problem.name
        (read,) = DOMAIN.parse(row["problem"], "table")
        assert (read.data == problem.data).all()
        assert (DOMAIN.parse_answer(read, row["answer"], "table") == answer).all()


def test_any_subset_has_the_same_rows() -> None:
    """Tables of parts are parts of the table."""
    whole = solved_table(DOMAIN, GENERATOR, 3, range(6))
    parts = [solved_table(DOMAIN, GENERATOR, 3, part) for part in (range(2), range(2, 6))]
    assert pa.concat_tables(parts).equals(whole)


def test_wrong_answers_are_caught() -> None:
    """An answer of a generator is believed only if the verifier accepts it."""
    assert solved_table(DOMAIN, Careless(), 3, [0, 2]).num_rows == 2
    with pytest.raises(VerificationError, match="a given was changed"):
        solved_table(DOMAIN, Careless(), 3, [0, 1, 2])


def test_description_holds_every_parameter() -> None:
    """The description of a generator holds all of its parameters."""
    assert describe(GENERATOR) != describe(LatinSquareGenerator(order=5, holes=0.41))
    assert describe(Careless()) == {"domain": "latin-square"}


def test_generators_by_domain() -> None:
    """The generator of a domain is found by its name, others are refused with the list."""
    assert generator_named("latin-square") is LatinSquareGenerator
    message = f"^no domain called 'nonogram', expected one of: {', '.join(DOMAINS)}$"
    with pytest.raises(InputError, match=message):
        generator_named("nonogram")
