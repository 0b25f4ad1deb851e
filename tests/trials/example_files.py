"""Examples of structures in files of other programs, see `example_kinds`."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from random import Random

from tests.solver.domains.rna.plain_structures import pairs_of
from tests.trials.example_kinds import Example, hairpins, kind, letters_for, of_structure
from tests.trials.plain_vienna import IUPAC, PAIRS

FAMILIES = Path(__file__).with_name("riboswitches.tsv")


@kind("families")
def families(chance: Random) -> Example:
    """A natural riboswitch's structure in Stockholm's format, with columns of inserts."""
    with FAMILIES.open() as file:
        rows = [row for row in list(csv.reader(file, delimiter="\t"))[1:] if len(row[1]) < 100]
    _, structure, _ = chance.choice(rows)
    columns, letters = [], letters_for(structure, chance, 0.0)
    for mark, letter in zip(structure, letters, strict=True):
        while chance.random() < 0.1:
            columns.append((".", "-", "."))
        columns.append(("<_>"["(.)".index(mark)], chance.choice(IUPAC[letter]), "x"))
    wuss, row, reference = map("".join, zip(*columns, strict=True))
    text = f"# STOCKHOLM 1.0\n#=GF ID f\none {row}\n#=GC SS_cons {wuss}\n#=GC RF {reference}\n//\n"
    words, asked = [], {}
    if chance.random() < 0.5:
        words = ["--conserved", "90"]
        bases = row_of(row, reference)
        pairs = pairs_of(structure)
        asked["bases"] = "".join(
            "N" if i in pairs and bases[i] + bases[pairs[i]] not in PAIRS else base
            for i, base in enumerate(bases)
        )
    found = of_structure(structure, words, asked | {"synthesis": False})
    return found._replace(target=text, name="target.sto")


def row_of(row: str, reference: str) -> str:
    """Bases of a sequence in columns that are no inserts."""
    return "".join(base for base, mark in zip(row, reference, strict=True) if mark != ".")


@kind("connect tables, .bpseq, Eterna")
def formats(chance: Random) -> Example:
    structure = hairpins(chance)
    found, pairs = of_structure(structure, []), pairs_of(structure)
    choice, n = chance.randrange(3), len(structure)
    if choice == 0:
        rows = [
            f"{i + 1} A {i} {(i + 2) % (n + 1)} {pairs.get(i, -1) + 1} {i + 1}" for i in range(n)
        ]
        return found._replace(target="\n".join([f"{n} x", *rows]) + "\n", name="target.ct")
    if choice == 1:
        rows = [f"{i + 1} A {pairs.get(i, -1) + 1}" for i in range(n)]
        return found._replace(target="\n".join(rows) + "\n", name="target.bpseq")
    puzzle = {"title": "p", "secstruct": structure}
    return found._replace(target=json.dumps({"data": {"puzzle": puzzle}}), name="target.json")
