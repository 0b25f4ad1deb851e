"""Answers of `solve rna` computed anew from their letters, by ViennaRNA and nothing else.

    python -m tests.trials.plain_vienna < example.json

The example has `engine` (parameters and model details), `asked` (requests, as
`tests.trials.examples` writes them), and `lines` (answers); printed is a list of what is wrong. It
is a process of its own: ViennaRNA keeps the parameters of one.
"""

from __future__ import annotations

import itertools
import json
import math
import re
import sys
from collections.abc import Iterator
from typing import Any

import RNA

from tests.solver.domains.rna.plain_structures import agrees, gc, pairs_of

SAME = 0.011  # kcal/mol: energies are printed with two digits
PAIRS = ("AU", "UA", "GC", "CG", "GU", "UG")
IUPAC = {
    "A": "A", "C": "C", "G": "G", "U": "U", "R": "AG", "Y": "CU", "S": "CG", "W": "AU", "K": "GU",
    "M": "AC", "B": "CGU", "D": "AGU", "H": "ACU", "V": "ACG", "N": "ACGU",
}  # fmt: skip
TURNED = str.maketrans("ACGU", "UGCA")
#: ViennaRNA's manual, of theophylline.
LIGAND = "GAUACCAG&CCCUUGGCAGC", "(...((((&)...)))...)", -9.22
PARAMETERS = {
    "dna": RNA.params_load_DNA_Mathews2004,
    "t99": RNA.params_load_RNA_Turner1999,
    "": RNA.params_load_RNA_Turner2004,
}
#: Strands of three in groups that do not cross.
GROUPS = {
    1: [[[0]]],
    2: [[[0, 1]], [[0], [1]]],
    3: [[[0, 1, 2]], [[0, 1], [2]], [[0], [1, 2]], [[0, 2], [1]], [[0], [1], [2]]],
}
SYNTHESIS = r"(?=(GGGG|CCCC|A{6}|U{6}|(?:(?!(.)\2)(..))\3{3}))"


def pattern(motif: str) -> str:
    """Regular expression of IUPAC letters."""
    return "".join(f"[{IUPAC[letter]}]" for letter in motif)


class Molecules:
    """The strands of a state, folded as an engine says."""

    def __init__(self, engine: dict[str, Any], state: dict[str, Any], strands: list[str]) -> None:
        self.engine = engine
        self.model = self.details()
        self.modified = engine.get("modified", {})
        self.strands = [strands[i] for i in state.get("strands", range(len(strands)))]
        self.asked = [structure.replace("&", "") for structure in state["asked"]]
        self.ligand = state.get("ligand", False)
        self.text = "&".join(self.strands)
        self.letters = "".join(self.strands)
        self.kt = (self.model.temperature + 273.15) * 1.98717 / 1000
        self.is_plain = not self.modified and self.model.dangles < 3
        self.has_ensemble = self.is_plain and self.model.dangles != 1 and not self.model.noLP

    def details(self, quadruplex: bool = False) -> Any:
        """ViennaRNA's model details."""
        model = RNA.md()
        model.temperature = self.engine.get("celsius", 37.0)
        model.dangles = self.engine.get("dangles", 2)
        model.noLP = int(self.engine.get("no_lonely_pairs", False))
        model.gquad = int(quadruplex)
        return model

    def compound(self, text: str, model: Any = None) -> Any:
        """ViennaRNA's compound, with modified bases and ligand."""
        compound = RNA.fold_compound(text, model or self.model)
        for name, places in self.modified.items():
            base = {"m6A": "A", "pseudouridine": "U"}[name]
            letters = text.replace("&", "")
            every = [i for i, letter in enumerate(letters, start=1) if letter == base]
            if sites := places or every:
                getattr(compound, f"sc_mod_{name}")(sites)
        if self.ligand:
            compound.sc_add_hi_motif(*LIGAND)
        return compound

    def fold(self, permitting: Any = None) -> tuple[str, float]:
        """Structure of least energy of the strands, together or apart, and its energy.

        `permitting` are model details with quadruplexes, with which ViennaRNA 2.7.2 never ends of
        fewer than 10 bases.
        """
        if len(self.strands) == 2 and permitting is None:
            return tuple(self.compound(self.text).mfe_dimer())
        best = "", math.inf
        for groups in GROUPS[len(self.strands)]:
            parts, total = [""] * len(self.strands), 0.0
            for group in groups:
                text = "&".join(self.strands[i] for i in group)
                structure, energy = self.compound(
                    text, permitting if len(text) > 11 else None
                ).mfe()
                total += energy
                for i in group:
                    parts[i] = structure[: len(self.strands[i])]
                    structure = structure[len(self.strands[i]) :]
            if total < best[1] - 1e-6:
                best = "".join(parts), total
        return best

    def ensemble(self, constraint: str = "") -> float:
        """Free energy of all structures, of two strands together and apart."""
        compound = self.compound(self.text)
        if constraint:
            marks = constraint.replace(".", "x").replace("N", ".")
            enforced = RNA.CONSTRAINT_DB_DEFAULT | RNA.CONSTRAINT_DB_ENFORCE_BP
            compound.hc_add_from_db(marks, enforced)
        compound.exp_params_rescale(self.fold()[1])
        if len(self.strands) == 1:
            return float(compound.pf()[1])
        _, one, other, dimer, _ = compound.pf_dimer()
        least = min(one + other, dimer)
        weights = (math.exp((least - each) / self.kt) for each in (one + other, dimer))
        return float(least - self.kt * math.log(sum(weights)))

    def share(self) -> float:
        """Share of the structures that are asked for in the ensemble."""
        whole, compound = self.ensemble(), self.compound(self.text)
        parts = [
            self.ensemble(known) if "N" in known else compound.eval_structure(known)
            for known in self.asked
        ]
        return sum(math.exp((whole - part) / self.kt) for part in parts)

    def bound(self, micromolar: float) -> float:
        """Share of two strands that is bound to the other, by steps of mass action."""
        constants = []
        one, other = self.strands
        for both in ((one, other), (one, one), (other, other)):
            compound = self.compound("&".join(both))
            compound.exp_params_rescale(compound.mfe_dimer()[1])
            _, a, b, ab, _ = compound.pf_dimer()
            constants.append(math.exp((a + b - ab) / self.kt))
        total = micromolar * 1e-6
        if one == other:  # all there is are dimers of one strand, which has twice the concentration
            constants, total = [0.0, constants[0], 0.0], 2 * total
        x = y = total
        for _ in range(20_000):
            new_x = total / (1 + constants[0] * y + 2 * constants[1] * x)
            new_y = total / (1 + constants[0] * x + 2 * constants[2] * y)
            if abs(new_x - x) <= 1e-13 * x and abs(new_y - y) <= 1e-13 * y:
                break
            x, y = math.sqrt(x * new_x), math.sqrt(y * new_y)
        return 1 - x / total if one == other else constants[0] * x * y / total


def letters_wrong(line: dict[str, Any], asked: dict[str, Any]) -> Iterator[str]:
    """Yield the requests on letters that a sequence does not meet."""
    text = line["sequence"].replace("T", "U")
    sequence, strands = text.replace("&", ""), text.split("&")
    if [len(strand) for strand in strands] != asked["lengths"]:
        yield "lengths"
        return
    if not re.fullmatch(pattern(asked.get("bases", "")) or ".*", sequence):
        yield "bases"
    least, most = asked.get("gc", (0, 100))
    if not least - 1e-6 <= gc(sequence) <= most + 1e-6 or abs(line["gc"] - gc(sequence)) > 0.006:
        yield "gc"
    if "window" in asked:
        least, most, length = asked["window"]
        for strand in strands:
            for i in range(len(strand) - length + 1):
                if not least - 1e-6 <= gc(strand[i : i + length]) <= most + 1e-6:
                    yield "window"
    for motif in asked.get("forbid", ()):
        if re.search(pattern(motif), text):
            yield f"{motif} occurs"
    for motif in asked.get("require", ()):
        if not re.search(pattern(motif), text):
            yield f"{motif} does not occur"
    if asked.get("synthesis") and any(hit[1] for hit in re.finditer(SYNTHESIS, text)):
        yield "hard to make"
    if asked.get("palindromes"):
        for i in range(len(text) - 7):
            if text[i : i + 8] == text[i : i + 8].translate(TURNED)[::-1]:
                yield "palindrome"
    for first, length, second in asked.get("complements", ()):
        other = sequence[second : second + length]
        if sequence[first : first + length] != other.translate(TURNED)[::-1]:
            yield "complement"
    for first, words in asked.get("words", ()):
        if not any(sequence.startswith(word, first) for word in words):
            yield "words"
    if "protein" in asked:
        first, residues, code = asked["protein"]
        table = dict(zip(map("".join, itertools.product("UCAG", repeat=3)), code, strict=True))
        codons = [sequence[i : i + 3] for i in range(first, first + 3 * len(residues), 3)]
        if [table[codon] for codon in codons] != list(residues):
            yield "protein"
        if "usage" in asked:
            most = {
                residue: max(asked["usage"][codon] for codon in table if table[codon] == residue)
                for residue in set(residues)
            }
            synonyms = list(table.values())
            shares = [
                asked["usage"][codon] / most[table[codon]]
                for codon in codons
                if synonyms.count(table[codon]) > 1
            ]
            index = math.exp(sum(map(math.log, shares)) / len(shares))
            if abs(line["cai"] - index) > 0.001:
                yield f"cai {index}"
    if "near" in asked:
        changes = sum(a not in ("N", b) for a, b in zip(asked["near"], sequence, strict=True))
        if line["changes"] != changes:
            yield f"changes {changes}"


def between_wrong(lines: list[dict[str, Any]], asked: dict[str, Any]) -> Iterator[str]:
    """Yield what is wrong between designs."""
    if len(lines) != asked.get("designs", 1):
        yield "another number of designs"
    sequences = [line["sequence"].replace("T", "U") for line in lines]
    length = asked.get("shared", 0) + 1
    for number, one in enumerate(sequences):
        others = sequences[:number]
        distances = [sum(a != b for a, b in zip(one, other, strict=True)) for other in others]
        if distances and min(distances) < asked.get("distance", 1):
            yield "distance"
        if distances and lines[number]["distance"] != min(distances):
            yield "distance that is printed"
        if length > 1:
            stretches = {one[i : i + length] for i in range(len(one) - length + 1)}
            for other in (*others, *asked.get("apart", ())):
                turned = other.translate(TURNED)[::-1]
                if any(each in other or each in turned for each in stretches):
                    yield "stretch in common"


def fold_wrong(line: dict[str, Any], asked: dict[str, Any], engine: Any) -> Iterator[str]:
    """Yield what is wrong with folds, energies and ensembles."""
    strands = line["sequence"].replace("T", "U").split("&")
    states = [Molecules(engine, state, strands) for state in asked["states"]]
    energies: list[float] = []
    for number, state in enumerate(states):
        fold, lowest = state.fold()
        compound = state.compound(state.text)
        for known in state.asked:
            partners = pairs_of(known)
            if any(state.letters[i] + state.letters[j] not in PAIRS for i, j in partners.items()):
                yield "pairs"
        if number == 0 and abs(line["energy"] - lowest) > SAME:
            yield f"energy {lowest:.2f}"
        if len(state.asked) == 1:
            energies.append(lowest)
            if not agrees(state.asked[0], fold):
                yield f"fold {fold}"
        else:
            found = [compound.eval_structure(known) for known in state.asked]
            energies += found
            if max(found) - lowest > asked.get("within", 1.0) + SAME:
                yield "within"
        fold, energy = state.fold(state.details(quadruplex=True))
        if asked.get("quadruplex"):
            known = line["quadruplex"]
            if (known is not None) != ("+" in fold) or abs((known or energy) - energy) > SAME:
                yield f"quadruplex {energy:.2f}"
        elif "+" in fold and not state.ligand:
            yield "quadruplex"
    if line.get("energies"):
        printed = [float(word) for word in line["energies"].split()]
        if len(printed) != len(energies) or any(
            abs(a - b) > SAME for a, b in zip(printed, energies, strict=True)
        ):
            yield f"energies {energies}"
    yield from ensemble_wrong(line, asked, states)


def ensemble_wrong(
    line: dict[str, Any], asked: dict[str, Any], states: list[Molecules]
) -> Iterator[str]:
    """Yield what is wrong with probabilities and what follows from them."""
    if line.get("ensemble_energy"):
        for word, state in zip(line["ensemble_energy"].split(), states, strict=True):
            if abs(float(word) - state.ensemble()) > SAME:
                yield f"ensemble energy {state.ensemble():.2f}"
    if line.get("probability") is not None:
        share = math.prod(state.share() for state in states)
        if abs(line["probability"] - min(share, 1.0)) > 0.003 * share + 2e-6:
            yield f"probability {share:.6f}"
    elif asked.get("probability"):
        yield "no probability"
    (first, *_) = states
    compound = first.compound(first.text)
    if line.get("defect") is not None:
        compound.exp_params_rescale(first.fold()[1])
        compound.pf()
        defect = compound.ensemble_defect(first.asked[0])
        if abs(line["defect"] - defect) > 0.003 * defect + 2e-6:
            yield f"defect {defect:.6f}"
    gap = line.get("gap")
    if asked.get("gap", 0) > (gap or 0) + SAME:
        yield "a narrow gap"
    if gap is not None and gap < 4:
        energy = compound.eval_structure(first.asked[0])
        listed = [
            (known.energy, known.structure.replace("&", ""))
            for known in compound.subopt(round(100 * gap) + 1)
        ]
        if len(first.strands) == 2:
            folds = [first.compound(strand).mfe() for strand in first.strands]
            listed.append((folds[0][1] + folds[1][1], folds[0][0] + folds[1][0]))
        others = [each for each, known in listed if known != first.asked[0]]
        if not others or abs(min(others) - energy - gap) > SAME:
            yield f"gap {min(others, default=math.inf) - energy:.2f}"
    if "concentration" in asked:
        shares = [state.bound(asked["concentration"]) for state in states if state.text.count("&")]
        printed = line["bound"] if isinstance(line["bound"], list) else [line["bound"]]
        if len(shares) != len(printed) or any(
            abs(a - b) > 0.003 for a, b in zip(shares, printed, strict=True)
        ):
            yield f"bound {shares}"
        if any(share < asked.get("bound", 0.0) - 0.003 for share in shares):
            yield "not bound"


def main() -> None:
    """Read an example and print what is wrong."""
    example = json.load(sys.stdin)
    engine, asked, lines = example["engine"], example["asked"], example["lines"]
    name = engine.get("parameters", "")
    if name in PARAMETERS:
        PARAMETERS[name]()
    else:
        RNA.params_load(name)
    found = list(between_wrong(lines, asked))
    for line in lines:
        if wrong := list(letters_wrong(line, asked)):
            found += wrong
        else:
            found += fold_wrong(line, asked, engine)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
