"""Folders of users with files that are called as our packages."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from solver.compiling.imports import PACKAGES
from tests.commands.squares import SQUARE
from tests.docs.guide import DOMAIN, ROOT


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a file of each of these names, and a domain."""
    for name in PACKAGES:
        (tmp_path / f"{name}.py").write_text("WORTH = 1\n")
    (tmp_path / "square.txt").write_text(SQUARE)
    (tmp_path / "own_puzzle.py").write_text(DOMAIN.whole_file())
    return tmp_path


def start(folder: Path, command: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Start a console script in `folder`, as the file beside Python does."""
    (script,) = entry_points(group="console_scripts", name=command)
    code = f"from {script.module} import {script.attr}; {script.attr}()"
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1"}
    return subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_every_command_is_a_console_script() -> None:
    """None is started as a module, which would import what lies in the folder."""
    names = {found.name for found in entry_points(group="console_scripts")
             if found.value.partition(".")[0] in PACKAGES}  # fmt: skip
    assert names == {
        "solve", "check", "learn", "compare", "report", "models", "make-puzzles", "serve-flows",
        "refresh-models",
    }  # fmt: skip
    for page in ("README.md", "docs/flows.md", "prefect.yaml", "models/README.md"):
        text = (ROOT / page).read_text()
        for module in ("pipeline.commands", "flows.serve", "flows.learn"):
            assert f"python -m {module}" not in text, page


def test_commands_run_in_such_a_folder(folder: Path) -> None:
    """They find our packages, whatever lies there."""
    solved = start(folder, "solve", "latin-square", "square.txt", "--quiet")
    assert (solved.returncode, solved.stderr) == (0, "")
    checked = start(folder, "models", "check", "--models", str(ROOT / "models"))
    assert (checked.returncode, checked.stderr) == (0, "")
    listed = start(
        folder, "serve-flows", "--list", "--schedules", str(ROOT / "flows/schedules.toml")
    )
    assert (listed.returncode, listed.stderr) == (0, "")


def test_a_domain_in_such_a_folder(folder: Path) -> None:
    """It takes our packages, and does not know those beside it."""
    command = ("own_puzzle.py", "--quiet", "--algorithm", "sampling", "--playouts", "9")
    done = start(folder, "solve", *command)
    assert done.stderr == ""
    assert done.stdout  # the best colouring of so few playouts


@pytest.mark.parametrize("statement", ["from flows import WORTH", "import flows; flows.WORTH"])
def test_a_domain_that_imports_such_a_file(folder: Path, statement: str) -> None:
    """A line names the file that must be called otherwise."""
    path = folder / "own_puzzle.py"
    path.write_text(f"{statement}\n")
    done = start(folder, "solve", "own_puzzle.py")
    assert done.returncode == 2
    assert done.stderr.startswith("solve: own_puzzle.py: line 1: ")
    assert done.stderr.endswith(f"; 'flows' is a package of Nestor: rename {folder / 'flows.py'}\n")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("package", ["pipeline", "generators", "flows"])
def test_another_solver_is_named(tmp_path: Path, package: str) -> None:
    """If Python finds a user's `solver.py` first, the error names that file."""
    (tmp_path / "solver.py").write_text("")
    done = subprocess.run(
        [sys.executable, "-c", f"import {package}"],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": ""},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stderr.splitlines()[-1] == (
        f"ImportError: 'solver' is {tmp_path / 'solver.py'}, which is not Nestor's: rename it, "
        "or start elsewhere"
    )
