"""Machine code that ships is used where it fits, and nowhere else."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import llvmlite.binding as llvm
import pytest

from pipeline.commands.warm import copy_kernels
from solver.compiling.machine_code import portable
from solver.compiling.parts import CHECK_VARIABLE
from tests.helpers import needs_jit
from tests.solver.compiling import test_cache
from tests.solver.compiling.test_cache import KERNEL, SCORE, run_with_cache

tree = test_cache.tree
PROCESSOR = portable.portable_processor()

pytestmark = [
    needs_jit,
    pytest.mark.skipif(PROCESSOR is None, reason="no code ships for machines of this kind"),
]


@pytest.fixture
def shipping(tree: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a tree with code beside its packages, and no cache."""
    assert PROCESSOR is not None
    with monkeypatch.context() as context:
        for name, value in PROCESSOR.variables.items():
            context.setenv(name, value)
        (score, *_), err = run_with_cache(tree, tree / "made")
    assert (score, err) == (SCORE, "")
    code = tree / "made" / "numba" / "code"
    size = copy_kernels(code, tree / "machine_code" / portable.portable_name())
    files = kernel_files(tree)
    assert {path.suffix for path in files} == {".nbi", ".nbc"}
    assert size == sum(path.stat().st_size for path in files)
    return tree


def kernel_files(tree: Path) -> list[Path]:
    """Files that ship, of kernels alone."""
    files = [path for path in (tree / "machine_code").rglob("*") if path.is_file()]
    assert all("parts" not in str(path.relative_to(tree)) for path in files)
    return files


def compiled(tree: Path) -> bool:
    """True if a process with an empty cache compiled the kernel; its answer is right."""
    (score, hits, misses, names), err = run_with_cache(tree, tree / "cache")
    assert (score, err) == (SCORE, "")
    assert (hits, misses) == ((0, 1) if KERNEL in names else (1, 0))
    return KERNEL in names


def test_code_that_ships_is_used(shipping: Path) -> None:
    """Nothing is compiled, nor written."""
    assert not compiled(shipping)
    assert not list((shipping / "cache").rglob("*.nb?"))


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:20])


def of_older_numba(path: Path) -> None:
    """Write another version of Numba into an index."""
    if path.suffix == ".nbi":
        with path.open("rb") as file:
            pickle.load(file)
            rest = file.read()
        path.write_bytes(pickle.dumps("0.60.0", protocol=-1) + rest)


@pytest.mark.parametrize("damage", [cut, of_older_numba, Path.unlink])
def test_code_that_cannot_be_read(shipping: Path, damage: Callable[[Path], None]) -> None:
    """The kernel is compiled and kept in the cache; what ships is left as it is."""
    for path in kernel_files(shipping):
        damage(path)
    before = [path.read_bytes() for path in kernel_files(shipping)]
    assert compiled(shipping)
    assert not compiled(shipping)
    assert [path.read_bytes() for path in kernel_files(shipping)] == before


def test_code_of_other_sources(shipping: Path) -> None:
    """An edited domain is compiled, and runs as it was edited."""
    with (shipping / "solver" / "domains" / "sequence.py").open("a") as file:
        file.write("# edited\n")
    assert compiled(shipping)


@pytest.mark.parametrize(
    "variables",
    [{"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}, {CHECK_VARIABLE: "1"}],
    ids=["processor", "bounds"],
)
def test_other_code_is_asked_for(
    shipping: Path, variables: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Code for another processor, or that checks bounds, is compiled."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert compiled(shipping)


def test_an_older_processor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that lacks a feature is not given code that uses it."""
    assert PROCESSOR is not None
    folder = tmp_path / portable.portable_name()
    monkeypatch.setattr(portable, "shipped_folder", lambda name: tmp_path)
    find = portable.code_that_ships.__wrapped__
    assert find() is None
    folder.mkdir()
    features = dict.fromkeys(PROCESSOR.features, True)
    monkeypatch.setattr(llvm, "get_host_cpu_features", lambda: features)
    assert find() == (folder, PROCESSOR)
    features[PROCESSOR.features[-1]] = False
    assert find() is None
