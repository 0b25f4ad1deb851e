"""Kinds of requests on RNA designs, each an example drawn at random that has an answer, mostly."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import RNA

from tests.trials.plain_vienna import IUPAC, pairs_of
from tests.trials.requests import drawn_structure

FAMILIES = Path(__file__).with_name("riboswitches.tsv")
STANDARD = "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"
MITOCHONDRIAL = "FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIMMTTTTNNKKSS**VVVVAAAADDEEGGGG"
RESIDUES = "ACDEFGHIKLMNPQRSTVWY"
CODONS = [a + b + c for a in "UCAG" for b in "UCAG" for c in "UCAG"]
#: Two strands that hold together, without loops at the nick.
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
    words, engine = ["--celsius", str(celsius)], {"celsius": celsius}
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
    return of_structure(f"{one}{'.' * shift}|{'.' * shift}{one}"[: 2 * (n + shift) + 1], words, asked)


@kind("two strands")
def strands(chance: Random) -> Example:
    return of_structure(duplex(chance), ["--gc", "30-70"], {"gc": [30, 70]})


def document(
    text: str, names: dict[str, int], states: list[tuple[list[int], str, bool]], **more: Any
) -> tuple[str, dict[str, Any]]:
    """Return a document, and what a checker is told of it."""
    told = [{"strands": who, "asked": [what], "ligand": binds} for who, what, binds in states]
    return text, {"lengths": list(names.values()), "states": told, **more}


@kind("three strands")
def three(chance: Random) -> Example:
    a, b, t = chance.randint(7, 10), chance.randint(7, 10), chance.randint(0, 3)
    text = (
        f"domain a = N{a}\ndomain b = N{b}\nstrand one = a b N{t}\nstrand two = b*\n"
        f"strand three = a*\nstate all: one two three = ({a + b}{dots(t)}&){b}&){a}\n"
    )
    asked = "(" * (a + b) + "." * t + ")" * b + ")" * a
    text, told = document(
        text, {"one": a + b + t, "two": b, "three": a}, [([0, 1, 2], asked, False)],
        complements=[[0, a, a + b + t + b], [a, b, a + b + t]],
    )  # fmt: skip
    return Example(text, [], told)


def dots(count: int) -> str:
    """Unpaired positions in a document."""
    return f".{count}" if count else ""


@kind("states")
def states(chance: Random) -> Example:
    """A toehold switch: OFF alone, ON with its trigger."""
    toe, foot, tail = chance.randint(9, 12), chance.randint(7, 9), chance.randint(0, 8)
    text = (
        f"domain toe = N{toe}\ndomain foot = N{foot}\nstrand switch = GG toe foot AACAGAGGAGA foot*"
        f" N{tail}\nstrand trigger = foot* toe*\n"
        f"state OFF: switch = .{toe + 2}({foot}.11){foot}{f'N{tail}' if tail else ''}\n"
        f"state ON: switch trigger = ..({toe + foot}N{11 + foot + tail}&){toe + foot}\n"
    ).replace(" N0", "")
    off = "." * (toe + 2) + "(" * foot + "." * 11 + ")" * foot + "N" * tail
    on = ".." + "(" * (toe + foot) + "N" * (11 + foot + tail) + ")" * (toe + foot)
    first = 2 + toe + 2 * foot + 11 + tail
    text, told = document(
        text, {"switch": first, "trigger": toe + foot}, [([0], off, False), ([0, 1], on, False)],
        complements=[[2, toe + foot, first], [2 + toe, foot, 2 + toe + foot + 11]],
        bases="GG" + "N" * (toe + foot) + "AACAGAGGAGA" + "N" * (foot + tail + toe + foot),
        synthesis=True,
    )  # fmt: skip
    return Example(text, [], told)


@kind("domains")
def domains(chance: Random) -> Example:
    """A domain twice and its complement twice, and a linker of a list."""
    a, loop = chance.randint(6, 9), chance.randint(4, 7)
    linkers = ["".join(chance.choices("ACU", k=5)) for _ in range(4)]
    text = (
        f"domain a = N{a}\ndomain link = {'|'.join(dict.fromkeys(linkers))}\n"
        f"strand s = a N{loop} a* link a N{loop} a*\n"
        f"state s: s = N{4 * a + 2 * loop + 5}\n".replace(f"N{4 * a + 2 * loop + 5}", f"({a}.{loop}){a}.5({a}.{loop}){a}")
    )
    part = "(" * a + "." * loop + ")" * a
    n = 2 * a + loop
    text, told = document(
        text, {"s": 2 * n + 5}, [([0], part + "....." + part, False)],
        complements=[[0, a, a + loop], [n + 5, a, n + 5 + a + loop], [0, a, n + 5 + a + loop]],
        words=[[n, linkers]],
    )  # fmt: skip
    return Example(text, ["--forbid", "none"], told)


@kind("ligand")
def ligand(chance: Random) -> Example:
    """Theophylline's aptamer, closed by a helix, in one strand or in two halves."""
    helix, inner = chance.randint(5, 8), chance.randint(4, 6)
    if chance.random() < 0.5:
        text = (
            f"strand s = NN N{helix} GAUACCAG N{inner} NNNNN N{inner} CCCUUGGCAGC N{helix} NN\n"
            f"state on: s = ..({helix}(...((((({inner}.5){inner})...)))...)){helix}.. ligand theophylline\n"
        ).replace("(...(((((", "(...((((" + "(")
        asked = (
            ".." + "(" * helix + "(...((((" + "(" * inner + "....." + ")" * inner + ")...)))...)"
            + ")" * helix + ".."
        )  # fmt: skip
        text = (
            f"strand s = NN N{helix} GAUACCAG N{2 * inner + 5} CCCUUGGCAGC N{helix} NN\n"
            f"state on: s = {asked} ligand theophylline\n"
        )
        told = document(text, {"s": len(asked)}, [([0], asked, True)])[1]
        return Example(text, [], told)
    text = (
        f"strand left = N{helix} GAUACCAG N4\nstrand right = N4 CCCUUGGCAGC N{helix}\n"
        f"state alone: left = N{helix + 12}\nstate bound: left right = "
        f"({helix}(...((((.4&.4)...)))...)){helix} ligand theophylline\n"
    ).replace(f"N{helix + 12}\n", f".{helix + 12}\n")
    asked = "(" * helix + "(...((((" + "." * 8 + ")...)))...)" + ")" * helix
    told = document(
        text, {"left": helix + 12, "right": helix + 15},
        [([0], "." * (helix + 12), False), ([0, 1], asked, True)],
    )[1]  # fmt: skip
    return Example(text, [], told)


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
    words = "--designs 8 --min-distance 6 --gc 40-60 --max-shared 8".split()
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
    words = "--designs 3 --max-shared 6".split()
    return of_structure(hairpins(chance), words, {"designs": 3, "shared": 6})


@kind("apart from a file")
def apart(chance: Random) -> Example:
    others = ["".join(chance.choices("ACGU", k=60)) for _ in range(3)]
    words = "--max-shared 6 --apart-from others.fa".split()
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
    return of_structure(structure, [])._replace(target=text, name="target.sto")


@kind("connect tables, .bpseq, Eterna")
def formats(chance: Random) -> Example:
    structure = hairpins(chance)
    found, pairs = of_structure(structure, []), pairs_of(structure)
    choice, n = chance.randrange(3), len(structure)
    if choice == 0:
        rows = [f"{i + 1} A {i} {(i + 2) % (n + 1)} {pairs.get(i, -1) + 1} {i + 1}" for i in range(n)]
        return found._replace(target="\n".join([f"{n} x", *rows]) + "\n", name="target.ct")
    if choice == 1:
        rows = [f"{i + 1} A {pairs.get(i, -1) + 1}" for i in range(n)]
        return found._replace(target="\n".join(rows) + "\n", name="target.bpseq")
    puzzle = {"title": "p", "secstruct": structure}
    return found._replace(target=json.dumps({"data": {"puzzle": puzzle}}), name="target.json")


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


@kind("objectives of strands, switches, states")
def objectives_of_all(chance: Random) -> Example:
    found = chance.choice([strands, switches, states_alone])(chance)
    words = [*found.words, "--objective", "probability"]
    return found._replace(words=words, asked=found.asked | {"probability": True})


def states_alone(chance: Random) -> Example:
    """A strand that is open alone, and paired with another."""
    a = chance.randint(6, 10)
    text = (
        f"domain a = N{a}\nstrand one = a\nstrand two = a*\nstate alone: one = .{a}\n"
        f"state both: one two = ({a}&){a}\n"
    )
    both = "(" * a + ")" * a
    told = document(
        text, {"one": a, "two": a}, [([0], "." * a, False), ([0, 1], both, False)],
        complements=[[0, a, a]],
    )[1]  # fmt: skip
    return Example(text, [], told)


@kind("concentrations")
def concentrations(chance: Random) -> Example:
    found = chance.choice([strands, states_alone])(chance)
    micromolar = chance.choice([0.01, 1, 100])
    words = [*found.words, "--concentration", str(micromolar)]
    return found._replace(words=words, asked=found.asked | {"concentration": micromolar})


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
    structure = drawn_structure(chance.randint(30, 70), chance)
    return of_structure(structure, [])


@kind("order sheets")
def orders(chance: Random) -> Example:
    found = chance.choice([of_structure(hairpins(chance), []), strands(chance)])
    return found._replace(words=[*found.words, "--order", "order.tsv"])
