"""Motifs that designs must have or must not have: IUPAC letters, or names."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import NamedTuple

from solver.domains.rna.text import IUPAC
from solver.errors import FieldError, cut, quoted

#: Recognition sites of restriction enzymes, 5' to 3' (REBASE).
SITES = {
    "AscI": "GGCGCGCC", "BamHI": "GGATCC", "BbsI": "GAAGAC", "BglII": "AGATCT", "BsaI": "GGTCTC",
    "BsmBI": "CGTCTC", "ClaI": "ATCGAT", "EcoRI": "GAATTC", "EcoRV": "GATATC", "Esp3I": "CGTCTC",
    "HindIII": "AAGCTT", "KpnI": "GGTACC", "MluI": "ACGCGT", "NcoI": "CCATGG", "NdeI": "CATATG",
    "NheI": "GCTAGC", "NotI": "GCGGCCGC", "PacI": "TTAATTAA", "PstI": "CTGCAG", "SacI": "GAGCTC",
    "SalI": "GTCGAC", "SapI": "GCTCTTC", "SmaI": "CCCGGG", "SpeI": "ACTAGT", "XbaI": "TCTAGA",
    "XhoI": "CTCGAG",
}  # fmt: skip
#: Runs that are hard to synthesise, form quadruplexes (G) or end transcription by Pol III (U).
RUNS = {"G-run": "GGGG", "C-run": "CCCC", "A-run": "AAAAAA", "U-run": "UUUU"}

#: Presets of motifs, and the word for none of them.
SYNTHESIS, PALINDROMES, NOTHING = "synthesis", "palindromes", "none"
#: Bases of a stretch that pairs with another copy of itself, strongly enough to form dimers.
_PALINDROME = 8
#: What is hard to synthesise, amplify and sequence: runs, and two bases that alternate; and what is
#: its own reverse complement.
PRESETS = {
    SYNTHESIS: (
        "GGGG", "CCCC", "AAAAAA", "UUUUUU",
        *(4 * (one + other) for one, other in itertools.permutations("ACGU", 2)),
    ),
    PALINDROMES: tuple(
        "".join(half) + "".join("UGCA"["ACGU".index(base)] for base in reversed(half))
        for half in itertools.product("ACGU", repeat=_PALINDROME // 2)
    ),
}  # fmt: skip

_COMPLEMENT = {
    "A": "U", "C": "G", "G": "C", "U": "A", "R": "Y", "Y": "R", "S": "S", "W": "W", "K": "M",
    "M": "K", "B": "V", "D": "H", "H": "D", "V": "B", "N": "N",
}  # fmt: skip
_NAMED = {name.lower(): name for name in (*SITES, *RUNS, *PRESETS)}


class Motif(NamedTuple):
    """A motif as it was asked for."""

    word: str
    """Motif as it was written, the beginning of a long one."""
    patterns: tuple[str, ...]
    """IUPAC letters of RNA, the motif occurs where one of them does: of a restriction site that
    reads otherwise on the other strand also its reverse complement."""
    preset: bool = False
    """True for a motif of a preset: forbidden only where the bases are free to avoid it."""


def parse_motifs(text: str, field: str) -> tuple[Motif, ...]:
    """Read motifs separated by commas; none of an empty `text`.

    Raises
    ------
    FieldError
        If one is neither of IUPAC letters, nor a letter and a number, nor a name.
    """
    words = dict.fromkeys(word.strip() for word in text.split(",")) if text.strip() else {}
    found: list[Motif] = []
    for word in words:
        name = _NAMED.get(word.lower(), "")
        if name in PRESETS and field == "forbid":
            found.extend(Motif(letters, (letters,), preset=True) for letters in PRESETS[name])
        else:
            found.append(_motif(word, field))
    return tuple(found)


def _motif(word: str, field: str) -> Motif:
    name = _NAMED.get(word.lower(), "")
    if name in SITES:
        site = SITES[name].replace("T", "U")
        return Motif(name, tuple(dict.fromkeys((site, reverse_complement(site)))))
    if name in RUNS:
        return Motif(name, (RUNS[name],))
    run = re.fullmatch(r"([A-Za-z])([1-9]\d{0,2})", word, re.ASCII)
    letters = (run[1] * int(run[2]) if run else word).upper().replace("T", "U")
    if not letters or not set(letters) <= set(IUPAC):
        presets = PRESETS if field == "forbid" else ()
        raise FieldError(
            field,
            f"has {quoted(word)}, expected IUPAC letters (GAAUUC, GGNCC), a letter and a number "
            f"(G4), or one of: {', '.join([*presets, *RUNS, *SITES])}",
        )
    return Motif(cut(word), (letters,))


def forbidden_text(
    words: str, permitted: Sequence[tuple[str, int]], lifted: Sequence[str] = ()
) -> str | None:
    """Return the motifs asked for, and those of a preset that are permitted; None without motifs.

    Parameters
    ----------
    words : str
        The motifs, as they were asked for.
    permitted : sequence of tuple of str and int
        Motifs that the bases force, and where.
    lifted : sequence of str
        Those that a required motif has.
    """
    if not words:
        return None
    exempt = [f"{pattern} at {place}" for pattern, place in permitted]
    exempt += [f"{word} as required" for word in lifted]
    return words + (f" but for {', '.join(exempt)}" if exempt else "")


def reverse_complement(letters: str) -> str:
    """IUPAC letters of the other strand, 5' to 3'."""
    return "".join(_COMPLEMENT[letter] for letter in reversed(letters))
