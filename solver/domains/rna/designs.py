"""Designs: whether their letters fit a target, and how they are written and read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from solver.contract.domain import Problem
from solver.domains.rna.engines import (
    NO_ENGINE,
    check_modified,
    check_readable,
    engine_called,
    is_dna,
    with_modified_bases,
)
from solver.domains.rna.plans.documents import plan_of
from solver.domains.rna.text import (
    IUPAC,
    PAIRS,
    STRANDS,
    STRUCTURES,
    RnaTarget,
    pair_partners,
    with_strands,
)
from solver.errors import InputError, VerificationError, quoted


class RnaDesign(NamedTuple):
    """A sequence and the engine that judged it."""

    sequence: str
    engine: str
    """As `engine_at` names it, or `NO_ENGINE`."""


#: Keys of `RnaDomain.details`.
DETAILS = (
    "forbidden", "energies", "shares", "gap", "probability", "defect", "bound", "gc", "design",
    "distance", "changes", "cai", "ensemble_energy", "missing",
)  # fmt: skip
#: Those of several words.
TEXTS = {"forbidden", "energies", "shares", "ensemble_energy", "missing"}
#: Characters of the structures below a sequence.
BRACKETS = set(".()[]{}<>&+|,")
#: Left out of titles where they are None.
OPTIONAL = ("quadruplex", *DETAILS)


def check_letters(sequence: str, target: RnaTarget) -> None:
    """Raise `VerificationError` unless bases and all pairs are allowed."""
    if len(sequence) != len(target.structure):
        raise VerificationError(
            f"{len(sequence)} bases, expected {len(target.structure)}, one a position"
        )
    for position, (base, letter) in enumerate(zip(sequence, target.bases, strict=True)):
        if base not in "ACGU":
            raise VerificationError(f"position {position + 1}: {base}, expected A, C, G or U")
        if base not in IUPAC[letter]:
            raise VerificationError(f"position {position + 1}: {base} where {letter} is given")
    for i, j in pairs_of_target(target):
        if sequence[i] + sequence[j] not in PAIRS:
            raise VerificationError(
                f"positions {i + 1} and {j + 1}: {sequence[i]} and {sequence[j]} do not pair"
            )


def check_modified_letters(sequence: str, engine: str) -> None:
    """Raise `VerificationError` unless the bases that are modified can be."""
    try:
        check_modified(engine, len(sequence), "modified")
        with_modified_bases(sequence, engine, "modified")
    except InputError as error:
        raise VerificationError(str(error)) from error


def pairs_of_target(target: RnaTarget) -> list[tuple[int, int]]:
    """Return the pairs of all structures of a target, positions from 0."""
    if target.plan:
        return [
            (part.positions[i], part.positions[j])
            for part in plan_of(target.plan).states
            for structure in part.structures
            for i, j in enumerate(part.partners(structure))
            if i < j
        ]
    return [
        (i, j)
        for structure in target.structures
        for i, j in enumerate(pair_partners(structure, "", target.nick))
        if i < j
    ]


def stranded(sequence: str, target: RnaTarget) -> str:
    """Return a sequence with `&` between its strands."""
    if target.plan:
        strands = plan_of(target.plan).strands
        return STRANDS.join(sequence[first:end] for _, first, end in strands)
    return with_strands(sequence, target.nick)


def written(answer: RnaDesign, target: RnaTarget) -> str:
    """Return the letters of a design as they are printed: with `&` between strands, T in DNA."""
    sequence = stranded(answer.sequence, target)
    return sequence.replace("U", "T") if is_dna(answer.engine) else sequence


def plain_letters(sequence: str) -> str:
    """Return the bases of a sequence as `written`, in letters of RNA, without `&`."""
    return sequence.replace(STRANDS, "").replace("T", "U")


def design_record(problem: Problem, answer: RnaDesign, facts: Mapping[str, Any]) -> str:
    """Return a FASTA record with the facts in its title and the structures below."""
    lines = {"sequence", "structure"}
    shown = {key: value for key, value in facts.items() if key not in lines}
    for key in OPTIONAL:
        if key in shown and shown[key] is None:
            del shown[key]
    if isinstance(shown.get("bound"), list):
        shown["bound"] = f'"{" ".join(map(str, shown["bound"]))}"'
    for key in TEXTS & shown.keys():
        shown[key] = f'"{shown[key]}"'
    title = " ".join(f"{key}={value}" for key, value in shown.items())
    name = f"{problem.name}_{shown['design']}" if "design" in shown else problem.name
    below = facts["structure"].split(STRUCTURES) if "structure" in facts else []
    if problem.data.others and not problem.data.is_composed:
        below = list(problem.data.structures)
    return "\n".join([f">{name} {title}", written(answer, problem.data), *below, ""])


def parse_design(text: str, source: str) -> RnaDesign:
    """Read a FASTA record with the engine in its title."""
    lines = text.split("\n")
    title, _, engine = lines[0].rpartition(" engine=")
    if len(lines) < 2 or not title.startswith(">"):
        raise InputError(f"{source}: line 1: {quoted(lines[0])}, expected >NAME engine=NAME")
    if engine != NO_ENGINE:
        engine_called(engine, f"{source}: line 1: ")
        check_readable(engine)
    return RnaDesign(plain_letters(lines[1].strip()), engine)


def read_design(text: str, source: str, engine: str, target: RnaTarget) -> RnaDesign:
    """Read a design made elsewhere: a FASTA record, or a sequence alone, in letters of any case.

    T counts as U. The title may name the engine, as in the text of `design_record`; `engine` is
    that of others. Structures below the sequence are left out, and all `&` may be.

    Raises
    ------
    InputError
        If there is no sequence, more than one record, or a `&` where no strand of `target` ends.
    """
    content = [(n, line) for n, line in enumerate(text.splitlines(), start=1) if line.strip()]
    titles = [(number, line) for number, line in content if line.startswith(">")]
    if len(titles) > 1:
        raise InputError(f"{source}: line {titles[1][0]}: another record, expected one answer")
    stated = re.search(r" engine=(\S+)", titles[0][1]) if titles else None
    if stated is not None and NO_ENGINE not in (stated[1], engine):
        engine_called(stated[1], f"{source}: line {titles[0][0]}: ")
        check_readable(stated[1])
        engine = stated[1]
    body = [(n, line) for n, line in content if line[0] not in ">#;"]
    words = [line.split()[0] for _, line in body]
    letters = "".join(word for word in words if not set(word) <= BRACKETS)
    if not letters.strip(STRANDS):
        raise InputError(f"{source}: no sequence found, expected bases, alone or below >NAME")
    sequence = letters.upper().replace("T", "U")
    for number, line in body:
        for position, letter in enumerate(line.split()[0], start=1):
            if not (letter.isalpha() and letter.isascii()) and letter not in BRACKETS:
                raise InputError(
                    f"{source}: line {number}, position {position}: {quoted(letter)}, "
                    "expected a base"
                )
    plain = sequence.replace(STRANDS, "")
    expected = stranded(plain, target)
    if len(plain) == len(target.structure) and sequence not in (plain, expected):
        raise InputError(
            f"{source}: strands of {_lengths(sequence)} bases, expected {_lengths(expected)}"
        )
    return RnaDesign(plain, engine)


def _lengths(sequence: str) -> str:
    """Bases of each strand, in words."""
    return " and ".join(str(len(strand)) for strand in sequence.split(STRANDS))
