"""ViennaRNA called from kernels folds as its Python API does."""

from __future__ import annotations

import json
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
from solver.domains.rna.folding import (
    as_text,
    begin_energies,
    end_energies,
    energy_of,
    fold,
    fold_structure,
    model_address,
)
from tests.helpers import needs_jit

ROOT = Path(__file__).parents[4]


def sequences(count: int, seed: int) -> list[str]:
    """Random sequences of 1 ... 90 bases."""
    rng = np.random.default_rng(seed)
    return ["".join(rng.choice(list("ACGU"), n)) for n in rng.integers(1, 91, count)]


SEQUENCES = ["A", "GC", "GCGCUUCGGCGC", *sequences(20, seed=5)]


@kernel
def energies(sequence, target, structure, model, found):  # type: ignore[no-untyped-def]
    found[0] = fold(sequence, structure, model)
    compound = begin_energies(sequence, model)
    found[1] = energy_of(compound, target)
    end_energies(compound)


def folded_by_kernel(sequence: str, target: str) -> tuple[str, float, float]:
    structure, found = as_text("x" * len(sequence)), np.zeros(2)
    address = model_address("vienna2")
    kernel_energies: Any = energies
    kernel_energies(as_text(sequence), as_text(target), structure, address, found)
    assert structure[-1] == 0
    return bytes(structure[:-1]).decode(), float(found[0]), float(found[1])


def test_kernels_fold_as_python_does() -> None:
    """Structure, minimum free energy and energy of a target are ViennaRNA's own."""
    folds = 0
    for sequence, other in zip(SEQUENCES, SEQUENCES[1:] + SEQUENCES[:1], strict=True):
        compound = RNA.fold_compound(sequence, use_engine("vienna2"))
        target, length = RNA.fold(other)[0], len(sequence)
        if len(other) != length or sequence == other:
            target = "." * length
        structure, energy = compound.mfe()
        expected = pytest.approx((energy, compound.eval_structure(target)), abs=1e-4)
        for wanted in (target, structure):
            folded = folded_by_kernel(sequence, wanted)
            assert folded[0] == structure == fold_structure(sequence, "vienna2")
            if wanted == target:
                assert folded[1:] == expected
            else:
                assert folded[1] == pytest.approx(folded[2], abs=1e-4)
        folds += "(" in structure
    assert folds > 10


def test_energies_of_a_target() -> None:
    """A target other than the fold has its own energy, loops that cost too."""
    target = "(((......)))"
    _, lowest, of_target = folded_by_kernel("GCGCUUCGGCGC", target)
    compound = RNA.fold_compound("GCGCUUCGGCGC", use_engine("vienna2"))
    assert lowest == pytest.approx(-5.5, abs=1e-4)
    assert of_target == pytest.approx(compound.eval_structure(target), abs=1e-4)
    assert of_target > lowest


def test_text_ends_with_zero() -> None:
    """Letters as C has them: ASCII, a final 0, and writable."""
    text = as_text("GC(")
    assert text.dtype == np.uint8
    assert text.tolist() == [71, 67, 40, 0]
    text[0] = 65


def test_threads_fold_at_the_same_time() -> None:
    """Folds made in several threads at once are those made one after the other."""
    many = sequences(60, seed=6)
    alone = [fold_structure(sequence, "vienna2") for sequence in many]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda s: fold_structure(s, "vienna2"), many)) == alone


# ctypes finds no function of ViennaRNA in this process, as where it is built otherwise.
WITHOUT_C_API = """
import ctypes, json, sys, warnings
import RNA

real = ctypes.CDLL

class Nothing(real):
    def __getattr__(self, name):
        raise AttributeError(f"undefined symbol: {name}")

ctypes.CDLL = lambda path, *rest: (Nothing if path == RNA._RNA.__file__ else real)(path, *rest)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import solver.domains.rna.folding as folding
    from solver.compiling.parts import begin_loading
    begin_loading()
ctypes.CDLL = real
folds = [folding.fold_structure(sequence, "vienna2") for sequence in json.loads(sys.argv[1])]
ours = [(w.category.__name__, str(w.message)) for w in caught if "ViennaRNA" in str(w.message)]
print(json.dumps([folds, ours]))
"""


@pytest.mark.slow
@needs_jit
def test_without_the_c_api() -> None:
    """If ViennaRNA exports no functions a warning says so, and Python folds the same."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_C_API, json.dumps(SEQUENCES)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    folds, warned = json.loads(done.stdout)
    assert folds == [fold_structure(sequence, "vienna2") for sequence in SEQUENCES]
    ((category, message),) = warned
    assert category == "RuntimeWarning"
    assert message == (
        f"ViennaRNA {RNA.__version__} does not export its C API (undefined symbol: "
        "vrna_fold_compound): folding goes through Python, on one core"
    )
