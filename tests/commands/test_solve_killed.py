"""`solve --out` that is killed: no answer is lost, and the same command goes on from there."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solver.commands.answers import Attempt
from solver.commands.kept import AttemptJournal
from solver.contract.domain import Problem
from solver.searching.driver import nothing_found
from solver.searching.solution import Solution
from tests.commands.launch import KERNELS_VARIABLE
from tests.commands.shell import Killed, Run, kernels_folder
from tests.commands.squares import SOLVED, SQUARE, solved_lines
from tests.trials import kills
from tests.trials.kills import without_seconds

FORMS = {"text": [], "json": ["--json"], "csv": ["--csv"], "tsv": ["--tsv"]}
DESIGNS = ["((((....))))", "(((....)))(((....)))"]


@contextmanager
def killed_after(monkeypatch: pytest.MonkeyPatch, attempts: int) -> Iterator[None]:
    """Let `solve` be gone after so many attempts have been made, as `kill -9` would have it."""
    real = AttemptJournal.add
    made = 0

    def add(journal: AttemptJournal, number: int, attempt: Any) -> None:
        nonlocal made
        if made == attempts:
            raise Killed
        made += 1
        real(journal, number, attempt)

    with monkeypatch.context() as patch:
        patch.setattr(AttemptJournal, "add", add)
        with pytest.raises(Killed):
            yield


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("problems", [1, 2])
def test_the_same_command_goes_on_from_a_killed_one(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, problems: int
) -> None:
    """Wherever it was killed, the rest is found as if it had not been, pictures too."""
    path = tmp_path / "targets.txt"
    path.write_text("\n".join(DESIGNS[:problems]) + "\n")
    command = ["solve", "rna", path, "--designs", 3, "--min-distance", 2, "--playouts", 3000]
    command += FORMS[form]

    def solve(name: str) -> tuple[list[Any], dict[str, bytes]]:
        folder = tmp_path / name
        finished = run(*command, "--out", folder / "out", "--draw", folder / "pictures")
        assert finished.status == 0, finished.err
        pictures = {svg.name: svg.read_bytes() for svg in (folder / "pictures").iterdir()}
        assert {one.name for one in folder.iterdir()} == {"out", "pictures"}
        return without_seconds((folder / "out").read_text(), command), pictures

    wanted = solve("undisturbed")
    for attempts in range(3 * problems):
        folder = tmp_path / f"killed-{attempts}"
        with killed_after(monkeypatch, attempts):
            run(*command, "--out", folder / "out", "--draw", folder / "pictures")
        growing = folder / "out.part"
        left = growing.read_text() if growing.exists() else ""
        assert solve(folder.name) == wanted
        assert (folder / "out").read_text().startswith(left)


@pytest.mark.parametrize(
    "change",
    [["--seed", 1], ["--playouts", 999], ["--level", 1], ["--csv"], ["--prior", "none"], "problem"],
)
def test_another_command_sets_answers_aside(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Any
) -> None:
    """With other settings or problems the answers of the killed command stay, and it is said."""
    path, out = tmp_path / "squares.txt", tmp_path / "out"
    path.write_text(f"{SQUARE}\n{SOLVED}")
    command = ["solve", "latin-square", path, "--playouts", 1000, "--out", out]
    with killed_after(monkeypatch, 1):
        run(*command)
    growing, journal = tmp_path / "out.part", tmp_path / "out.journal"
    left = growing.read_bytes(), journal.read_bytes()
    if change == "problem":
        path.write_text(f"{SQUARE}\n{SOLVED}\n{SQUARE}")
        change = []
    finished = run(*command, *change)
    assert finished.status == 0, finished.err
    assert f"{growing} belongs to another command, and is now called {growing}-1\n" in finished.err
    assert (tmp_path / "out.part-1").read_bytes() == left[0]
    assert (tmp_path / "out.journal-1").read_bytes() == left[1]
    assert {one.name for one in tmp_path.iterdir()} == {
        "squares.txt", "out", "out.part-1", "out.journal-1",
    }  # fmt: skip


def test_a_problem_that_cannot_be_read_among_those_kept(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It costs only itself when the command goes on, too."""
    path, out = tmp_path / "targets.txt", tmp_path / "out"
    path.write_text("(()())..\n((((....))))\n(((....)))\n")
    command = ["solve", "rna", path, "--playouts", 1000, "--json", "--out", out]
    with killed_after(monkeypatch, 1):
        run(*command)
    left = (tmp_path / "out.part").read_text()
    finished = run(*command)
    assert finished.status == 2
    assert "which has 1 of the answers" in finished.err
    assert out.read_text().startswith(left)
    statuses = [line["status"] for line in solved_lines(out.read_text())]
    assert statuses == ["error", "solved", "solved"]


def test_a_damaged_journal_is_set_aside(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A journal that cannot be read costs no answer; one cut short goes on from its whole lines."""
    path, out = tmp_path / "squares.txt", tmp_path / "out"
    path.write_text(f"{SQUARE}\n{SOLVED}\n{SQUARE}")
    command = ["solve", "latin-square", path, "--playouts", 1000, "--out", out]
    with killed_after(monkeypatch, 2):
        run(*command)
    growing, journal = tmp_path / "out.part", tmp_path / "out.journal"
    left, whole = growing.read_bytes(), journal.read_bytes()
    journal.write_bytes(whole[:-5])
    assert "which has 1 of the answers" in run(*command).err
    assert out.read_bytes().startswith(left)
    growing.write_bytes(left)
    journal.write_bytes(whole.replace(b'"array"', b'"arrow"'))
    assert "belongs to another command" in run(*command).err
    assert (tmp_path / "out.part-1").read_bytes() == left
    growing.write_bytes(left.replace(b"1", b"9"))
    journal.write_bytes(whole)
    finished = run(*command)
    assert f"{growing} had more or other answers, which are kept in {growing}-2\n" in finished.err
    assert (tmp_path / "out.part-2").read_bytes() == left.replace(b"1", b"9")
    assert out.read_bytes().startswith(left)


def test_no_answer_is_missing_after_a_kill(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The trial kills as often as it is told to, and finds no fault."""
    words = ["latin-square", "--instances", "30", "--playouts", "500", "--dead-ends", "0"]
    monkeypatch.setenv(KERNELS_VARIABLE, kernels_folder())
    monkeypatch.setattr(kills, "TRIALS", {"text": words, "csv": [*words, "--csv"]})
    monkeypatch.setattr(sys, "argv", ["kills", "--count", "2"])
    with pytest.raises(SystemExit) as end:
        kills.main()
    told = capsys.readouterr().out
    assert end.value.code == 0, told
    assert told.count("all are there") == 2
    assert told.endswith("0 faults\n")


def test_all_that_a_solution_says_is_kept(tmp_path: Path) -> None:
    """A proof and a bound, too, so that the same command ends as it would have."""
    problem = Problem("one", np.zeros(2))
    wanted = Solution(
        problem, None, False, nothing_found(), True, True, why="node 3 is due", bound=-12.5
    )
    journal = AttemptJournal(tmp_path / "out", {}, [problem])
    journal.add(0, Attempt(problem, wanted))
    again = AttemptJournal(tmp_path / "out", {}, [problem])
    assert again.load()
    (attempt,) = again.attempts(0)
    assert attempt.solution is not None
    for field in dataclasses.fields(Solution):
        if field.name not in ("search", "front"):
            assert getattr(attempt.solution, field.name) == getattr(wanted, field.name)
    assert attempt.solution.status == "infeasible"
