"""Sheet to order designs as DNA: a template for transcription by T7, and primers of both ends."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from string import ascii_lowercase
from typing import Any

from solver.domains.rna.engines import is_dna
from solver.domains.rna.files.melting import complement, melting_celsius
from solver.domains.rna.text import STRANDS

#: Promoter of T7's RNA polymerase (class III) up to position -1; transcripts begin behind it.
T7 = "TAATACGACTCACTATA"
#: Lengths of primers, and the temperature that the shortest one is to reach.
SHORTEST, LONGEST, CELSIUS = 18, 40, 60.0
#: Bases of a duplex that the parameters of melting hold for, at least.
LEAST_DUPLEX = 6
COLUMNS = (
    "name", "rna", "rna_length", "template", "template_length", "reverse_complement",
    "forward_primer", "forward_celsius", "reverse_primer", "reverse_celsius", "starts_for_t7",
)  # fmt: skip


def order_sheet(designs: Iterable[tuple[str, Mapping[str, Any]]]) -> str:
    """Return a table with tabs: a row for each strand of each design.

    Parameters
    ----------
    designs : iterable of (str, mapping)
        Name and facts: `sequence`, with `&` between strands, whose rows are named `a`, `b`, and so
        on, and `engine`. Designs by an engine for DNA are templates, and nothing is transcribed.
    """
    sheet = io.StringIO()
    writer = csv.writer(sheet, delimiter="\t", lineterminator="\n")
    writer.writerow(COLUMNS)
    for name, facts in designs:
        strands, dna = str(facts["sequence"]).split(STRANDS), is_dna(str(facts["engine"]))
        for letter, strand in zip(ascii_lowercase, strands, strict=False):
            named = f"{name}_{letter}" if len(strands) > 1 else name
            writer.writerow(_row(named, "" if dna else strand, strand))
    return sheet.getvalue()


def _row(name: str, rna: str, letters: str) -> list[object]:
    template = T7 + rna.replace("U", "T") if rna else letters
    primers = []
    for strand in (template, complement(template)):
        primer = _primer(strand)
        melts = f"{melting_celsius(primer):.1f}" if len(primer) >= LEAST_DUPLEX else ""
        primers += [primer, melts]
    starts = ("yes" if rna.startswith(("GG", "GA")) else "no") if rna else ""
    return [
        name,
        rna,
        len(rna) or "",
        template,
        len(template),
        complement(template),
        *primers,
        starts,
    ]


def _primer(strand: str) -> str:
    """Return the shortest beginning of a strand that melts at `CELSIUS` or above."""
    lengths = range(SHORTEST, min(LONGEST, len(strand)) + 1)
    beginnings = [strand[:length] for length in lengths] or [strand]
    hot = (primer for primer in beginnings if melting_celsius(primer) >= CELSIUS)
    return next(hot, beginnings[-1])
