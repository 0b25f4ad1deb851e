"""RNA targets: structures in dot-bracket and the bases that are fixed."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from solver.errors import InputError, quoted

BRACKETS = set("().")
#: Between two strands of a structure, and between the structures of a switch.
STRANDS, STRUCTURES = "&", "|"
#: A position of a structure of which nothing is asked: paired or not.
OPEN = "N"
#: Besides letters, what notations of pseudoknots have.
KNOTS = set("[]{}<>")
#: Which bases each IUPAC letter stands for.
IUPAC = {
    "A": "A", "C": "C", "G": "G", "U": "U", "T": "U", "R": "AG", "Y": "CU", "S": "CG", "W": "AU",
    "K": "GU", "M": "AC", "B": "CGU", "D": "AGU", "H": "ACU", "V": "ACG", "N": "ACGU",
}  # fmt: skip
#: Tags and entities of web pages.
HTML = re.compile(r"</?[a-z][a-z0-9]*\s*/?>|</?(?:a|font|p|pre|span|td)\b|&(?:#\w+|[a-z]+);", re.I)
#: Characters that word processors make of dots and brackets.
LOOKS_LIKE = {"\N{HORIZONTAL ELLIPSIS}": "three dots in one, "}
PAIRS = ("GC", "CG", "AU", "UA", "GU", "UG")
MIN_HAIRPIN = 3


def is_structure_word(word: str) -> bool:
    """Return whether `word`, which may be wrong, is meant as a structure, not a file's name."""
    known = BRACKETS | KNOTS | {STRANDS, STRUCTURES}
    if BRACKETS & set(word):
        known |= {OPEN}
    marks = sum(character in known for character in word)
    if len(word) <= 2 or marks <= len(word) / 2:
        return False
    # Other marks make the name of a file, unless there is a structure around them.
    letters = all(character in known or re.match("[A-Za-z]", character) for character in word)
    return letters or ("((" in word and "))" in word) or HTML.search(word) is not None


_ENERGY = re.compile(r"\s*\(\s*[-+]?\d{1,6}(\.\d{0,6})?\s*\)", re.ASCII)


class Found(NamedTuple):
    """A target as it is written."""

    name: str
    number: int
    """Line of the structure."""
    structure: str
    bases: str
    asked: tuple[tuple[str, str], ...] = ()
    """Requests of this target alone: names of fields of `RnaRequests`, and their texts."""
    lines: tuple[int, ...] = ()
    """Lines of all structures, if they have lines of their own."""
    bases_line: int = 0
    """Line of the bases, 0 if that of the structure."""
    plan: str = ""
    """Text of a document of domains, strands and states, whose structures are in it."""


class Refused(NamedTuple):
    """A target that cannot be read, though where it ends can be told."""

    name: str
    error: InputError


class RnaTarget(NamedTuple):
    """A structure to fold into, or several."""

    structure: str
    """Dot-bracket, strands one behind the other."""
    bases: str
    """An IUPAC letter for each position, N where any base will do."""
    others: tuple[str, ...] = ()
    """Further structures of a switch."""
    nick: int = 0
    """Bases of the first of two strands, 0 where there is one."""
    asked: tuple[tuple[str, str], ...] = ()
    """Requests of this target alone: names of fields of `RnaRequests`, and their texts."""
    plan: str = ""
    """Text of the document of domains, strands and states that it is of, see `documents`."""

    @property
    def structures(self) -> tuple[str, ...]:
        """All structures."""
        return (self.structure, *self.others)

    @property
    def is_simple(self) -> bool:
        """True if the target is one structure of one strand, with no open position."""
        return not (self.others or self.nick or self.plan or OPEN in self.structure)

    @property
    def is_composed(self) -> bool:
        """True if it has open positions, or states of strands of its own."""
        return bool(self.plan) or any(OPEN in structure for structure in self.structures)


def new_target(
    word: str, bases: str, where: str, places: Sequence[str] = (), bases_at: str = ""
) -> RnaTarget:
    """Check structures and their fixed bases; an empty `bases` fixes none.

    Parameters
    ----------
    word : str
        Dot-bracket; with `&` between two strands, or with `|` between the structures of a switch.
    where : str
        Where the structure stands, for messages.
    places : sequence of str
        Where each structure of a switch stands, if not all there.
    bases_at : str
        Where the bases stand, if not there.

    Raises
    ------
    InputError
        If a bracket has no partner, a hairpin is too tight, or a pair is impossible.
    """
    _refuse_html(word, where)
    words = word.split(STRUCTURES)
    structures = [structure.replace(STRANDS, "", 1) for structure in words]
    nick = max(words[0].find(STRANDS), 0)
    if nick or STRANDS in word:
        _check_strands(words, where)
    partners = []
    for number, structure in enumerate(structures, start=1):
        place = places[number - 1] if len(places) == len(words) else where
        place = place if len(structures) == 1 else f"{place}, structure {number}"
        partners.append(pair_partners(structure, place, nick))
        if len(structure) != len(structures[0]):
            raise InputError(
                f"{place}: {len(structure)} positions, expected {len(structures[0])}, as many as "
                "structure 1 has"
            )
        if structure in structures[: number - 1]:
            first = structures.index(structure) + 1
            raise InputError(f"{place}: the same as structure {first}, expected another")
    bases = _checked_bases(bases, len(structures[0]), nick, bases_at or where)
    for pairs in partners:
        _check_pairs(pairs, bases, where)
    return RnaTarget(structures[0], bases, tuple(structures[1:]), nick)


def _check_strands(words: list[str], where: str) -> None:
    """Raise `InputError` unless there is one structure of two strands, with pairs between them."""
    if len(words) > 1:
        raise InputError(f"{where}: several structures of two strands are not supported")
    first, *others = words[0].split(STRANDS)
    if not all((first, *others)):
        raise InputError(f"{where}: a strand without bases, expected one or more on each side of &")
    if len(others) != 1:
        raise InputError(f"{where}: {len(others) + 1} strands with bases, expected two at most")
    if first.count("(") == first.count(")"):
        raise InputError(f"{where}: no pair between the strands, expected each as a target")


def _checked_bases(bases: str, n: int, nick: int, where: str) -> str:
    """Return IUPAC letters in capitals, without `&` between strands; N where there are none."""
    bases = bases.upper().replace("T", "U")
    if nick and bases[nick : nick + 1] == STRANDS:
        bases = bases[:nick] + bases[nick + 1 :]
    bases = bases or "N" * n
    if len(bases) != n:
        raise InputError(f"{where}: {len(bases)} bases, expected {n}, one a position")
    for position, letter in enumerate(bases, start=1):
        if letter not in IUPAC:
            raise InputError(
                f"{where}, position {position}: {letter!r}, expected one of {' '.join(IUPAC)}"
            )
    return bases


def _check_pairs(partners: list[int], bases: str, where: str) -> None:
    for position, partner in enumerate(partners):
        if position < partner:
            one, other = IUPAC[bases[position]], IUPAC[bases[partner]]
            if not any(pair[0] in one and pair[1] in other for pair in PAIRS):
                raise InputError(
                    f"{where}: positions {position + 1} and {partner + 1} are a pair, "
                    f"{bases[position]} and {bases[partner]} cannot be"
                )


def pair_partners(structure: str, where: str, *cuts: int) -> list[int]:
    """Position that each position is paired with, -1 where it is not, or where it is open.

    Pairs of two strands enclose as few bases as they like; strands begin at `cuts`.
    """
    partners = [-1] * len(structure)
    opened: list[int] = []
    if not structure:
        raise InputError(f"{where}: an empty structure")
    for position, character in enumerate(structure):
        if character not in BRACKETS and character != OPEN:
            what = _what_it_is(character, structure)
            raise InputError(
                f"{where}, position {position + 1}: {character!r}, {what}expected ( ) or ."
            )
        if character == "(":
            opened.append(position)
        elif character == ")":
            if not opened:
                raise InputError(f"{where}, position {position + 1}: ')' closes no '('")
            partner = opened.pop()
            apart = any(partner < cut <= position for cut in cuts)
            if position - partner <= MIN_HAIRPIN and not apart:
                raise InputError(
                    f"{where}, position {partner + 1}: the pair encloses "
                    f"{position - partner - 1} bases, expected {MIN_HAIRPIN} or more"
                )
            partners[position], partners[partner] = partner, position
    if opened:
        raise InputError(f"{where}, position {opened[-1] + 1}: '(' is never closed")
    return partners


def _what_it_is(character: str, structure: str) -> str:
    """Name a character that has no place in a structure, as a part of a sentence; no letters."""
    other = character.swapcase()
    if character in KNOTS or (character.isalpha() and other != character and other in structure):
        return "a pseudoknot, which no engine folds, "
    if character.isascii() and character.isalpha():
        return ""
    name = unicodedata.name(character, "").lower() or f"character U+{ord(character):04X}"
    return f"{LOOKS_LIKE.get(character, '')}{name}, "


def _refuse_html(word: str, where: str) -> None:
    """Raise `InputError` for text that was copied with the tags of a web page."""
    if found := HTML.search(word):
        raise InputError(
            f"{where}, position {found.start() + 1}: {quoted(found[0])}, HTML, expected ( ) or ."
        )


def with_strands(text: str, nick: int) -> str:
    """Sequence or structure with `&` behind the first `nick` letters, of one strand as it is."""
    return f"{text[:nick]}{STRANDS}{text[nick:]}" if nick else text


def structure_word(target: RnaTarget) -> str:
    """Return the structures of a target as `new_target` reads them."""
    return STRUCTURES.join(with_strands(structure, target.nick) for structure in target.structures)


def format_target(name: str, target: RnaTarget) -> str:
    """Write `target` as a record that `formats.parse_targets` reads; one with requests as JSON."""
    if target.plan:
        return f">{name}\n{target.plan}\n"
    if target.asked:
        bases = with_strands(target.bases, target.nick)
        fields = {"name": name, "structure": structure_word(target), "bases": bases}
        return json.dumps(fields | dict(target.asked)) + "\n"
    fixed = "" if set(target.bases) <= {"N"} else f"{with_strands(target.bases, target.nick)}\n"
    return f">{name}\n{structure_word(target)}\n{fixed}"


def without_energy(text: str) -> str:
    """`text` without the energy that follows a structure, if one does."""
    structure = re.match(r"[().&|N]+", text)
    if structure and _ENERGY.fullmatch(text, structure.end()):
        return structure[0]
    # The match above takes the bracket of an energy that follows without a blank.
    if structure and _ENERGY.fullmatch(text, structure.end() - 1):
        return structure[0][:-1]
    return text
