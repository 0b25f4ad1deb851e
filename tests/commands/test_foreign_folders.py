"""Commands that write folders leave those with files of others alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.commands.shell import Run, rows_of

TARGET = "((((....))))"
COMPARE = ["compare", "latin-square", "--order", 5, "--instances", 2, "--algorithm", "sampling"]
HEX = ["compare", "hex", "--size", 3, "--algorithm", "uct,grave", "--playouts", 2, "--games", 2]
LEARN = ["learn", "latin-square", "--order", 5, "--instances", 4]
COMMANDS: dict[str, tuple[list[Any], str]] = {
    "compare": ([*COMPARE, "--playouts", 4], "--out"),
    "matches": (HEX, "--out"),
    "plan": (["compare", "--plan", "plan.toml"], "--out"),
    "report": (["report", "runs"], "--out"),
    "learn": ([*LEARN, "--out", "table.parquet"], "--work"),
    "draw": (["solve", "rna", TARGET, "--playouts", 100, "--out", "answers"], "--draw"),
    "page": (["solve", "rna", "--page", "--port", 1], "--jobs"),
}
PLAN = "[latin-square]\norder = 5\ninstances = 2\nplayouts = 4\nalgorithm = 'sampling'\n"


@pytest.fixture(autouse=True)
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_report: None) -> None:
    """A plan, in the folder that commands stand in."""
    monkeypatch.chdir(tmp_path)
    Path("plan.toml").write_text(PLAN)


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("where", ["photos", "."])
def test_a_folder_with_files_of_others_is_refused(run: Run, name: str, where: str) -> None:
    """Nothing is written into it, and a line says why."""
    words, option = COMMANDS[name]
    Path("photos").mkdir()
    Path("photos/holiday.jpeg").write_text("precious")
    before = {path: path.stat().st_mtime_ns for path in Path().rglob("*")}
    finished = run(*words, option, where)
    assert finished.status == 2
    command = "solve" if name in ("draw", "page") else str(words[0])
    assert finished.err.startswith(f"{command}: {option} is {where}, which has other files (")
    assert finished.err.count("\n") == 1
    assert {path: path.stat().st_mtime_ns for path in Path().rglob("*")} == before


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "page"])
def test_the_folder_of_an_earlier_command_is_written_again(run: Run, name: str) -> None:
    """New and empty folders are taken, and those that the same command has made."""
    words, option = COMMANDS[name]
    if name == "report":
        assert run(*COMPARE, "--playouts", 4, "--out", "runs").status == 0
    Path("empty").mkdir()
    for folder in ("new", "empty"):
        for _ in range(2):
            finished = run(*words, option, folder)
            assert finished.status == 0, finished.err
    if name == "compare":
        assert len(rows_of(Path("new"))) == 2


@pytest.mark.parametrize("root", ["/", "~"])
def test_the_root_and_the_home_folder_are_refused(run: Run, root: str) -> None:
    """Nothing is written into the root or the home folder, most often a slip."""
    home = Path("home")
    home.mkdir()
    (home / ".bashrc").write_text("")
    folder = Path(root) if root == "/" else home
    before = set(folder.iterdir())
    finished = run(*COMPARE, "--playouts", 4, "--out", folder)
    assert finished.status == 2
    assert f"--out is {folder}, which has other files" in finished.err
    assert set(folder.iterdir()) == before
