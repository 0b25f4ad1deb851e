"""Files of RNA targets: lines, records, tables, and formats of ViennaRNA and DesiRNA.

The first line that is neither blank nor a comment (`#`) tells the format.

Lines
    A structure in dot-bracket; behind it, on the same line, IUPAC letters may fix bases. A name
    stands before it, separated by a TAB. A line of letters *below* a structure is RNAinverse's
    start sequence: lower case is fixed, A C G U T and N in capitals are free, missing letters are
    N. Capitals alone could also be meant to fix bases: they are refused unless all are N. A line
    `@` may end the file.
RNAfold's output
    If the first line is letters, each structure has the sequence that it was folded from *above*
    it. That is no constraint.
Records
    `>name`, a structure, and below it a line of IUPAC letters if bases are fixed, in either
    case; of a switch its structures in lines of their own. Or, as RNAfold has it, a sequence above
    the structure, which is no constraint.
DesiRNA's input
    If any line is `>sec_struct`: sections `>name`, `>sec_struct`, `>alt_sec_struct` and
    `>seq_restr` of one line each, in any order; a section that comes again begins the next
    target, unless it is `>alt_sec_struct`.
Tables
    CSV or TSV with a header. `COLUMNS` lists the names of a column; its letters, of a column
    called `sequence` too, fix bases. A line `sep=;` above it, as Excel writes, is left out.
Connect tables, .bpseq, Stockholm
    See `connections` and `stockholm`.
Documents of domains, strands and states
    See `documents`.
JSON
    An object for each target, in lines or as an array. Its keys are named as columns are.

In all of them `&` in a structure is between two strands, `|` between the structures of a switch.
An energy behind a structure, as in `((((....)))) (-3.40)`, is left out in all of them. Letters
above a structure must be A C G U T alone: others would be a constraint, whose place is below.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import takewhile

from solver.contract.problems import Pieces, read_all
from solver.domains.rna.files.connections import is_bpseq, is_ct, read_bpseq, read_ct
from solver.domains.rna.files.stockholm import is_stockholm, read_stockholm
from solver.domains.rna.files.tables import (
    column_of,
    delimiter_of,
    is_json,
    read_objects,
    read_table,
)
from solver.domains.rna.plans.documents import document_target, is_document, read_documents
from solver.domains.rna.requests.options import RnaRequests, own_requests
from solver.domains.rna.text import (
    BRACKETS,
    IUPAC,
    OPEN,
    STRANDS,
    STRUCTURES,
    Found,
    Refused,
    RnaTarget,
    new_target,
    without_energy,
)
from solver.errors import FieldError, InputError, quoted
from solver.system.letters import is_one_line
from solver.system.text_blocks import NumberedLine, content_lines

#: Sections of DesiRNA; that of a switch's other structures may come several times.
ALTERNATIVE = ">alt_sec_struct"
SECTIONS = (">name", ">sec_struct", ">seq_restr", ALTERNATIVE)
#: Its section for what is not done here.
OTHER_SECTIONS = (">seed_seq",)

_PLAIN_BASES = set("ACGUTacgut")


def parse_targets(text: str, source: str) -> list[tuple[str, RnaTarget]]:
    """Read every named target in `text`.

    Raises
    ------
    InputError
        With the line, and the position in a structure, of what is wrong.
    """
    return read_all(target_pieces(text, source))


def target_pieces(text: str, source: str, conserved: float = 0.0) -> Pieces[RnaTarget]:
    """Tell the targets in `text` apart, see `parse_targets`.

    Parameters
    ----------
    conserved : float
        Share of the sequences of a family, in per cent, that have the bases which are fixed; 0
        fixes none.

    Raises
    ------
    InputError
        If there is none, where one ends cannot be told, or if it is no family that is `conserved`.
    """
    if conserved and not is_stockholm(text):
        raise InputError(f"{source}: --conserved is for families, expected # STOCKHOLM 1.0")
    lines = content_lines(text)
    pieces: list[tuple[str, Callable[[], RnaTarget]]] = []
    for one in _found(text, lines, source, conserved):
        name = one.name if is_one_line(one.name) else ""
        label = name or (source if not pieces else f"{source}#{len(pieces) + 1}")
        pieces.append((label, partial(_target, one, source)))
    if not pieces:
        raise InputError(f"{source}: no structure found, expected dot-bracket")
    return pieces


def _found(
    text: str, lines: list[NumberedLine], source: str, conserved: float
) -> Iterable[Found | Refused]:
    """Read the format that a text begins with."""
    if is_json(text):
        return read_objects(text, source)
    if is_stockholm(text):
        return read_stockholm(text, source, conserved)
    return _read(lines, source) if lines else ()


def _target(found: Found | Refused, source: str) -> RnaTarget:
    if isinstance(found, Refused):
        raise found.error
    where = f"{source}: line {found.number}"
    if not is_one_line(found.name):
        raise InputError(f"{where}: name {quoted(found.name)}, expected text in one line")
    if found.plan:
        return document_target(found.plan)
    try:
        RnaRequests(**own_requests(found.asked))
    except FieldError as error:
        raise InputError(f"{where}: {error}") from None
    places = [f"{source}: line {number}" for number in found.lines]
    bases_at = f"{source}: line {found.bases_line}" if found.bases_line else where
    target = new_target(found.structure, found.bases, where, places, bases_at)
    return target._replace(asked=found.asked)


def _read(lines: list[NumberedLine], source: str) -> Iterator[Found | Refused]:
    """Read the format that the first line tells."""
    stated = re.fullmatch(r"\s*sep=(.)\s*", lines[0][1])
    if stated and len(lines) > 1:
        return read_table(lines[1:], stated[1], source)
    if is_document(lines):
        return read_documents(lines, source)
    if is_ct(lines):
        return read_ct(lines, source)
    if is_bpseq(lines):
        return read_bpseq(lines, source)
    delimiter = delimiter_of(lines[0][1])
    if delimiter or column_of(lines[0][1]) == "structure":
        return read_table(lines, delimiter or ",", source)
    lines = [(number, line.strip()) for number, line in lines]
    if any(line.lower() == ">sec_struct" for _, line in lines):
        return _sections(lines, source)
    if lines[0][1].startswith(">"):
        return _records(lines, source)
    return _plain(_until_end(lines, source), source)


def _is_structure(word: str) -> bool:
    marks = set(word)
    return bool(marks & BRACKETS) and marks <= BRACKETS | {OPEN, STRANDS, STRUCTURES}


def _is_letters(line: str) -> bool:
    """Return whether `line` is one word of letters that can only be bases."""
    letters = line.replace(STRANDS, "", 1)
    return letters.isascii() and letters.isalpha() and set(letters.upper()) <= set(IUPAC)


def _check_sequence(sequence: str, structure: str, number: int, source: str) -> None:
    """Raise `InputError` if the line above a structure is not the sequence that folds into it."""
    where = f"{source}: line {number}"
    for position, letter in enumerate(sequence, start=1):
        between = letter == STRANDS == structure[position - 1 : position]
        if letter not in _PLAIN_BASES and not between:
            raise InputError(
                f"{where}, position {position}: {letter!r} above a structure, expected the "
                "sequence that was folded into it, of A C G U; letters that fix bases stand below"
            )
    if len(sequence) != len(structure):
        raise InputError(
            f"{where}: {len(sequence)} bases above a structure of {len(structure)}, expected the "
            "sequence that was folded into it"
        )


# Records and sections


def _records(lines: list[NumberedLine], source: str) -> Iterator[Found | Refused]:
    starts = [index for index, (_, line) in enumerate(lines) if line.startswith(">")]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        number, title = lines[start]
        name = title[1:].strip()
        try:
            yield _record(name, number, lines[start + 1 : end], source)
        except InputError as error:
            yield Refused(name, error)


def _record(name: str, number: int, body: list[NumberedLine], source: str) -> Found:
    folded = len(body) > 1 and _is_letters(body[0][1])
    structures = [without_energy(line) for _, line in body[folded:]]
    count = 1 + sum(1 for _ in takewhile(_is_structure, structures[1:]))
    if not body or len(structures) > count + (not folded):
        raise InputError(
            f"{source}: line {number}: {len(body)} lines follow, expected a structure, or "
            "those of a switch, and perhaps a line of fixed bases"
        )
    word = STRUCTURES.join(structures[:count])
    if folded and _is_structure(word):
        _check_sequence(body[0][1], structures[0], body[0][0], source)
        return Found(name, body[1][0], word, "")
    if folded:
        return Found(
            name, body[0][0], without_energy(body[0][1]), body[1][1], bases_line=body[1][0]
        )
    lines = tuple(line for line, _ in body[:count])
    bases_line, bases = body[-1] if len(body) > count else (0, "")
    return Found(name, body[0][0], word, bases, lines=lines, bases_line=bases_line)


def _sections(lines: list[NumberedLine], source: str) -> Iterator[Found | Refused]:
    """Read DesiRNA's input; a section that is not supported, or empty, costs its target only."""
    found: dict[str, NumberedLine] = {}
    others: list[int] = []  # lines of the other structures
    wrong: InputError | None = None
    index = 0
    while index < len(lines):
        number, title = lines[index]
        section, where = title.lower(), f"{source}: line {number}"
        if section not in (*SECTIONS, *OTHER_SECTIONS):  # of which target cannot be told
            raise InputError(f"{where}: {quoted(title)}, expected one of: {' '.join(SECTIONS)}")
        if section in found and section != ALTERNATIVE:
            yield _target_of(found, others, wrong, source)
            found, others, wrong = {}, [], None
        following = (number, "")
        if index + 1 < len(lines) and not lines[index + 1][1].startswith(">"):
            following = lines[index + 1]
        index += 2 if following[1] else 1
        if section in OTHER_SECTIONS:
            wrong = wrong or InputError(f"{where}: {section} is not supported, remove it")
        elif not following[1]:
            wrong = wrong or InputError(f"{where}: nothing follows {section}, expected a line")
        if section == ALTERNATIVE:
            others.append(following[0])
            structures = [found[section][1]] if section in found else []
            structures.append(without_energy(following[1]))
            following = number, STRUCTURES.join(structures)
        found[section] = following
    yield _target_of(found, others, wrong, source)


def _target_of(
    found: dict[str, NumberedLine], others: list[int], wrong: InputError | None, source: str
) -> Found | Refused:
    name = found.get(">name", (0, ""))[1]
    if wrong is not None:
        return Refused(name, wrong)
    bases_line, bases = found.get(">seq_restr", (0, ""))
    if ">sec_struct" not in found:
        number = min(number for number, _ in found.values())
        where = f"{source}: line {number}"
        return Refused(name, InputError(f"{where}: no >sec_struct for this target"))
    number, structure = found[">sec_struct"]
    structures = [without_energy(structure)]
    if ALTERNATIVE in found:
        structures.append(found[ALTERNATIVE][1])
    word, lines = STRUCTURES.join(structures), (number, *others)
    return Found(name, number, word, bases, lines=lines, bases_line=bases_line)


# Lines


def _until_end(lines: list[NumberedLine], source: str) -> list[NumberedLine]:
    """Lines before `@`, which ends the input of RNAinverse."""
    for index, (number, line) in enumerate(lines):
        if line == "@":
            if lines[index + 1 :]:
                raise InputError(f"{source}: line {number}: `@` ends the targets, but lines follow")
            return lines[:index]
    return lines


def _plain(lines: list[NumberedLine], source: str) -> Iterator[Found | Refused]:
    folded = bool(lines) and _is_letters(lines[0][1])
    index = 0
    while index < len(lines):
        number, line = lines[index]
        index += 1
        above = (number, line)
        if folded:
            if not _is_letters(line) or index == len(lines):
                raise InputError(
                    f"{source}: line {number}: {quoted(line)}, expected a sequence and on "
                    "the line below its structure, as the file begins with letters"
                )
            number, line = lines[index]
            index += 1
        below = lines[index] if index < len(lines) and not folded else None
        if below and _is_letters(below[1]):
            index += 1
        else:
            below = None
        try:
            yield _plain_target((number, line), above if folded else None, below, source)
        except InputError as error:
            yield Refused("", error)


def _plain_target(
    line: NumberedLine, above: NumberedLine | None, below: NumberedLine | None, source: str
) -> Found:
    """Read a structure, with the sequence that was folded above it, or a start sequence below."""
    found = _structure_line(*line, source)
    if above is not None:
        if found.bases:
            raise InputError(f"{source}: line {line[0]}: bases above and behind a structure")
        _check_sequence(above[1], found.structure, above[0], source)
    if below is not None:
        return found._replace(bases=_start_sequence(found, *below, source))
    return found


def _structure_line(number: int, line: str, source: str) -> Found:
    """Read a structure, perhaps with a name and a TAB before it, with fixed bases behind it."""
    name, tab, rest = line.partition("\t")
    first = without_energy(name.strip()).split(None, 1)[:1]
    if not tab or any(map(_is_structure, first)):
        name, rest = "", line
    words = without_energy(rest.strip()).split()
    if len(words) > 2 or not words:
        raise InputError(
            f"{source}: line {number}: {len(words)} words, expected a structure and perhaps "
            "fixed bases, and a name only with a TAB behind it"
        )
    return Found(name.strip(), number, words[0], "".join(words[1:]))


def _start_sequence(found: Found, number: int, letters: str, source: str) -> str:
    """Return the bases that RNAinverse's start sequence fixes."""
    where = f"{source}: line {number}"
    if found.bases:
        raise InputError(f"{where}: bases below a structure that has some behind it")
    if len(letters) > len(found.structure):
        raise InputError(
            f"{where}: {len(letters)} bases, expected {len(found.structure)} at most, one a "
            "position"
        )
    if letters.isupper() and set(letters) != {"N"}:
        raise InputError(
            f"{where}: capitals below a structure are free for RNAinverse: write the bases to "
            "be fixed in lower case, or behind the structure on its line"
        )
    for position, letter in enumerate(letters, start=1):
        if letter.isupper() and letter not in "ACGUTN":
            raise InputError(
                f"{where}, position {position}: {letter!r}, expected A C G U or N where the base "
                "is free, and lower case where it is fixed"
            )
    bases = "".join(letter if letter.islower() or letter == STRANDS else "N" for letter in letters)
    return bases.ljust(len(found.structure), "N")
