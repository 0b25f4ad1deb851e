"""Energy of a structure, loop by loop."""

from __future__ import annotations

import numpy as np
import pytest
import RNA

from solver.domains.rna.engines import use_engine
from solver.domains.rna.fold.check import (
    CHECKED,
    codes_of,
    load_fold_parameters,
    pairs_of,
    structure_energy,
)
from solver.domains.rna.fold.loops import structure_loops
from solver.domains.rna.fold.parameters import FoldParameters
from solver.domains.rna.text import PAIRS


def parameters() -> FoldParameters:
    found = load_fold_parameters("vienna2")
    assert found is not None
    return found


def loops_of(sequence: str, structure: str) -> dict[int, int]:
    """Energy of each loop by the 5' base of the pair that closes it."""
    first, energy = np.zeros((2, len(sequence) + 1), np.int32)
    code, pairs = codes_of(sequence), pairs_of(structure)
    count = structure_loops(parameters(), code, pairs, first, energy)
    return dict(zip(first[:count].tolist(), energy[:count].tolist(), strict=True))


def test_loops_of_a_hairpin() -> None:
    """Three stacks of Turner 2004 and the tetraloop CUUCGG; outside of all is nothing."""
    loops = loops_of("GCGCUUCGGCGC", "((((....))))")
    assert loops == {0: 0, 1: -340, 2: -240, 3: -340, 4: 370}


@pytest.mark.parametrize("structure", CHECKED)
def test_loops_are_viennarnas(structure: str) -> None:
    """Each loop of a structure that is no fold has ViennaRNA's energy, and they add up."""
    random = np.random.default_rng(len(structure))
    model, pairs = use_engine("vienna2"), pairs_of(structure)
    for _ in range(10):
        bases = list(random.choice(list("ACGU"), len(structure)))
        for i, j in enumerate(pairs.tolist()):
            if j > i:
                bases[i - 1], bases[j - 1] = list(str(random.choice(PAIRS)))
        sequence = "".join(bases)
        compound = RNA.fold_compound(sequence, model)
        table = [len(structure), *pairs.tolist()[1:]]
        loops = loops_of(sequence, structure)
        assert loops == {i: compound.eval_loop_pt(i, table) for i in loops}
        total = round(compound.eval_structure(structure) * 100)
        assert sum(loops.values()) == total == structure_energy(parameters(), sequence, structure)
