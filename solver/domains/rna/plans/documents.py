"""Documents of domains, strands and states: what is of several strands, or says a stretch twice.

    >toehold
    domain a = N15
    domain linker = AACAAA|AAUAAA|ACAACA
    domain orf = protein MKV*
    strand switch = GGG a N6 linker orf a*
    strand trigger = a*
    state OFF: switch = (((.3N80)3
    state ON: trigger switch = ...&...

A domain is IUPAC letters (a number behind a letter repeats it), a list of words, or `protein` and
residues. A strand is of domains, of their reverse complements (`a*`), and of letters, 5' to 3'. A
state names its strands and their structure: dot-bracket (a number behind a mark repeats it), N
where nothing is asked, `&` between strands; several structures of a switch have `|` between them,
and `ligand NAME` at the end of the line is a ligand that binds in that state.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from solver.domains.rna.plans.codons import check_code, protein_tables
from solver.domains.rna.plans.complexes import LIGANDS, Complex
from solver.domains.rna.plans.table import Table
from solver.domains.rna.text import (
    BRACKETS,
    IUPAC,
    OPEN,
    STRANDS,
    STRUCTURES,
    Found,
    Refused,
    RnaTarget,
    pair_partners,
)
from solver.errors import FieldError, InputError, quoted
from solver.system.text_blocks import NumberedLine

_LINE = re.compile(r"(domain|strand|state)\s+([A-Za-z_][\w-]*)\s*(=|:)\s*(.+)", re.ASCII)
_BEGINS = re.compile(r"(domain|strand|state)\s+\S+.*[=:]")
_REPEAT = re.compile(r"([A-Za-z.()])(\d{1,4})", re.ASCII)
_PROTEIN = re.compile(r"protein\s+([A-Za-z*]+)(?:\s+code\s+(\d{1,2}))?", re.ASCII)
#: More strands take too long to fold in all groups.
MOST_STRANDS, MOST_BASES = 4, 4000


class Plan(NamedTuple):
    """A document that was read."""

    strands: tuple[tuple[str, int, int], ...]
    """Name of each strand, its first position in the sequence of all, and the first behind it."""
    bases: str
    """IUPAC letters of all strands."""
    tables: tuple[Table, ...]
    states: tuple[Complex, ...]


class _Domain(NamedTuple):
    """A domain of a document, and the places where it stands."""

    name: str
    letters: str
    words: tuple[str, ...]
    protein: str
    code: int
    number: int


def is_document(lines: list[NumberedLine]) -> bool:
    """Return whether lines begin a document."""
    first = next((line.strip() for _, line in lines if not line.lstrip().startswith(">")), "")
    return _BEGINS.match(first) is not None


def read_documents(lines: list[NumberedLine], source: str) -> Iterator[Found | Refused]:
    """Read documents, each below a line `>name` if there are several."""
    starts = [i for i, (_, line) in enumerate(lines) if line.lstrip().startswith(">")]
    if not starts or starts[0] > 0:
        starts.insert(0, -1)
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        name = lines[start][1].strip()[1:].strip() if start >= 0 else ""
        body = [(number, line.strip()) for number, line in lines[start + 1 : end]]
        try:
            read_plan(body, source)
        except InputError as error:
            yield Refused(name, error)
            continue
        text = "\n".join(line for _, line in body)
        yield Found(name, body[0][0], "", "", plan=text)


@functools.lru_cache(maxsize=64)
def plan_of(text: str) -> Plan:
    """Return the plan of the text of a document that has been read before."""
    return read_plan(list(enumerate(text.split("\n"), start=1)), "document")


def document_target(text: str) -> RnaTarget:
    """Return the target of the text of a document."""
    plan = plan_of(text)
    n = len(plan.bases)
    drawn = ["."] * n
    largest = max(plan.states, key=lambda state: len(state.positions))
    if list(largest.positions) == sorted(largest.positions):
        for mark, position in zip(largest.structures[0], largest.positions, strict=True):
            drawn[position] = mark
    return RnaTarget("".join(drawn), plan.bases, plan=text)


def read_plan(lines: list[NumberedLine], source: str) -> Plan:
    """Read a document.

    Raises
    ------
    InputError
        With the line of what is wrong.
    """
    domains: dict[str, _Domain] = {}
    strands: dict[str, tuple[int, str]] = {}
    states: dict[str, tuple[int, str]] = {}
    for number, line in lines:
        where = f"{source}: line {number}"
        found = _LINE.fullmatch(line)
        if found is None or (found[3] == ":") != (found[1] == "state"):
            raise InputError(
                f"{where}: {quoted(line)}, expected `domain NAME = ...`, `strand NAME = ...` or "
                "`state NAME: STRANDS = STRUCTURE`"
            )
        kind, name, _, rest = found.groups()
        known: dict[str, Any] = {"domain": domains, "strand": strands, "state": states}
        if name in known[kind]:
            raise InputError(f"{where}: {kind} {name} for the second time, expected it once")
        if kind == "domain":
            domains[name] = _domain(name, rest, number, where)
        else:
            known[kind][name] = number, rest
    if not states:
        number = lines[-1][0] if lines else 1
        raise InputError(f"{source}: line {number}: no state, expected one or more")
    return _Reader(source, domains).plan(strands, states)


def _expanded(text: str) -> str:
    """Text with numbers behind letters or marks written out."""
    return _REPEAT.sub(lambda found: found[1] * int(found[2]), text)


def _iupac(text: str, where: str) -> str:
    letters = _expanded(text).upper().replace("T", "U")
    if not letters or not set(letters) <= set(IUPAC):
        raise InputError(
            f"{where}: {quoted(text)}, expected IUPAC letters, as GGN15, or the name of a domain"
        )
    return letters


def _domain(name: str, text: str, number: int, where: str) -> _Domain:
    protein = _PROTEIN.fullmatch(text)
    if protein:
        residues, code = protein[1].upper(), int(protein[2] or 1)
        try:
            check_code(code)
            protein_tables(residues, 0, code)
        except FieldError as error:
            word = "code" if error.field == "genetic_code" else error.field
            raise InputError(f"{where}: {word} {error.complaint}") from None
        return _Domain(name, "N" * (3 * len(residues)), (), residues, code, number)
    words = [_iupac(word.strip(), where) for word in text.split(STRUCTURES)]
    if len(words) == 1:
        return _Domain(name, words[0], (), "", 1, number)
    for word in words:
        if len(word) != len(words[0]):
            raise InputError(
                f"{where}: words of {len(words[0])} and {len(word)} letters, expected one length"
            )
        if any(len(IUPAC[letter]) > 1 for letter in word):
            raise InputError(f"{where}: {word} in a list, expected words of A, C, G and U alone")
    return _Domain(name, "N" * len(words[0]), tuple(words), "", 1, number)


class _Reader:
    """Strands and states of a document whose domains are known."""

    def __init__(self, source: str, domains: dict[str, _Domain]) -> None:
        self._source = source
        self._domains = domains
        self._first: dict[str, list[int]] = {}
        """Positions of each domain, 5' to 3' of itself, where it stands first."""
        self._turned: dict[str, bool] = {}
        """True if the complement of a domain stands first."""
        self._bases = ""
        self._tables: list[Table] = []

    def plan(self, strands: dict[str, tuple[int, str]], states: dict[str, tuple[int, str]]) -> Plan:
        """Return the plan."""
        spans: dict[str, tuple[int, int]] = {}
        for name, (number, text) in strands.items():
            begin = len(self._bases)
            for word in text.split():
                self._place(word, f"{self._source}: line {number}")
            spans[name] = begin, len(self._bases)
            if len(self._bases) > MOST_BASES:
                raise InputError(
                    f"{self._source}: line {number}: {len(self._bases):,} bases, expected "
                    f"{MOST_BASES:,} at most in all strands"
                )
        for domain in self._domains.values():
            if domain.name not in self._first:
                raise InputError(
                    f"{self._source}: line {domain.number}: domain {domain.name} is in no strand"
                )
        found = tuple(
            self._state(name, text, spans, f"{self._source}: line {number}")
            for name, (number, text) in states.items()
        )
        used = {span for state in found for span in state.spans}
        for name, span in spans.items():
            if span not in used:
                number = strands[name][0]
                raise InputError(f"{self._source}: line {number}: strand {name} is in no state")
        return Plan(
            tuple((name, *span) for name, span in spans.items()),
            self._bases,
            tuple(self._tables),
            found,
        )

    def _place(self, word: str, where: str) -> None:
        """Append a word of a strand."""
        name, complement = word.rstrip("*"), word.endswith("*")
        if name not in self._domains:
            if complement:
                raise InputError(f"{where}: {quoted(word)}, expected the name of a domain before *")
            self._bases += _iupac(word, where)
            return
        domain = self._domains[name]
        begin = len(self._bases)
        positions = list(range(begin, begin + len(domain.letters)))
        if complement:
            positions.reverse()
        if name not in self._first:
            self._first[name], self._turned[name] = positions, complement
            self._add_words(domain, positions, complement)
            return
        self._bases += "N" * len(positions)
        for one, other in zip(self._first[name], positions, strict=True):
            same = self._turned[name] == complement
            words = ("AA", "CC", "GG", "UU") if same else ("AU", "CG", "GC", "UA")
            self._tables.append(Table(f"domain {word} and {name}", (one, other), words))

    def _add_words(self, domain: _Domain, positions: list[int], complement: bool) -> None:
        """Append the letters of a domain at its first place, with its tables."""
        letters = domain.letters
        words = domain.words
        if complement:
            letters = "".join(_complement(letter) for letter in reversed(letters))
            words = tuple("".join(_complement(c) for c in word) for word in words)
        self._bases += letters
        if words:
            self._tables.append(Table(f"domain {domain.name}", tuple(positions), words))
        for what, places, codons in protein_tables(domain.protein, 0, domain.code):
            if complement:
                codons = ["".join(_complement(c) for c in codon) for codon in codons]
            at = tuple(positions[place] for place in places)
            self._tables.append(Table(f"{domain.name}, {what}", at, tuple(codons)))

    def _state(
        self, name: str, text: str, spans: dict[str, tuple[int, int]], where: str
    ) -> Complex:
        names, equals, rest = text.partition("=")
        if not equals:
            raise InputError(f"{where}: no `=`, expected `state {name}: STRANDS = STRUCTURE`")
        word, keyword, ligand = rest.partition(" ligand ")
        if keyword and ligand.strip().lower() not in LIGANDS:
            raise InputError(
                f"{where}: ligand {quoted(ligand.strip())}, expected {', '.join(LIGANDS)}"
            )
        listed = names.replace("+", " ").split()
        for strand in listed:
            if strand not in spans:
                raise InputError(f"{where}: {quoted(strand)}, expected one of: {', '.join(spans)}")
        if not listed or len(set(listed)) < len(listed) or len(listed) > MOST_STRANDS:
            raise InputError(
                f"{where}: {len(listed)} strands, expected 1 to {MOST_STRANDS} different ones"
            )
        state = Complex(
            name,
            tuple(spans[strand] for strand in listed),
            (),
            ligand=LIGANDS[ligand.strip().lower()] if keyword else None,
        )
        words = [self._structure(each, state, where) for each in word.split(STRUCTURES)]
        if len(set(words)) < len(words):
            raise InputError(f"{where}: the same structure twice, expected different ones")
        return state._replace(structures=tuple(words))

    def _structure(self, text: str, state: Complex, where: str) -> str:
        structure = _expanded("".join(text.split()))
        cuts = [i for i, mark in enumerate(structure) if mark == STRANDS]
        bare = structure.replace(STRANDS, "")
        n = len(state.positions)
        if wrong := next((mark for mark in bare if mark not in BRACKETS | {OPEN}), ""):
            raise InputError(f"{where}: {quoted(wrong)} in a structure, expected ( ) . N or &")
        if len(bare) != n:
            raise InputError(f"{where}: {len(bare)} positions, its strands have {n} bases")
        if cuts and [cut - i for i, cut in enumerate(cuts)] != state.cuts:
            raise InputError(
                f"{where}: & behind {', '.join(str(cut - i) for i, cut in enumerate(cuts))} "
                f"positions, the strands end at {', '.join(map(str, state.cuts))}"
            )
        pair_partners(bare, where, *state.cuts)
        return bare


def _complement(letter: str) -> str:
    """IUPAC letter of the complement."""
    bases = {"A": "U", "C": "G", "G": "C", "U": "A"}
    wanted = {bases[base] for base in IUPAC[letter]}
    return next(name for name, of in IUPAC.items() if set(of) == wanted and name != "T")
