"""Sequences that fit several structures, against all sequences."""

from __future__ import annotations

import itertools
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.domains.rna.states.compatible import Compatible
from solver.domains.rna.text import IUPAC, PAIRS
from solver.errors import UnsolvableError

N = 6


@st.composite
def matchings(draw: st.DrawFn) -> list[list[int]]:
    """Pairs of one to three structures of six positions, crossing or not: any matching will do."""
    found = []
    for _ in range(draw(st.integers(1, 3))):
        order = draw(st.permutations(range(N)))
        partner = [-1] * N
        for i in range(draw(st.integers(0, 3))):
            a, b = order[2 * i], order[2 * i + 1]
            partner[a], partner[b] = b, a
        found.append(partner)
    return found


def fits(sequence: str, partners: list[list[int]], bases: str) -> bool:
    """True if a sequence has the fixed bases and can form all pairs."""
    return all(s in IUPAC[b] for s, b in zip(sequence, bases, strict=True)) and all(
        sequence[i] + sequence[j] in PAIRS
        for pairs in partners
        for i, j in enumerate(pairs)
        if j > i
    )


@given(
    partners=matchings(),
    bases=st.text("ACGURYSWKMBDHVNNNNNN", min_size=N, max_size=N),
    random=st.randoms(use_true_random=False),
)
def test_all_that_fits_is_found(partners: list[list[int]], bases: str, random: Random) -> None:
    """Drawn and changed sequences fit; no request that some sequence meets is refused."""
    known = {
        "".join(letters)
        for letters in itertools.product(*(IUPAC[base] for base in bases))
        if fits("".join(letters), partners, bases)
    }
    try:
        compatible = Compatible(partners, bases, "p")
    except UnsolvableError:
        assert not known
        return
    assert compatible.is_single == (len(known) == 1)
    sequence = compatible.drawn(random)
    for _ in range(30):
        assert sequence in known
        assert compatible.near(sequence, random) == sequence
        sequence = compatible.changed(sequence, random.randrange(N), random)
    assert compatible.near("".join(random.choices("ACGU", k=N)), random) in known


def test_every_sequence_can_be_reached() -> None:
    """Changes lead from any sequence to all others: 3 of a component of 3, 4 of a lone base."""
    compatible = Compatible([[1, 0, -1, -1], [-1, 2, 1, -1]], "NNNN", "p")
    random, seen, sequence = Random(0), set(), "GCGA"
    for _ in range(3000):
        sequence = compatible.changed(sequence, random.randrange(4), random)
        seen.add(sequence)
    every = ("".join(letters) for letters in itertools.product("ACGU", repeat=4))
    partners = [[1, 0, -1, -1], [-1, 2, 1, -1]]
    assert seen == {found for found in every if fits(found, partners, "NNNN")}


@pytest.mark.parametrize(
    ("partners", "bases", "message"),
    [
        ([[1, 0, -1], [2, -1, 0], [-1, 2, 1]], "NNN",
         "p: the pairs of 2, 1, 3 are a cycle of 3, an odd number: no sequence has all of these "
         "structures"),
        ([[1, 0, -1], [-1, 2, 1]], "ANC",
         "p: the fixed bases of positions 1, 2, 3 leave no sequence that has all of these "
         "structures"),
    ],
)  # fmt: skip
def test_structures_that_exclude_each_other(
    partners: list[list[int]], bases: str, message: str
) -> None:
    """The positions that no letters fit are named."""
    with pytest.raises(UnsolvableError) as error:
        Compatible(partners, bases, "p")
    assert str(error.value) == message
