"""Rfam's seed alignments: every sequence with the consensus structure of its family.

A streaming reader of Stockholm with one line per sequence, as Rfam ships it.
Biopython, which it is tested against, refuses files with repeated names or with
a family that begins on the line where another ends; Rfam's has both.
"""

from __future__ import annotations

import gzip
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from solver.domains.rna.text import MIN_HAIRPIN, PAIRS
from solver.errors import InputError

_CLOSING = {"<": ">", "(": ")", "[": "]", "{": "}"}
_OPENING = {closing: opening for opening, closing in _CLOSING.items()}
GAPS = set(".-_~")


@dataclass(frozen=True)
class RfamSequence:
    """A sequence without gaps and the pairs of the consensus that it keeps."""

    family: str
    name: str
    sequence: str
    structure: str


@dataclass(frozen=True)
class Family:
    """One alignment."""

    accession: str
    consensus: str
    rows: list[tuple[str, str]]
    """Name and aligned sequence."""


def read_families(path: Path) -> Iterator[Family]:
    """Yield the alignments in a Stockholm file, compressed by gzip or not.

    Raises
    ------
    InputError
        If the file cannot be read, is no Stockholm file or ends within an alignment.
    """
    accession, consensus = "", ""
    rows: list[tuple[str, str]] = []
    begun = False
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="latin-1") as file:
            for number, line in enumerate(file, start=1):
                if number == 1 and not line.startswith("# STOCKHOLM"):
                    raise InputError(f"{path}: line 1: expected # STOCKHOLM 1.0")
                if line.startswith("//"):
                    yield Family(accession, consensus, rows)
                    accession, consensus, rows = "", "", []
                    begun = False
                elif line.startswith("#=GF AC"):
                    accession = line.removeprefix("#=GF AC").strip()
                elif line.startswith("#=GC SS_cons "):  # there are SS_cons_2 as well
                    consensus += line.removeprefix("#=GC SS_cons ").strip()
                elif line.strip() and not line.startswith("#"):
                    words = line.split()
                    if len(words) != 2:
                        raise InputError(
                            f"{path}: line {number}: {len(words)} words, expected a name and a row"
                        )
                    rows.append((words[0], words[1]))
                    begun = True
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"cannot read {path}: {error}") from None
    if begun:
        raise InputError(f"{path}: ends within family {accession or '?'}, expected //")


def consensus_pairs(consensus: str) -> list[tuple[int, int]] | None:
    """Columns that are paired in WUSS notation, pseudoknots left out; None if unbalanced."""
    opened: dict[str, list[int]] = {opening: [] for opening in _CLOSING}
    pairs = []
    for column, character in enumerate(consensus):
        if character in _CLOSING:
            opened[character].append(column)
        elif character in _OPENING:
            stack = opened[_OPENING[character]]
            if not stack:
                return None
            pairs.append((stack.pop(), column))
    return None if any(opened.values()) else pairs


def map_consensus(row: str, pairs: list[tuple[int, int]]) -> tuple[str, str]:
    """Sequence of an aligned `row`, and the pairs that its bases can form, as dot-bracket."""
    letters = row.upper().replace("T", "U")
    place: dict[int, int] = {}
    for column, letter in enumerate(letters):
        if letter not in GAPS:
            place[column] = len(place)
    structure = ["."] * len(place)
    for left, right in pairs:
        if left in place and right in place and letters[left] + letters[right] in PAIRS:
            one, other = place[left], place[right]
            if other - one > MIN_HAIRPIN:
                structure[one], structure[other] = "(", ")"
    return "".join(letters[column] for column in place), "".join(structure)


def read_sequences(path: Path, dropped: Counter[str] | None = None) -> Iterator[RfamSequence]:
    """Yield the usable sequences of a Stockholm file, in its order.

    Parameters
    ----------
    dropped : Counter, optional
        Counts the others by the reason.
    """
    reasons: Counter[str] = Counter() if dropped is None else dropped
    for family in read_families(path):
        pairs = consensus_pairs(family.consensus)
        for name, row in family.rows:
            if not family.consensus or pairs is None:
                reasons["family without a usable consensus structure"] += 1
            elif len(row) != len(family.consensus):
                reasons["row and consensus of different lengths"] += 1
            else:
                sequence, structure = map_consensus(row, pairs)
                if not set(sequence) <= set("ACGU"):
                    reasons["ambiguous base"] += 1
                elif "(" not in structure:
                    reasons["no pair of the consensus left"] += 1
                else:
                    yield RfamSequence(family.accession, name, sequence, structure)
