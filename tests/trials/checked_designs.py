"""Designs checked from their letters, by ViennaRNA alone: nothing is shared with the search."""

from __future__ import annotations

import re
from typing import Any

from tests.solver.domains.rna.plain_designs import LETTERS, gc
from tests.solver.domains.rna.plain_structures import agrees

#: Motifs that are drawn, with the letters that a checker looks for.
MOTIFS = {
    "GGNCC": ["GG[ACGU]CC"], "G4": ["GGGG"], "A-run": ["AAAAAA"], "EcoRI": ["GAAUUC"],
    "GNRA": ["G[ACGU][AG]A"], "BsaI": ["GGUCUC", "GAGACC"], "UUU": ["UUU"], "C3": ["CCC"],
}  # fmt: skip
SAME = 0.011  # kcal/mol: energies are printed with two digits


def model_of(engine: str) -> Any:
    """ViennaRNA's model details of an engine's name; Turner 2004 is all that this process has."""
    import RNA

    parts = re.fullmatch(r"vienna2(?:@([\d.]+)C)?(?:-d(\d))?(-noLP)?(\+.*)?", engine)
    if parts is None:
        return None
    model = RNA.md()
    model.dangles, model.temperature = int(parts[2] or 2), float(parts[1] or 37)
    model.noLP = int(bool(parts[3]))
    return model


def compound_of(text: str, model: Any, engine: str) -> Any:
    """ViennaRNA's compound of bases, some of them modified as the name of the engine says."""
    import RNA

    compound = RNA.fold_compound(text, model)
    for word in engine.split("+")[1:]:
        name, *places = word.split(":")
        base = {"m6A": "A", "pseudouridine": "U"}[name]
        every = [i for i, letter in enumerate(text.replace("&", ""), start=1) if letter == base]
        if sites := [int(place) for place in places] or every:
            getattr(compound, f"sc_mod_{name}")(sites)
    return compound


def has_quadruplex(text: str, model: Any, engine: str) -> bool:
    """Return whether the fold of one strand or two has a quadruplex once it may have some.

    Of fewer than 10 bases ViennaRNA 2.7.2 never ends then.
    """
    found = []
    model.gquad = 1
    for part in [text, *text.split("&")]:
        if len(part) < 11:
            model.gquad = 0
        found.append(compound_of(part, model, engine).mfe())
        model.gquad = 1
    model.gquad = 0
    (fold, energy), *apart = found
    if sum(each for _, each in apart) < energy:
        fold = "".join(structure for structure, _ in apart)
    return "+" in fold


def residue(codon: str) -> str:
    """Residue of a codon in the standard code, of NCBI's table in the order U, C, A, G."""
    if len(codon) < 3:
        return "-"
    table = "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"
    place = 0
    for base in codon:
        place = 4 * place + "UCAG".index(base)
    return table[place]


def lacking_states(line: dict[str, Any], document: str) -> list[str]:
    """Return what is wrong with strands that `document_of` has drawn, folded anew."""
    one, two = line["sequence"].split("&")
    turned = two.translate(str.maketrans("ACGU", "UGCA"))[::-1]
    found = ["complement"] * (not one.startswith(turned))
    model = model_of(line["engine"])
    if model is None:
        return found
    a, rest = len(two), len(one) - len(two)
    asked = {f"{one}&{two}": "(" * a + "." * rest + ")" * a}
    if alone := re.search(r"^state alone: one = \.([.N])(\d+)$", document, re.MULTILINE):
        asked[one] = "." + alone[1] * int(alone[2])
    for text, structure in asked.items():
        compound = compound_of(text, model, line["engine"])
        fold, _ = compound.mfe_dimer() if "&" in text else compound.mfe()
        found += ["fold"] * (not agrees(structure, fold))
    return found


def hard_to_make(
    sequence: str, forbidden: str, options: dict[str, str], text: str
) -> list[tuple[str, int]]:
    """Runs and repeats that no fixed bases force and no required motif has, and places from 1."""
    named = {(word, int(at)) for word, at in re.findall(r"([ACGU]+) at (\d+)", forbidden)}
    required = MOTIFS.get(options.get("--require", ""), [])
    found = []
    for match in re.finditer(r"(?=(GGGG|CCCC|A{6}|U{6}|(?:(?!(.)\2)(..))\3{3}))", text):
        place = match.start() + 1 - text[: match.start()].count("&")
        if match[1] and not any(match[1] in motif for motif in required):
            found.append((match[1], place))
    return [one for one in found if one not in named]


def lacking(line: dict[str, Any], target: str, bases: str, options: dict[str, str]) -> list[str]:
    """Return the requests that a sequence does not meet, computed anew."""
    text, structures = line["sequence"], [part.replace("&", "") for part in target.split("|")]
    sequence = text.replace("&", "")
    found = []
    if len(sequence) != len(structures[0]) or text.find("&") != target.split("|")[0].find("&"):
        return ["length"]
    letters = "".join(LETTERS[letter] for letter in bases) or "." * len(sequence)
    if not re.fullmatch(letters, sequence):
        found.append("bases")
    for structure in structures:
        opened = []
        for position, character in enumerate(structure):
            if character == "(":
                opened.append(position)
            elif character == ")":
                pair = sequence[opened.pop()] + sequence[position]
                found += ["pairs"] * (pair not in ("AU", "UA", "GC", "CG", "GU", "UG"))
    least, most = map(float, options.get("--gc", "0-100").split("-"))
    found += ["gc"] * (not least - 1e-6 <= gc(sequence) <= most + 1e-6)
    if options.get("--gc-window"):
        part, _, length = options["--gc-window"].partition(":")
        least, most = map(float, part.split("-"))
        for strand in text.split("&"):
            shares = [gc(strand[i : i + 10]) for i in range(len(strand) - int(length) + 1)]
            found += ["window"] * any(not least <= share <= most for share in shares)
    if options.get("--protein"):
        start, _, residues = options["--protein"].rpartition(":")
        first = int(start or 1) - 1
        codons = [sequence[i : i + 3] for i in range(first, first + 3 * len(residues), 3)]
        found += ["protein"] * ("".join(map(residue, codons)) != residues.upper())
    for option, wanted in (("--forbid", False), ("--require", True)):
        for motif in filter(None, options.get(option, "").split(",")):
            has = any(re.search(pattern, text) for pattern in MOTIFS[motif])
            found += [option] * (has != wanted)
    if "--forbid" not in options:
        found += ["synthesis"] * bool(hard_to_make(sequence, line["forbidden"], options, text))
    model = model_of(line["engine"])
    if model is not None:
        found += ["quadruplex"] * has_quadruplex(text, model, line["engine"])
        compound = compound_of(text, model, line["engine"])
        fold, lowest = compound.mfe_dimer() if "&" in text else compound.mfe()
        if len(structures) == 1:
            found += ["fold"] * (not agrees(structures[0], fold))
        elif model.dangles < 3 and "+" not in line["engine"]:  # ViennaRNA evaluates those otherwise
            energies = [compound.eval_structure(structure) for structure in structures]
            within = float(options.get("--within", 1))
            found += ["fold"] * (max(energies) - lowest > within + SAME)
        gap = float(options.get("--gap", 0))
        if gap and "fold" not in found:
            near = [other.structure for other in compound.subopt(int(100 * gap) - 2)]
            found += ["gap"] * (set(near) > {structures[0]})
    return found
