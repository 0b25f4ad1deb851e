"""Energies for folding, taken into use only where they are ViennaRNA's."""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.domains.rna.engines import engine_called, use_engine
from solver.domains.rna.fold.loops import loop_energy
from solver.domains.rna.fold.parameters import CODES, INFINITE, FoldParameters, read_fold_parameters
from solver.domains.rna.fold.vectors import Int32s
from solver.domains.rna.text import PAIRS, pair_partners
from solver.system.forks import lock_over_forks

#: Structures that have all kinds of loops between them: hairpins of each size that has rules of its
#: own, all small interior loops, bulges, long ones, multiloops, with and without bases that dangle.
CHECKED = (
    "..((...))(((....)))((((.....))))...((......))..((.......)).",
    "((.((.(((..((..(((...((.((....))..))...)))....))..)))..))...)).",
    "(((..((.((...((((....((....((((...))))..))...))))...))....)).)))",
    "((.((...((....))...((....)).)).((....))))....((((....))((...)))).",
    "(.((....)).(((....)))....((....)))((((....((....))....)))).",
    "((.((....)).))((.((....))..))((..((....)).))((..((....))..))",
    "((..((....))...))((...((....))..))((.((....))...))((....((....)).))",
    "((.((....))))(((((....)).)))((..((....))))(((....((....)))))((...((....))...))",
    "((((" + "." * 31 + "))))((" + "." * 15 + "((....))" + "." * 15 + "))",
    "((" + "." * 30 + "((...))))((" + "." * 48 + "))((.((....))" + "." * 28 + "))",
)
#: Sequences drawn for each.
_REPEATS = 8
#: Structures of so much energy, in 1/100 kcal/mol, have a loop that is never formed.
_NEVER = INFINITE // 2

_lock = lock_over_forks()
_checked: dict[str, FoldParameters | None] = {}


def codes_of(sequence: str) -> Int32s:
    """Codes of the bases, int32[n + 10], with 0 before and behind them."""
    codes = np.zeros(len(sequence) + 10, np.int32)
    codes[1 : len(sequence) + 1] = [CODES[base] for base in sequence]
    return codes


def pairs_of(structure: str) -> Int32s:
    """Partners of the positions 1 ... n, int32[n + 1], 0 of those that are unpaired."""
    partners = pair_partners(structure, "structure")
    return np.array([0, *(partner + 1 for partner in partners)], np.int32)


def structure_energy(parameters: FoldParameters, sequence: str, structure: str) -> int:
    """Energy of a structure in 1/100 kcal/mol."""
    code, pairs = codes_of(sequence), pairs_of(structure)
    openings = [0, *(i for i in range(1, len(pairs)) if pairs[i] > i)]
    return sum(int(loop_energy(parameters, code, pairs, i)) for i in openings)


def _drawn(structure: str, random: np.random.Generator) -> str:
    """A sequence that can form `structure`."""
    bases = list(random.choice(list(CODES), len(structure)))
    for i, partner in enumerate(pair_partners(structure, "structure")):
        if partner > i:
            bases[i], bases[partner] = list(str(random.choice(PAIRS)))
    return "".join(bases)


def _hairpin(number: int) -> str:
    """Sequence of a hairpin by its number (`special_number`)."""
    bases = ""
    while number > 1:
        number, digit = divmod(number, 4)
        bases = "ACGU"[digit] + bases
    return bases


def special_hairpins(parameters: FoldParameters) -> list[str]:
    """Hairpins with energies of their own, with their pairs."""
    return [_hairpin(number) for number in parameters.special.tolist() if number]


def agrees(parameters: FoldParameters, model: Any) -> bool:
    """Return whether energies agree with ViennaRNA's, for structures with every kind of loop."""
    import RNA

    random = np.random.default_rng(0)
    cases = [(_drawn(structure, random), structure) for structure in CHECKED * _REPEATS]
    for loop in special_hairpins(parameters):
        cases.append((loop, f"({'.' * (len(loop) - 2)})"))
    for sequence, structure in cases:
        compound = RNA.fold_compound(sequence, model, RNA.OPTION_EVAL_ONLY)
        theirs = round(compound.eval_structure(structure) * 100)
        energy = structure_energy(parameters, sequence, structure)
        if energy != theirs and min(energy, theirs) < _NEVER:
            return False
    return True


def load_fold_parameters(engine: str) -> FoldParameters | None:
    """Load the energies of `engine`, for the rest of the process.

    Returns
    -------
    FoldParameters or None
        None if this version of ViennaRNA keeps them otherwise than is known here: then only
        ViennaRNA can fold.
    """
    with _lock:
        if engine not in _checked and not engine_called(engine).is_compiled:
            _checked[engine] = None
        if engine not in _checked:
            found = read_fold_parameters(engine)
            known = found is not None and agrees(found, use_engine(engine))
            _checked[engine] = found if known else None
        return _checked[engine]
