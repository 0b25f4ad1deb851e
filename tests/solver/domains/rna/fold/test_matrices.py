"""The fold of our own: ViennaRNA's energies and structures, whatever was folded before."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import RNA

from solver.compiling.jit import kernel
from solver.domains.rna.engines import use_engine
from solver.domains.rna.fold.call import fold_address, fold_at
from solver.domains.rna.fold.check import load_fold_parameters
from solver.domains.rna.fold.matrices import fold
from solver.domains.rna.fold.parameters import MAX_BASES, FoldParameters, packed
from solver.domains.rna.fold.trace import trace
from solver.domains.rna.fold.workspace import (
    FoldWorkspace,
    new_fold_memory,
    new_fold_workspace,
)
from solver.domains.rna.folding import as_text
from tests.helpers import needs_jit
from tests.solver.domains.rna.comparisons import said_by_program, said_by_script

ROOT = Path(__file__).parents[5]
ENGINE = "vienna2"


@pytest.fixture(scope="module")
def parameters() -> FoldParameters:
    found = load_fold_parameters(ENGINE)
    assert found is not None
    return found


def random_sequence(n: int, random: np.random.Generator) -> str:
    return "".join(random.choice(list("ACGU"), n))


def folded(workspace: FoldWorkspace, parameters: FoldParameters, sequence: str) -> tuple[int, str]:
    """Energy and structure by the fold of our own."""
    energy = fold(workspace, parameters, as_text(sequence))
    trace(workspace, parameters)
    ends = enumerate(workspace.pairs.tolist())
    return energy, "".join("." if q == 0 else "(" if q > p else ")" for p, q in ends if p > 0)


def expected(sequence: str) -> tuple[int, str]:
    """The same by ViennaRNA."""
    structure, energy = RNA.fold_compound(sequence, use_engine(ENGINE)).mfe()
    return round(energy * 100), structure


#: The comparison of `benchmarks.rna_fold agree` with shorter walks: ViennaRNA takes most of it.
AGREE = """
import json, sys
from benchmarks.rna_fold import SEED, agreement
print(json.dumps(agreement(sys.argv[1], 300, SEED, longest=200)))
"""


@needs_jit
@pytest.mark.parametrize("engine", ["vienna1", "t99d2", "vienna2"])
def test_every_engine_folds_as_viennarna_does(engine: str) -> None:
    """Energies, structures and loops are the same: special loops, and walks of changed bases."""
    found = said_by_script(AGREE, engine)
    assert found.pop("folds") > 500
    assert set(found.values()) == {0}


@needs_jit
def test_the_program_that_compares() -> None:
    """It says as much of walks of its own length, and ends well."""
    found = said_by_program("benchmarks.rna_fold", "agree", ENGINE, "60")
    assert found.pop("folds") > 320
    assert set(found.values()) == {0}


@needs_jit
@pytest.mark.parametrize("n", [1, 4, 5, 9, 20, 61, 130])
def test_a_workspace_forgets_what_it_folded_before(n: int, parameters: FoldParameters) -> None:
    """Other sequences, nearby and far, leave nothing behind that a fold could find."""
    random = np.random.default_rng(n)
    workspace = new_fold_workspace(n)
    first = random_sequence(n, random)
    for _ in range(8):
        for sequence in (
            first,
            random_sequence(n, random),
            "A" * n,
            "GC" * (n // 2) + "G" * (n % 2),
        ):
            assert folded(workspace, parameters, sequence) == expected(sequence)


@needs_jit
@pytest.mark.parametrize("site", [0, 1, 2, 30, 57, 58, 59])
def test_one_site_and_back(site: int, parameters: FoldParameters) -> None:
    """A change at either end and in the middle, and its taking back, are seen."""
    random = np.random.default_rng(site)
    workspace = new_fold_workspace(60)
    for _ in range(5):
        sequence = random_sequence(60, random)
        before = folded(workspace, parameters, sequence)
        for base in "ACGU":
            changed = sequence[:site] + base + sequence[site + 1 :]
            assert folded(workspace, parameters, changed) == expected(changed)
        assert folded(workspace, parameters, sequence) == before == expected(sequence)


@needs_jit
def test_changes_far_apart_and_side_by_side(parameters: FoldParameters) -> None:
    """Any set of changed sites, from two neighbours to one in five, is filled completely."""
    random = np.random.default_rng(7)
    workspace = new_fold_workspace(150)
    bases = list(random_sequence(150, random))
    sets = [[3, 4], [3, 9], [70, 74, 78], [70, 75, 80], [0, 149], [10, 100, 140], [148, 149]]
    sets += [random.choice(150, count, replace=False).tolist() for count in range(2, 31)]
    for sites in sets:
        for site in sites:
            bases[site] = str(random.choice(list("ACGU")))
        sequence = "".join(bases)
        assert folded(workspace, parameters, sequence) == expected(sequence)


def has_interior_loop(structure: str, left: int, right: int) -> bool:
    return f"({'.' * left}(" in structure and f"){'.' * right})" in structure


@needs_jit
def test_interior_loops_have_at_most_30_bases(parameters: FoldParameters) -> None:
    """A loop of 30 is found; one of 31 is none, though its helix were better than nothing."""
    for left, right in ((15, 15), (2, 28), (28, 2), (1, 29), (30, 0)):
        found = []
        for longer in (0, 1):
            inner = "A" * left + "GGCGCCCGAAAGGGCGCC" + "A" * (right + longer)
            sequence = f"GCGCGGCG{inner}CGCCGCGC"
            energy, structure = folded(new_fold_workspace(len(sequence)), parameters, sequence)
            assert (energy, structure) == expected(sequence)
            found.append(has_interior_loop(structure, left, right + longer))
        assert found == [True, False]


@needs_jit
def test_the_first_and_the_last_base_can_be_taken_to_pair(parameters: FoldParameters) -> None:
    """With an enforced pair of first and last base the fold is ViennaRNA's with it."""
    random, numbers = np.random.default_rng(11), {True: 0, False: 0}
    enforced = RNA.CONSTRAINT_CONTEXT_ALL_LOOPS | RNA.CONSTRAINT_CONTEXT_ENFORCE
    for n in (14, 30, 31, 60, 110):
        pairs, energies = np.zeros(n, np.int32), packed(parameters)
        memory = new_fold_memory(n, enclosed=True)
        for _ in range(20):
            sequence = random_sequence(n, random)
            compound = RNA.fold_compound(sequence, use_engine(ENGINE))
            can = sequence[0] + sequence[-1] in ("AU", "UA", "GC", "CG", "GU", "UG")
            if can:
                compound.hc_add_bp(1, n, enforced)
            structure, energy = compound.mfe()
            found = fold_at(0, memory, energies, as_text(sequence), pairs)
            assert found == round(energy * 100)
            assert energy == pytest.approx(compound.eval_structure(structure), abs=0.001)
            assert pairs.tolist() == [p - 1 for p in RNA.ptable(structure)[1:]]
            numbers[can] += 1
    assert min(numbers.values()) > 10


@needs_jit
def test_call_by_address(parameters: FoldParameters) -> None:
    """A kernel that knows the address folds as `fold` does, and so do two threads at a time."""

    @kernel
    def fold_often(address, memory, energies, sequence, pairs):  # type: ignore[no-untyped-def]
        total = 0
        for _ in range(50):
            total += fold_at(address, memory, energies, sequence, pairs)
            sequence[0] = 65 + 71 - sequence[0]  # A and G in turn
        return total

    def run(seed: int) -> tuple[int, list[int]]:
        sequence = "A" + random_sequence(79, np.random.default_rng(seed))
        pairs = np.zeros(80, np.int32)
        arguments = (new_fold_memory(80), packed(parameters), as_text(sequence), pairs)
        run_kernel: Any = fold_often
        return int(run_kernel(fold_address(), *arguments)), pairs.tolist()

    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(run, range(6)))
    for seed, (total, pairs) in enumerate(results):
        rest = random_sequence(79, np.random.default_rng(seed))
        workspace = new_fold_workspace(80)
        wanted = [folded(workspace, parameters, base + rest) for base in "AG"]
        assert total == 25 * sum(energy for energy, _ in wanted)
        assert pairs == (workspace.pairs[1:] - 1).tolist()


INTERPRETED = """
import json
import numpy as np
import RNA
from solver.domains.rna.fold.matrices import fold
from solver.domains.rna.fold.check import load_fold_parameters
from solver.domains.rna.fold.trace import trace
from solver.domains.rna.fold.workspace import new_fold_workspace
from solver.domains.rna.engines import use_engine
from solver.domains.rna.folding import as_text

random, workspace, found = np.random.default_rng(3), new_fold_workspace(70), []
bases = random.choice(list("ACGU"), 70, p=[0.2, 0.3, 0.3, 0.2])
for _ in range(5):
    energy = fold(workspace, load_fold_parameters("vienna2"), as_text("".join(bases)))
    trace(workspace, load_fold_parameters("vienna2"))
    structure, lowest = RNA.fold_compound("".join(bases), use_engine("vienna2")).mfe()
    pairs = [0, *RNA.ptable(structure)[1:]]
    found.append([int(energy) == round(lowest * 100), workspace.pairs.tolist() == pairs])
    bases[random.integers(70)] = random.choice(list("ACGU"))
print(json.dumps(found))
"""


def test_plain_python_folds_alike() -> None:
    """Plain Python with NumPy vectors gives the same folds."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", INTERPRETED],
        cwd=ROOT, env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [[True, True]] * 5


SCRIPT = """
import json
import numpy as np
from solver.domains.rna.fold.check import load_fold_parameters
from solver.domains.rna.fold.matrices import fold
from solver.domains.rna.fold.workspace import new_fold_workspace
from solver.domains.rna.folding import as_text

energy = fold(new_fold_workspace(12), load_fold_parameters("vienna2"), as_text("GCGCUUCGGCGC"))
stats = fold.stats
print(json.dumps([energy, sum(stats.cache_hits.values()), sum(stats.cache_misses.values())]))
"""


@needs_jit
def test_machine_code_is_kept_on_disk(parameters: FoldParameters) -> None:
    """A process that folds after another has compiled nothing."""
    folded(new_fold_workspace(1), parameters, "A")
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        found: list[Any] = json.loads(done.stdout)
    assert found == [-550, 1, 0]


def test_lengths_that_cannot_be_folded() -> None:
    """No bases, and more than the tables are for, are refused."""
    for n in (0, -1, MAX_BASES):
        with pytest.raises(ValueError, match=f"{n} bases, expected 1 to"):
            new_fold_workspace(n)
