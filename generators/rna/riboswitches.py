"""Riboswitches to design anew: `python -m generators.rna.riboswitches` writes a table of targets.

The target of each family of Rfam is the fold of one of its sequences. At unpaired positions what
the family keeps is asked for, as the IUPAC letter of the bases that nearly all of its sequences
have there: where the ligand binds they are the same.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator

from generators.rna.rfam import GAPS, Family, read_families
from solver.domains.rna.folding import fold_structure
from solver.domains.rna.text import IUPAC
from solver.system.datasets import corpus_path

FAMILIES = (
    "RF00050", "RF00059", "RF00162", "RF00167", "RF00168", "RF00380", "RF00442", "RF00504",
    "RF00521", "RF00522", "RF00634", "RF01054", "RF01055", "RF01056", "RF01057", "RF01482",
    "RF01510", "RF01689", "RF01725", "RF01727", "RF01734", "RF01739", "RF01750", "RF01786",
    "RF01826", "RF01831", "RF02683", "RF02885", "RF03057", "RF03058",
)  # fmt: skip
TARGETS, SHORTEST, LONGEST = 20, 50, 128
#: Share of the sequences whose bases a letter must cover.
KEPT = 0.97
LEAST_PAIRED = 0.4
LETTERS = {bases: letter for letter, bases in IUPAC.items() if letter != "T"}


def letter_of(column: Counter[str]) -> str:
    """Return the IUPAC letter of one base or two that nearly all sequences have; else N."""
    most = column.most_common(2)
    for taken in (most[:1], most):
        bases = "".join(sorted(base for base, _ in taken))
        if sum(count for _, count in taken) >= KEPT * column.total() and bases in LETTERS:
            return LETTERS[bases]
    return "N"


def riboswitch(family: Family) -> tuple[str, str] | None:
    """Structure and constraint of the first sequence that is neither long, short nor unpaired."""
    rows = [row.upper().replace("T", "U") for _, row in family.rows]
    columns = [Counter(bases) for bases in zip(*rows, strict=True)]
    for row in rows:
        sequence = "".join(base for base in row if base not in GAPS)
        if not SHORTEST <= len(sequence) <= LONGEST or set(sequence) - set("ACGU"):
            continue
        structure = fold_structure(sequence, "vienna2")
        if len(structure) - structure.count(".") < LEAST_PAIRED * len(structure):
            continue
        kept = [letter_of(c) for c, base in zip(columns, row, strict=True) if base not in GAPS]
        free = zip(structure, kept, strict=True)
        return structure, "".join(letter if s == "." else "N" for s, letter in free)
    return None


def riboswitches() -> Iterator[tuple[str, str, str]]:
    """Yield name, structure and constraint of each target."""
    found = 0
    for family in read_families(corpus_path("rfam")):
        target = riboswitch(family) if family.accession in FAMILIES else None
        if target is not None:
            yield family.accession, *target
            found += 1
        if found == TARGETS:
            return


if __name__ == "__main__":
    sys.stdout.write("name\tstructure\tconstraint\n")
    for row in riboswitches():
        sys.stdout.write("\t".join(row) + "\n")
