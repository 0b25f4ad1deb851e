"""RNA targets: a structure in dot-bracket and the bases that are fixed."""

from __future__ import annotations

import re
from typing import NamedTuple

from solver.errors import InputError

BRACKETS = set("().")
#: Besides letters, what notations of pseudoknots have.
KNOTS = set("[]{}<>")
#: Which bases each IUPAC letter stands for.
IUPAC = {
    "A": "A", "C": "C", "G": "G", "U": "U", "T": "U", "R": "AG", "Y": "CU", "S": "CG", "W": "AU",
    "K": "GU", "M": "AC", "B": "CGU", "D": "AGU", "H": "ACU", "V": "ACG", "N": "ACGU",
}  # fmt: skip
PAIRS = ("GC", "CG", "AU", "UA", "GU", "UG")
MIN_HAIRPIN = 3


def is_structure_word(word: str) -> bool:
    """Whether `word`, which may be wrong, is meant as a structure, and not as a file's name."""
    marks = re.sub("[A-Za-z]", "", word)
    return set(marks) <= BRACKETS | KNOTS and len(word) > 2 and len(marks) > len(word) / 2


class RnaTarget(NamedTuple):
    """A structure to fold into."""

    structure: str
    """Dot-bracket."""
    bases: str
    """An IUPAC letter for each position, N where any base will do."""


def new_target(structure: str, bases: str, where: str) -> RnaTarget:
    """Check a structure and its fixed bases; an empty `bases` fixes none.

    Raises
    ------
    InputError
        If a bracket has no partner, a hairpin is too tight, or a pair is impossible.
    """
    partners = pair_partners(structure, where)
    bases = bases.upper().replace("T", "U") or "N" * len(structure)
    if len(bases) != len(structure):
        raise InputError(f"{where}: {len(bases)} bases, expected {len(structure)}, one a position")
    for position, letter in enumerate(bases, start=1):
        if letter not in IUPAC:
            raise InputError(
                f"{where}, position {position}: {letter!r}, expected one of {' '.join(IUPAC)}"
            )
    for position, partner in enumerate(partners):
        if partner > position:
            one, other = IUPAC[bases[position]], IUPAC[bases[partner]]
            if not any(pair[0] in one and pair[1] in other for pair in PAIRS):
                raise InputError(
                    f"{where}: positions {position + 1} and {partner + 1} are a pair, "
                    f"{bases[position]} and {bases[partner]} cannot be"
                )
    return RnaTarget(structure, bases)


def pair_partners(structure: str, where: str) -> list[int]:
    """Position that each position is paired with, -1 where it is not."""
    partners = [-1] * len(structure)
    opened: list[int] = []
    if not structure:
        raise InputError(f"{where}: an empty structure")
    for position, character in enumerate(structure):
        if character not in BRACKETS:
            knot = character in KNOTS or {character.upper(), character.lower()} <= set(structure)
            what = "a pseudoknot, which no engine folds, " if knot else ""
            raise InputError(
                f"{where}, position {position + 1}: {character!r}, {what}expected ( ) or ."
            )
        if character == "(":
            opened.append(position)
        elif character == ")":
            if not opened:
                raise InputError(f"{where}, position {position + 1}: ')' closes no '('")
            partner = opened.pop()
            if position - partner <= MIN_HAIRPIN:
                raise InputError(
                    f"{where}, position {partner + 1}: the pair encloses "
                    f"{position - partner - 1} bases, expected {MIN_HAIRPIN} or more"
                )
            partners[position], partners[partner] = partner, position
    if opened:
        raise InputError(f"{where}, position {opened[-1] + 1}: '(' is never closed")
    return partners


def format_target(name: str, target: RnaTarget) -> str:
    """Write `target` as a record that `formats.parse_targets` reads."""
    fixed = "" if set(target.bases) <= {"N"} else f"{target.bases}\n"
    return f">{name}\n{target.structure}\n{fixed}"
