"""Options of a stranger's own problem, from a file outside of the repository."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.commands.shell import ROOT, Run, ended, launched, rows_of

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all tests: a process knows the module of a file by one path."""
    made = tmp_path_factory.mktemp("stranger")
    shutil.copy(ROOT / "tests" / "toys" / "switches.py", made)
    (made / "three.txt").write_text("3\n")
    return made


@pytest.fixture
def stranger(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folder with a domain and a problem, where the commands stand."""
    monkeypatch.chdir(folder)
    return folder


def solved(*words: Any) -> str:
    with launched("solve", *words, "--playouts", 500, "--quiet") as process:
        finished = ended(process)
    assert finished.status == 0, finished.err
    return finished.out


def test_all_kinds(stranger: Path) -> None:
    """A truth, a choice, and a number or none, before and behind the name of the file."""
    assert solved("switches.py", "three.txt") == "111 True on None\n"
    words = ["--no-wrap", "switches.py", "--begin", "off", "three.txt", "--most", 2]
    assert solved(*words).split(maxsplit=1)[1] == "False off 2\n"
    assert solved("--most", "none", "--wrap", "switches.py", "three.txt") == "111 True on None\n"


def test_what_does_not_fit(run: Run, stranger: Path) -> None:
    """The option as typed, and what was expected."""
    finished = run("solve", "switches.py", "three.txt", "--most", "few")
    assert finished.err == "solve: --most is 'few', expected a whole number, or none\n"
    finished = run("solve", "switches.py", "three.txt", "--wrap", "False")
    assert finished.err == "solve: unrecognized arguments: False\n"


def test_values_side_by_side(run: Run, stranger: Path) -> None:
    """Each value of a truth and of a list makes a method of its own."""
    words = ["--wrap", "--no-wrap", "--most", "none,2", "--algorithm", "sampling"]
    finished = run("compare", "switches.py", "three.txt", *words, "--playouts", 50, "--out", "out")
    assert finished.status == 0, finished.err
    assert len(rows_of(stranger / "out")) == 4


def test_outputs_called_as_files_of_problems(run: Run, stranger: Path) -> None:
    """A file to write is not run, whatever its name ends with."""
    Path("notes.py").write_text("raise SystemExit('executed')\n")
    assert run("solve", "--out", "notes.py", "switches.py", "three.txt").status == 0
    assert Path("notes.py").read_text() == "111 True on None\n"
