"""Genetic codes, against their differences from the standard one as NCBI lists them."""

from __future__ import annotations

import itertools

import pytest

from solver.domains.rna.plans.codons import ALSO_STOP, CODES, codons_of, protein_tables
from solver.errors import FieldError

#: NCBI's list "Differences from the Standard Code" of each code.
DIFFERENCES = {
    1: "", 2: "AGA* AGG* AUAM UGAW", 3: "AUAM CUUT CUCT CUAT CUGT UGAW", 4: "UGAW",
    5: "AGAS AGGS AUAM UGAW", 6: "UAAQ UAGQ", 9: "AAAN AGAS AGGS UGAW", 10: "UGAC", 11: "",
    12: "CUGS", 13: "AGAG AGGG AUAM UGAW", 14: "AAAN AGAS AGGS UAAY UGAW", 15: "UAGQ",
    16: "UAGL", 21: "UGAW AUAM AGAS AGGS AAAN", 22: "UCA* UAGL", 23: "UUA*",
    24: "AGAS AGGK UGAW", 25: "UGAG", 26: "CUGA", 27: "UAGQ UAAQ UGAW", 28: "UAAQ UAGQ UGAW",
    29: "UAAY UAGY", 30: "UAAE UAGE", 31: "UGAW UAGE UAAE", 32: "UAGW",
    33: "UAAY UGAW AGAS AGGK",
}  # fmt: skip
CODONS = ["".join(bases) for bases in itertools.product("ACGU", repeat=3)]


def standard(codon: str) -> str:
    """Residue of a codon in the standard code, by its boxes."""
    boxes = {
        "UC": "S", "CU": "L", "CC": "P", "CG": "R", "AC": "T", "GU": "V", "GC": "A", "GG": "G",
        "UU": "FL", "UA": "Y*", "CA": "HQ", "AA": "NK", "AG": "SR", "GA": "DE",
    }  # fmt: skip
    single = {"UGA": "*", "UGG": "W", "AUG": "M", "AUA": "I", "AUU": "I", "AUC": "I"}
    if codon in single:
        return single[codon]
    box = boxes.get(codon[:2], "C")
    return box[-1] if codon[2] in "AG" else box[0]


@pytest.mark.parametrize("code", CODES)
def test_a_code(code: int) -> None:
    """A code is the standard one but for the differences that NCBI lists."""
    differing = {word[:3]: word[3] for word in DIFFERENCES[code].split()}
    in_order = map("".join, itertools.product("UCAG", repeat=3))
    residues = dict(zip(in_order, CODES[code], strict=True))
    for codon in CODONS:
        assert residues[codon] == differing.get(codon, standard(codon))


def test_all_codes_are_there() -> None:
    """NCBI's numbers up to 33 but for those that it has withdrawn."""
    assert list(CODES) == [*range(1, 7), *range(9, 17), *range(21, 34)]


@pytest.mark.parametrize("code", CODES)
def test_codons_of_residues(code: int) -> None:
    """Residues and stops share out the codons; a stop that is a residue, too, is both."""
    residues = "ACDEFGHIKLMNPQRSTVWY*"
    found = [codon for residue in residues for codon in codons_of(residue, code)]
    assert sorted(found) == sorted([*CODONS, *ALSO_STOP.get(code, ())])
    assert codons_of("*", code)
    assert set(codons_of("B", code)) == {*codons_of("N", code), *codons_of("D", code)}


def test_tables_of_a_protein() -> None:
    """Each residue has a table of three positions, in frame from the first base."""
    start, lysine, stop = protein_tables("mk*", 4, 1)
    assert (start.positions, start.words) == ((4, 5, 6), ("AUG",))
    assert (lysine.positions, set(lysine.words)) == ((7, 8, 9), {"AAA", "AAG"})
    assert set(stop.words) == {"UAA", "UAG", "UGA"}
    with pytest.raises(FieldError, match=r"protein has '1' at residue 2, expected letters"):
        protein_tables("M1", 0, 1)
