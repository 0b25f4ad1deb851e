"""The partition function of the project: ViennaRNA's, whatever was read before."""

from __future__ import annotations

import math

import numpy as np
import pytest
import RNA

from benchmarks.rna_ensemble import chi_square
from solver.compiling.random import new_stream
from solver.domains.rna.engines import use_engine
from solver.domains.rna.ensemble.factors import Ensembles, load_ensembles
from solver.domains.rna.ensemble.partition import PartitionFunction
from tests.helpers import needs_jit
from tests.solver.domains.rna.comparisons import said_by_program, said_by_script
from tests.solver.domains.rna.plain_designs import energies

ENGINE = "vienna2"
SHORT = ["GCGCUUCGGCGC", "GGGGUUUUCCCC", "GGUCAAAAGAUC", "GCCAAAAAUGGC"]
THERMAL = 0.6163207755  # kcal/mol at 37 C


@pytest.fixture(scope="module")
def ensembles() -> Ensembles:
    found = load_ensembles(ENGINE)
    assert found is not None
    return found


def random_sequence(n: int, random: np.random.Generator) -> str:
    return "".join(random.choice(list("ACGU"), n))


def check(partition: PartitionFunction, sequence: str, *, pairs: bool = True) -> None:
    """Read a sequence and compare what ViennaRNA says."""
    energy = partition.read(sequence)
    compound = RNA.fold_compound(sequence, use_engine(ENGINE))
    compound.exp_params_rescale(energy)
    assert energy == pytest.approx(compound.pf()[1], abs=1e-3)
    if pairs:
        theirs = np.array(compound.bpp())[1:, 1:]
        assert np.abs(partition.pairs() - theirs).max() < 1e-6


#: The comparison of `benchmarks.rna_ensemble agree` with shorter walks: ViennaRNA takes most of it.
AGREE = """
import json, sys
from benchmarks.rna_ensemble import agreement
found = agreement(sys.argv[1], 120, longest=150)
print(json.dumps({"sequences": found.count} | found.found))
sys.exit(not found.acceptable())
"""


@pytest.mark.slow
@needs_jit
@pytest.mark.parametrize("engine", ["vienna2", "t99d2", "vienna2@25C", "t99d2@61.5C"])
def test_every_engine_is_viennarna(engine: str) -> None:
    """Free energies, probabilities and defects are the same: special loops, and walks of bases."""
    found = said_by_script(AGREE, engine)
    assert found["sequences"] > 400
    assert max(found[name] for name in ("pairs", "target", "defect")) <= 1e-6


@pytest.mark.slow
@needs_jit
def test_the_program_that_compares() -> None:
    """It says as much of walks of up to 400 bases, and ends well."""
    found = said_by_program("benchmarks.rna_ensemble", "agree", ENGINE, "20")
    assert found["sequences"] > 300
    assert max(found[name] for name in ("pairs", "target", "defect")) <= 1e-6


@pytest.mark.parametrize(
    "sequence", ["GCGCUUCGGCGC", "GGGGUUUUCCCC", "GGUCAAAAGAUC", "GCCAAAAAUGGC"]
)
def test_against_all_structures(sequence: str, ensembles: Ensembles) -> None:
    """Boltzmann weights of all structures, added up, give the free energy, pairs and defects."""
    known = energies(sequence, 60.0)
    weights = {found: math.exp(-energy / THERMAL) for found, energy in known.items()}
    total = sum(weights.values())
    partition = PartitionFunction(len(sequence), ensembles)
    # ViennaRNA's factors of dangles near 0 are smoothed, its energies are not
    assert partition.read(sequence) == pytest.approx(-THERMAL * math.log(total), abs=0.02)
    pairs = np.zeros((len(sequence), len(sequence)))
    for structure, weight in weights.items():
        assert partition.probability(structure) == pytest.approx(weight / total, abs=0.01)
        table = RNA.ptable(structure)
        for i in range(1, len(table)):
            if table[i] > i:
                pairs[i - 1, table[i] - 1] += weight / total
    assert np.abs(partition.pairs() - pairs).max() < 0.01
    paired = pairs.sum(axis=0) + pairs.sum(axis=1)
    assert partition.defects("." * len(sequence)) == pytest.approx(paired, abs=0.01)


@pytest.mark.slow
@needs_jit
@pytest.mark.parametrize("n", [1, 4, 5, 9, 20, 61, 130])
def test_a_workspace_forgets_what_it_read_before(n: int, ensembles: Ensembles) -> None:
    """Other sequences, nearby and far, leave nothing behind, with pairs asked for or not."""
    random = np.random.default_rng(n)
    partition = PartitionFunction(n, ensembles)
    first = random_sequence(n, random)
    for turn in range(6):
        for sequence in (first, random_sequence(n, random), "A" * n, ("GC" * n)[:n]):
            check(partition, sequence, pairs=turn % 2 == 0)


@needs_jit
@pytest.mark.parametrize("site", [0, 1, 2, 30, 57, 58, 59])
def test_one_site_and_back(site: int, ensembles: Ensembles) -> None:
    """A change at either end and in the middle, and its taking back, are seen."""
    random = np.random.default_rng(site)
    partition = PartitionFunction(60, ensembles)
    for _ in range(4):
        sequence = random_sequence(60, random)
        for base in "ACGU":
            check(partition, sequence[:site] + base + sequence[site + 1 :])
        check(partition, sequence)


@pytest.mark.slow
@needs_jit
def test_changes_far_apart_and_side_by_side(ensembles: Ensembles) -> None:
    """Any set of changed sites, from two neighbours to one in five, is filled completely."""
    random = np.random.default_rng(7)
    partition = PartitionFunction(150, ensembles)
    bases = list(random_sequence(150, random))
    sets = [[3, 4], [3, 9], [70, 74, 78], [70, 75, 80], [0, 149], [10, 100, 140], [148, 149]]
    sets += [random.choice(150, count, replace=False).tolist() for count in range(2, 31)]
    for sites in sets:
        for site in sites:
            bases[site] = str(random.choice(list("ACGU")))
        check(partition, "".join(bases), pairs=False)


@pytest.mark.slow
@needs_jit
def test_neither_too_large_nor_too_small(ensembles: Ensembles) -> None:
    """A workspace of 700 bases holds exp(1700) and 1: float64 ends at exp(709)."""
    partition = PartitionFunction(700, ensembles)
    strong = "G" * 348 + "AAAA" + "C" * 348
    for sequence in ("A" * 700, strong, "A" * 700, "A" * 350 + strong[175:525]):
        check(partition, sequence, pairs=False)
    assert partition.read(strong) < -1000


@needs_jit
def test_samples(ensembles: Ensembles) -> None:
    """Structures are drawn as often as they are probable, among them multiloops and bulges."""
    sequences = ("GGGAGGCAAAGCCGGCAAAAGCCGGCAAAGCCACCC", "GGCGAAAGCACUGGCUUCGGUACGACC", "GGGAAACC")
    for number, sequence in enumerate(sequences):
        partition = PartitionFunction(len(sequence), ensembles)
        assert chi_square(partition, sequence, 5_000, number) > 0.001
    partition.read(sequence)
    drawn, again = (list(partition.samples(20, new_stream(3))) for _ in range(2))
    assert drawn == again


def test_another_length_is_refused(ensembles: Ensembles) -> None:
    """A workspace is for sequences of one length."""
    with pytest.raises(ValueError, match="4 bases, expected 5"):
        PartitionFunction(5, ensembles).read("ACGU")
