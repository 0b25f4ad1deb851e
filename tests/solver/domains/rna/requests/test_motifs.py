"""Motifs by letters and by name."""

from __future__ import annotations

import itertools

import pytest

from solver.domains.rna.requests.check import places_of
from solver.domains.rna.requests.motifs import (
    RUNS,
    SITES,
    Motif,
    forbidden_text,
    parse_motifs,
    reverse_complement,
)
from solver.domains.rna.requests.options import RnaRequests
from solver.errors import InputError
from tests.solver.domains.rna.plain_designs import LETTERS, has


@pytest.mark.parametrize(
    ("text", "motifs"),
    [
        ("", ()),
        ("GGGG", (Motif("GGGG", ("GGGG",)),)),
        ("gaattc, GNRA", (Motif("gaattc", ("GAAUUC",)), Motif("GNRA", ("GNRA",)))),
        ("ecori", (Motif("EcoRI", ("GAAUUC",)),)),
        ("BsaI", (Motif("BsaI", ("GGUCUC", "GAGACC")),)),
        ("G4,a6", (Motif("G4", ("GGGG",)), Motif("a6", ("AAAAAA",)))),
        ("g-run", (Motif("G-run", ("GGGG",)),)),
        ("A2,A2", (Motif("A2", ("AA",)),)),
    ],
)
def test_parsing(text: str, motifs: tuple[Motif, ...]) -> None:
    """Letters in either case, T for U, runs, names in any case; what is repeated counts once."""
    assert parse_motifs(text, "--forbid") == motifs


@pytest.mark.parametrize("text", ["GAXTC", ",", "GG,,AA", "G0", "4G", "G-", "EcoRX", "G٣"])
def test_what_is_no_motif(text: str) -> None:
    """The error quotes the word and says what there is."""
    with pytest.raises(InputError, match=r"^--forbid has '.*', expected IUPAC letters .* EcoRI, "):
        parse_motifs(text, "--forbid")


def test_names_are_no_motifs_of_letters() -> None:
    """No name can be read as letters, and every site is of letters."""
    for name, site in {**SITES, **RUNS}.items():
        assert not set(name.upper()) <= set(LETTERS)
        assert set(site) <= set(LETTERS)


def test_reverse_complements() -> None:
    """A sequence has a motif where its reverse complement has the motif's."""
    for motif in ("GNRA", "BDHVKMSWYR", "CU"):
        for bases in itertools.product("ACGU", repeat=min(len(motif), 4)):
            sequence = "".join(bases) + "A" * (len(motif) - 4)
            assert has(sequence, motif) == has(
                reverse_complement(sequence), reverse_complement(motif)
            )


def test_places() -> None:
    """Occurrences may overlap; those of all patterns are counted, from 1."""
    assert places_of(["GG"], "GGGAGG") == [1, 2, 5]
    assert places_of(["GGR", "AC"], "GGGAC") == [1, 2, 4]
    assert places_of(["ACGUA"], "ACGU") == []


def test_a_required_motif_lifts_that_of_a_preset() -> None:
    """It is named: the motif may occur anywhere then."""
    asked = RnaRequests(forbid="synthesis,CCCC", require="GGGGA")
    assert asked.lifted == ["GGGG"]
    text = forbidden_text("synthesis", [("AAAAAA", 7)], asked.lifted)
    assert text == "synthesis but for AAAAAA at 7, GGGG as required"
    assert forbidden_text("synthesis", []) == "synthesis"
    assert forbidden_text("", [], asked.lifted) is None
    assert "GGGG" not in [word for word, _ in asked.requirements.forbidden]
