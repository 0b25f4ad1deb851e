"""Kinds of requests on RNA designs, each an example drawn at random that has an answer, mostly."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

import RNA

from tests.solver.domains.rna.plain_structures import pairs_of
from tests.trials.plain_vienna import IUPAC

STANDARD = "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"
MITOCHONDRIAL = "FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIMMTTTTNNKKSS**VVVVAAAADDEEGGGG"
RESIDUES = "ACDEFGHIKLMNPQRSTVWY"
CODONS = [a + b + c for a in "UCAG" for b in "UCAG" for c in "UCAG"]
#: Files of parameters that ship with ViennaRNA.
FILES = {
    "a.par": RNA.parameter_set_rna_andronescu2007, "l.par": RNA.parameter_set_rna_langdon2018,
    "dna1999.par": RNA.parameter_set_dna_mathews1999,
}  # fmt: skip


class Example(NamedTuple):
    """A request, and what a checker is told of it."""

    target: str
    """Text of the file of targets."""
    words: list[str]
    """Options behind it."""
    asked: dict[str, Any]
    """As `plain_vienna` reads it."""
    engine: dict[str, Any] = {}  # noqa: RUF012 - of a tuple, never changed
    files: dict[str, str] = {}  # noqa: RUF012
    name: str = "target.txt"


Draw = Callable[[Random], Example]
KINDS: dict[str, Draw] = {}


def kind(name: str) -> Callable[[Draw], Draw]:
    """Put a function that draws an example into the list."""

    def add(draw: Draw) -> Draw:
        KINDS[name] = draw
        return draw

    return add


def hairpins(chance: Random, count: int = 0, longest: int = 7) -> str:
    """Draw a structure of hairpins, one in another at times."""
    parts = []
    for _ in range(count or chance.randint(1, 3)):
        helix, inside = chance.randint(4, longest), "." * chance.randint(4, 7)
        if chance.random() < 0.3:
            inside = f"{'.' * chance.randint(1, 3)}(((({inside}))))" + "." * chance.randint(0, 3)
        parts.append("(" * helix + inside + ")" * helix)
    linker = "." * chance.randint(1, 5)
    return "." * chance.randint(0, 4) + linker.join(parts) + "." * chance.randint(0, 4)


def duplex(chance: Random) -> str:
    """Draw a helix of two strands, with a hairpin in one of them at times."""
    helix, loop = chance.randint(5, 8), chance.choice(["", "", "..", "(((....)))."])
    return "(" * helix + loop + "&" + "." * len(loop[:2]) + ")" * helix


def of_structure(
    structure: str, words: list[str], asked: dict[str, Any] | None = None, **more: Any
) -> Example:
    """Return an example whose one target is `structure`, or those of a switch."""
    structures = structure.split("|")
    asked = {
        "lengths": [len(strand) for strand in structures[0].split("&")],
        "states": [{"asked": structures}],
        "synthesis": "--forbid" not in words,
    } | (asked or {})
    bases = asked.get("bases", "")
    return Example(f"{structure} {bases}".strip() + "\n", words, asked, **more)


def letters_for(structure: str, chance: Random, free: float) -> str:
    """Draw IUPAC letters that some sequence of a structure has."""
    pairs = pairs_of(structure.replace("N", "."))
    bases = ["A"] * len(structure)
    for i in range(len(structure)):
        if pairs.get(i, i) >= i:
            word = chance.choice(["GC", "CG", "AU"]) if i in pairs else chance.choice("ACU") * 2
            bases[i], bases[pairs.get(i, i)] = word[0], word[-1]
    wide = {base: [each for each, of in IUPAC.items() if base in of] for base in "ACGU"}
    return "".join("N" if chance.random() < free else chance.choice(wide[base]) for base in bases)


@kind("fixed bases")
def fixed_bases(chance: Random) -> Example:
    structure = hairpins(chance)
    return of_structure(structure, [], {"bases": letters_for(structure, chance, 0.7)})


@kind("GC, motifs")
def motifs(chance: Random) -> Example:
    words = ["--gc", "40-60", "--forbid", "GGNCC,G3,UUUU", "--require", "GNRA"]
    asked = {"gc": [40, 60], "forbid": ["GGNCC", "GGG", "UUUU"], "require": ["GNRA"]}
    return of_structure(hairpins(chance), words, asked)


@kind("several designs")
def several(chance: Random) -> Example:
    words = ["--designs", "5", "--min-distance", "8", "--gc", "30-70"]
    return of_structure(hairpins(chance), words, {"designs": 5, "distance": 8, "gc": [30, 70]})


@kind("gap")
def gap(chance: Random) -> Example:
    structure = hairpins(chance, 1) if chance.random() < 0.7 else duplex(chance)
    return of_structure(structure, ["--gap", "1"], {"gap": 1.0})


@kind("temperature, Turner 1999")
def temperature(chance: Random) -> Example:
    celsius = chance.choice([25, 50, 37])
    words = ["--celsius", str(celsius)]
    engine: dict[str, Any] = {"celsius": celsius}
    if celsius == 37:
        old = chance.choice(["t99d2", "vienna1"])
        words += ["--engine", old]
        engine = {"parameters": "t99", "dangles": 2 if old == "t99d2" else 1}
    return of_structure(hairpins(chance), words, engine=engine)


@kind("switches")
def switches(chance: Random) -> Example:
    helix, loop = chance.randint(5, 7), chance.randint(4, 6)
    n = 2 * helix + loop
    one = "(" * helix + "." * loop + ")" * helix
    shift = chance.randint(loop, helix + loop)
    words, asked = ["--within", "0.7"], {"within": 0.7}
    return of_structure(
        f"{one}{'.' * shift}|{'.' * shift}{one}"[: 2 * (n + shift) + 1], words, asked
    )


@kind("two strands")
def strands(chance: Random) -> Example:
    return of_structure(duplex(chance), ["--gc", "30-70"], {"gc": [30, 70]})


def coding(chance: Random, residues: int, words: list[str], **more: Any) -> Example:
    """Return an example of an open leader and a protein behind it."""
    protein = "M" + "".join(chance.choices(RESIDUES, k=residues)) + "*"
    structure = "." * 12 + "N" * (3 * residues + 6)
    asked = {"protein": [12, protein, STANDARD]} | more
    return of_structure(structure, ["--protein", f"13:{protein}", *words], asked)


@kind("proteins")
def proteins(chance: Random) -> Example:
    return coding(chance, chance.randint(6, 14), ["--gc", "30-60"], gc=[30, 60])


@kind("genetic codes")
def codes(chance: Random) -> Example:
    found = coding(chance, 8, ["--genetic-code", "2"])
    first, residues, _ = found.asked["protein"]
    return found._replace(asked=found.asked | {"protein": [first, residues, MITOCHONDRIAL]})


@kind("codon usage")
def usage(chance: Random) -> Example:
    table = {codon: round(chance.uniform(1, 40), 1) for codon in CODONS}
    found = coding(chance, 8, ["--codon-usage", "usage.txt"], usage=table)
    text = "".join(f"{codon} {number}\n" for codon, number in table.items())
    return found._replace(files={"usage.txt": text})


@kind("barcodes")
def barcodes(chance: Random) -> Example:
    n = chance.randint(16, 24)
    words = ["--designs", "8", "--min-distance", "6", "--gc", "40-60", "--max-shared", "8"]
    asked = {"designs": 8, "distance": 6, "gc": [40, 60], "shared": 8}
    return of_structure("." * n, words, asked)


@kind("near to a sequence")
def near(chance: Random) -> Example:
    structure = hairpins(chance)
    letters = "".join(chance.choice("ACGUN") for _ in structure)
    return of_structure(structure, ["--near", letters], {"near": letters})


@kind("open positions")
def open_positions(chance: Random) -> Example:
    structure = hairpins(chance, 1) + "N" * chance.randint(4, 15)
    if chance.random() < 0.3:
        structure = "N" * chance.randint(3, 6) + duplex(chance)
    return of_structure(structure, [])


@kind("windows of GC")
def windows(chance: Random) -> Example:
    words = ["--gc-window", "30-70:12"]
    return of_structure(hairpins(chance), words, {"window": [30, 70, 12]})


@kind("no stretch in common")
def shared(chance: Random) -> Example:
    words = ["--designs", "3", "--max-shared", "6"]
    return of_structure(hairpins(chance), words, {"designs": 3, "shared": 6})


@kind("apart from a file")
def apart(chance: Random) -> Example:
    others = ["".join(chance.choices("ACGU", k=60)) for _ in range(3)]
    words = ["--max-shared", "6", "--apart-from", "others.fa"]
    text = "".join(f">{i}\n{other[:30]}\n{other[30:]}\n" for i, other in enumerate(others))
    asked = {"shared": 6, "apart": others}
    return of_structure(hairpins(chance), words, asked, files={"others.fa": text})


@kind("DNA")
def dna(chance: Random) -> Example:
    words = ["--engine", "dna", "--gc", "30-70"]
    structure = hairpins(chance) if chance.random() < 0.7 else duplex(chance)
    return of_structure(structure, words, {"gc": [30, 70]}, engine={"parameters": "dna"})


@kind("files of parameters")
def parameters(chance: Random) -> Example:
    name = chance.choice(sorted(FILES))
    return of_structure(
        hairpins(chance, 1), ["--engine", name], engine={"parameters": name}, files=FILES
    )


@kind("no lonely pairs")
def lonely(chance: Random) -> Example:
    return of_structure(hairpins(chance), ["--no-lonely-pairs"], engine={"no_lonely_pairs": True})


@kind("dangles")
def dangles(chance: Random) -> Example:
    number = chance.choice([0, 1, 3])
    return of_structure(hairpins(chance), ["--dangles", str(number)], engine={"dangles": number})


@kind("modified bases")
def modified(chance: Random) -> Example:
    structure = hairpins(chance)
    if chance.random() < 0.5:
        return of_structure(
            structure, ["--modified", "pseudouridine"], engine={"modified": {"pseudouridine": []}}
        )
    places = sorted(chance.sample([i for i, mark in enumerate(structure) if mark == "."], 2))
    bases = "".join("A" if i in places else "N" for i in range(len(structure)))
    word = "m6A:" + ":".join(str(i + 1) for i in places)
    found = of_structure(
        structure, ["--modified", word], {"bases": bases},
        engine={"modified": {"m6A": [i + 1 for i in places]}},
    )  # fmt: skip
    return found._replace(target=structure + "\n")  # what is modified fixes its base


@kind("columns of tables")
def columns(chance: Random) -> Example:
    structure = hairpins(chance)
    text = f"name;structure;gc;forbid\nx;{structure};45-55;GGNCC,UUU\n"
    asked = {"gc": [45, 55], "forbid": ["GGNCC", "UUU"], "synthesis": False}
    return of_structure(structure, [], asked)._replace(target=text)


@kind("objectives")
def objectives(chance: Random) -> Example:
    return of_structure(
        hairpins(chance), ["--objective", chance.choice(["probability", "defect"])],
        {"probability": True},
    )  # fmt: skip


@kind("palindromes")
def palindromes(chance: Random) -> Example:
    words = ["--forbid", "synthesis,palindromes"]
    structure = chance.choice([hairpins(chance, 1), "." * 30])
    return of_structure(structure, words, {"palindromes": True, "synthesis": True})


@kind("quadruplexes")
def quadruplexes(chance: Random) -> Example:
    """Three tracts of G and free bases for a fourth; or all four, permitted."""
    linker = chance.choice(["AA", "ACA", "CAA"])
    permitted = chance.random() < 0.5
    fourth = "GGG" if permitted else "NNN"
    bases = f"A{linker.join(['GGG', 'GGG', 'GGG', fourth])}A"
    structure = "." * len(bases) + hairpins(chance, 1).strip(".")
    bases += "N" * (len(structure) - len(bases))
    words = ["--quadruplex"] if permitted else []
    return of_structure(structure, words, {"bases": bases, "quadruplex": permitted})


@kind("synthesis")
def synthesis(chance: Random) -> Example:
    """Helices, and stretches that are open, in which runs come of themselves."""
    return of_structure(hairpins(chance) + "." * chance.randint(10, 40), [])


@kind("order sheets")
def orders(chance: Random) -> Example:
    found = chance.choice([of_structure(hairpins(chance), []), strands(chance)])
    return found._replace(words=[*found.words, "--order", "order.tsv"])
