"""Digests follow the rules of a domain to wherever they are written."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from solver.compiling import sources
from solver.compiling.sources import modules_digest, rules_digest
from solver.domains import DOMAINS, load_domain
from tests.docs.guide import DOMAIN, ROOT
from tests.helpers import needs_jit

#: A package whose rules are in several modules.
MODULES = {
    "__init__": "from .rules import play\n",
    "rules": "import math\nfrom solver import domain\nfrom .more.limits import MOST\nplay = MOST\n",
    "more/__init__": "",
    "more/limits": "MOST = 3\n",
    "apart": "import own_rules_of_test\n",
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return the folder of the package, older than the process; it can be imported."""
    folder = tmp_path / "own_rules_of_test"
    for name, text in MODULES.items():
        write(folder / f"{name}.py", text)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module(folder.name)
    yield folder
    for name in [name for name in sys.modules if name.startswith(folder.name)]:
        del sys.modules[name]


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (1_000_000_000, 1_000_000_000))


def test_what_ships_has_no_digest_of_its_own() -> None:
    """The solver is digested as a whole, so its domains are the same for all."""
    assert modules_digest(["solver.domains.rna.domain", "solver.compiling.jit", "math"]) == ""
    assert {rules_digest(load_domain(name)) for name in DOMAINS} == {""}


@pytest.mark.parametrize("name", ["__init__", "rules", "more/__init__", "more/limits"])
def test_every_module_that_is_imported_counts(package: Path, name: str) -> None:
    """Also a package, and one of which only a number is taken."""
    before = modules_digest(["own_rules_of_test"])
    assert before
    assert modules_digest(["own_rules_of_test.rules"]) == before
    write(package / f"{name}.py", MODULES[name] + "# edited\n")
    assert modules_digest(["own_rules_of_test"]) not in (before, "", None)


def test_modules_that_are_not_imported_do_not_count(package: Path) -> None:
    """Another module beside them may be edited."""
    before = modules_digest(["own_rules_of_test"])
    write(package / "apart.py", "edited = 1\n")
    assert modules_digest(["own_rules_of_test"]) == before


def test_what_was_edited_meanwhile_is_not_known(package: Path) -> None:
    """A file that is newer than the process may not be what was imported."""
    assert modules_digest(["own_rules_of_test"]) is not None
    (package / "more" / "limits.py").write_text("MOST = 4\n")
    os.utime(package / "more" / "limits.py", (sources._BEGIN + 1, sources._BEGIN + 1))
    assert modules_digest(["own_rules_of_test"]) is None


def test_the_prompt_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was typed at a prompt has no source."""
    monkeypatch.delattr(sys.modules["__main__"], "__file__", raising=False)
    assert modules_digest(["__main__"]) is None


PUZZLE = "graph_colouring_of_test"


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """Return a folder that has a package with an entry point installed in it."""
    text = DOMAIN.whole_file().replace("from solver import domain\n", "from solver import domain\n"
                                "from .worth import WORTH\n")  # fmt: skip
    text = text.replace("return float(state.n[0] -", "return WORTH * float(state.n[0] -")
    (tmp_path / PUZZLE).mkdir()
    (tmp_path / PUZZLE / "__init__.py").write_text(text)
    (tmp_path / PUZZLE / "worth.py").write_text("WORTH = 1.0\n")
    about = tmp_path / f"{PUZZLE}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {PUZZLE}\nVersion: 1.0\n")
    entry = f"[nestor.domains]\ngraph-colouring = {PUZZLE}:GraphColouring\n"
    (about / "entry_points.txt").write_text(entry)
    return tmp_path


def solve(installed: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run `solve` where the package is installed."""
    return subprocess.run(
        [sys.executable, "-P", "-m", "solver.commands.solve", *words],
        cwd=installed,
        env=os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{installed}"},
        capture_output=True,
        text=True,
        check=False,
    )


@needs_jit
def test_an_installed_package_adds_a_domain(installed: Path) -> None:
    """It is known by its name, and a constant edited in a helper of its rules shows at once."""
    assert "tsptw, graph-colouring" in " ".join(solve(installed, "--help").stdout.split())
    command = ("graph-colouring", "--quiet", "--json", "--algorithm", "sampling", "--playouts", "9")
    first = solve(installed, *command)
    assert '"score": -' in first.stdout, first.stderr
    (installed / PUZZLE / "worth.py").write_text("WORTH = 100.0\n")
    second = solve(installed, *command)
    score = first.stdout.split('"score": ')[1].split(".")[0]
    assert f'"score": {score}00.0' in second.stdout, second.stderr


def test_a_package_that_cannot_be_imported(installed: Path) -> None:
    """It costs a line where it is asked for, and nothing elsewhere."""
    (installed / PUZZLE / "worth.py").write_text("WORTH = nothing\n")
    done = solve(installed, "graph-colouring")
    expected = (
        "solve: the installed domain 'graph-colouring' (graph_colouring_of_test:GraphColouring) "
        "cannot be imported: NameError: name 'nothing' is not defined\n"
    )
    assert (done.returncode, done.stderr) == (2, expected)
    (installed / "square.txt").write_text("1\n")
    assert solve(installed, "latin-square", "square.txt", "--quiet").stdout == "1\n"
