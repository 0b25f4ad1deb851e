"""The wheel works without a checkout: models and data sets travel in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = [
    "solver", "pipeline", "generators", "flows", "models", "datasets",
    "pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE",
]  # fmt: skip
BUILD = "import setuptools.build_meta as backend, sys; backend.build_wheel(sys.argv[1])"
SHIPPED = """
from solver.domains import DOMAINS, load_domain
from solver.priors.priors import default_prior, models_folder
print(models_folder())
print(sum(default_prior(load_domain(name)).path is not None for name in DOMAINS))
print(len(load_domain("rna").benchmark("eterna100")))
"""


def test_the_wheel_needs_no_checkout(tmp_path: Path) -> None:
    """The wheel works in an empty folder: priors by name, defaults, a benchmark set, a report."""
    tree = tmp_path / "tree"
    tree.mkdir()
    for name in SOURCES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, tree)
    code = Path("machine_code", "cpython-0", "kernel.nbi")
    (tree / "build" / code).parent.mkdir(parents=True)
    (tree / "build" / code).write_bytes(b"what `make wheel` has made")
    command = [sys.executable, "-c", BUILD, str(tmp_path)]
    built = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("nestor-*.whl")
    library, empty = tmp_path / "library", tmp_path / "empty"
    with zipfile.ZipFile(wheel) as file:
        file.extractall(library)
    assert all((library / name / "py.typed").is_file() for name in SOURCES[:4])
    assert (library / "solver" / "shipped" / code).is_file()
    shutil.rmtree(tree)
    empty.mkdir()
    (empty / "square.txt").write_text("1 2 .\n. . .\n. . .\n")
    # Interpreted, so that nothing is compiled for modules that are elsewhere tomorrow.
    environment = {**os.environ, "PYTHONPATH": str(library), "NUMBA_DISABLE_JIT": "1"}

    def python(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-P", "-W", "ignore", *words],
            cwd=empty, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    solve = ["-m", "solver.commands.solve", "latin-square", "square.txt"]
    assert python(*solve, "--prior", "latin-square") == "1 2 3\n2 3 1\n3 1 2\n"
    folder, priors, puzzles = python("-c", SHIPPED).splitlines()
    assert Path(folder).is_relative_to(library)
    assert (int(priors), int(puzzles)) == (6, 100)
    compare = ["-m", "pipeline.commands.compare", "latin-square", "square.txt"]
    out = python(*compare, "--algorithm", "sampling", "--playouts", "2", "--out", "runs")
    assert "report: runs" in out
    assert (empty / "runs" / "report.html").is_file()
    python("-m", "solver.commands.solve", "rna", "......", "--playouts", "9", "--draw", "pictures")
    assert (empty / "pictures" / "rna.svg").is_file()
    for name in SOURCES[:4]:
        files = (path.relative_to(ROOT) for path in (ROOT / name).rglob("*.toml"))
        assert all((library / path).is_file() for path in files)
    page = {path.name for path in (library / "solver/design_page/static").iterdir()}
    assert page == {path.name for path in (ROOT / "solver/design_page/static").iterdir()}
