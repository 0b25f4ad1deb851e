"""Sequences that fulfil tables, against all sequences there are."""

from __future__ import annotations

import itertools
from random import Random

import pytest

from solver.domains.rna.plans.table import Table, letters_at, tables_missing
from solver.domains.rna.states.assignments import Assignments, pair_table
from solver.domains.rna.text import IUPAC
from solver.errors import UnsolvableError

N = 6


def drawn(chance: Random) -> tuple[str, list[Table]]:
    """Bases and tables of six positions, many of which no sequence fulfils."""
    bases = "".join(chance.choice("NNNNRYSWACGU") for _ in range(N))
    tables = []
    for number in range(chance.randint(1, 4)):
        size = chance.choice([2, 2, 3, 3])
        positions = tuple(chance.sample(range(N), size))
        words = ["".join(chance.choices("ACGU", k=size)) for _ in range(chance.randint(1, 9))]
        tables.append(Table(f"table {number}", positions, words))
    i, j = chance.sample(range(N), 2)
    return bases, [*tables, pair_table(i, j)]


def fulfilling(bases: str, tables: list[Table]) -> set[str]:
    """All sequences that fulfil tables."""
    letters = [IUPAC[letter] for letter in bases]
    return {
        word
        for word in map("".join, itertools.product(*letters))
        if all(letters_at(word, table.positions) in table.words for table in tables)
    }


@pytest.mark.parametrize("seed", range(120))
def test_all_sequences(seed: int) -> None:
    """A sequence is found where there is one, and every change leads to another that fits."""
    chance = Random(seed)
    bases, tables = drawn(chance)
    expected = fulfilling(bases, tables)
    if not expected:
        with pytest.raises(UnsolvableError, match=r"^name: "):
            Assignments(bases, tables, "name")
        return
    found = Assignments(bases, tables, "name")
    sequence = found.near("".join(chance.choices("ACGU", k=N)), chance)
    seen = {sequence}
    assert found.is_single == (len(expected) == 1) or not found.is_single
    for _ in range(300):
        sequence = found.changed(sequence, chance.randrange(N), chance)
        assert sequence in expected
        assert not tables_missing(sequence, tables)
        seen.add(sequence)
    seen.update(found.drawn(chance) for _ in range(60))
    assert len(seen) > len(expected) / 2 or len(expected) > 100


def test_the_letters_wanted() -> None:
    """A change keeps the letters that it is for, and gives up where no word has them."""
    tables = [Table("codon", (0, 1, 2), ["CUU", "CUC", "UUA"]), pair_table(2, 3)]
    found = Assignments("NNNN", tables, "name")
    assert found.with_letters("CUUA", {2: "C"}, Random(0)) == "CUCG"
    assert found.with_letters("CUUA", {0: "U"}, Random(0)) == "UUAU"
    assert found.with_letters("CUUA", {0: "G"}, Random(0)) == "CUUA"


def test_what_no_sequence_is() -> None:
    """The table that leaves no word is named."""
    with pytest.raises(UnsolvableError) as error:
        Assignments("GNN", [Table("residue 1, M", (0, 1, 2), ["AUG"])], "orf")
    assert str(error.value) == (
        "orf: residue 1, M: no word of it fits the fixed bases and what else is asked for"
    )
