"""`solve --solutions --out` that is killed: nothing is lost, and the same command goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from solver.commands.solutions import kept
from solver.commands.solutions.kept import SolutionJournal
from tests.commands.launch import KERNELS_VARIABLE
from tests.commands.shell import Killed, Run, kernels_folder
from tests.trials.kills import without_seconds

EMPTY = ". . . .\n" * 4
#: 24 and 2 solutions.
TWO = f"# one\n1 2 3 4\n{EMPTY[8:]}\n# two\n1 2 3 4\n2 1 4 3\n3 4 . .\n4 3 . .\n"
FORMS: dict[str, list[str]] = {"text": [], "json": ["--json"]}
ASKED = {"solutions": ["--solutions", "all"], "count": ["--count", "all"]}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("every", [0.0, 1e9])
def test_the_same_command_goes_on_from_a_killed_one(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, asked: str, every: float
) -> None:
    """With checkpoints at each solution, and with none but the first: all is as if undisturbed."""
    problems = tmp_path / "squares.txt"
    problems.write_text(TWO)
    command = ["solve", "latin-square", problems, *ASKED[asked], *FORMS[form]]
    expected = run(*command)
    monkeypatch.setattr(kept, "EVERY", every)
    monkeypatch.setattr(kept, "TIMES", 0.0)
    real = SolutionJournal.keep
    for most in (0, 3, 25, 27):
        out, made = tmp_path / f"{most}.out", 0

        def keep(journal: SolutionJournal, *arguments: Any, **options: Any) -> None:
            nonlocal made
            made += 1
            if made > most + 1:  # noqa: B023
                raise Killed
            real(journal, *arguments, **options)

        with monkeypatch.context() as patch:
            patch.setattr(SolutionJournal, "keep", keep)
            try:
                run(*command, "--out", out)
            except Killed:
                growing = out.with_name(out.name + ".part")
                left = growing.read_text()
                assert out.with_name(out.name + ".journal").exists()
            else:
                left = out.read_text()
                out.unlink()
        finished = run(*command, "--out", out)
        assert finished.status == 0
        assert out.read_text().startswith(left)
        assert without_seconds(out.read_text(), command) == without_seconds(expected.out, command)
        assert [one.name for one in tmp_path.iterdir() if one.name.startswith(out.name)] == [
            out.name
        ]


def test_solutions_of_another_command_are_set_aside(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And those of a file that was changed: both keep what they have, and it is said."""
    problem, out = tmp_path / "square.txt", tmp_path / "out"
    problem.write_text(EMPTY)
    monkeypatch.setattr(kept, "EVERY", 0.0)
    monkeypatch.setattr(kept, "TIMES", 0.0)

    def killed(*arguments: object) -> str:
        with monkeypatch.context() as patch:
            patch.setattr(SolutionJournal, "close", lambda journal: 1 / 0)
            patch.setattr("solver.commands.output.put_in_place", lambda *paths: None)
            with pytest.raises(ZeroDivisionError):
                run("solve", "latin-square", problem, *arguments, "--out", out)
        return (tmp_path / "out.part").read_text()

    left = killed("--solutions", 3)
    finished = run("solve", "latin-square", problem, "--solutions", 4, "--out", out)
    assert "belongs to another command" in finished.err
    assert (tmp_path / "out.part-1").read_text() == left
    out.unlink()
    left = killed("--solutions", 3)
    (tmp_path / "out.part").write_text(left.replace("1", "2"))
    finished = run("solve", "latin-square", problem, "--solutions", 3, "--out", out)
    assert "belongs to another command" in finished.err
    assert out.read_text() == left


def test_kill_9_and_ctrl_c_lose_nothing(run: Run, tmp_path: Path) -> None:
    """A process that is gone in the middle, then one that is told to stop, then one that ends."""
    problem, out = tmp_path / "square.txt", tmp_path / "out.jsonl"
    problem.write_text(". . . . . .\n" * 6)
    command = ["solve", "latin-square", problem, "--solutions", 5_000, "--json"]
    command += ["--playouts", 1_000_000]
    expected = run(*command)
    growing = out.with_name("out.jsonl.part")
    left = b""
    for number in (signal.SIGKILL, signal.SIGINT):
        words = [sys.executable, "-m", "tests.commands.launch", *map(str, command)]
        environment = {**os.environ, KERNELS_VARIABLE: kernels_folder()}
        process = subprocess.Popen(
            [*words, "--out", str(out)], stderr=subprocess.DEVNULL, env=environment
        )
        size = len(left) + 60_000
        while process.poll() is None and not (growing.exists() and growing.stat().st_size > size):
            time.sleep(0.01)
        process.send_signal(number)
        process.wait()
        here = growing if growing.exists() else out
        assert here.read_bytes().startswith(left)
        left = here.read_bytes()
        left = left[: left.rindex(b"\n") + 1]
    finished = run(*command, "--out", out)
    assert "going on from" in finished.err
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    wanted = [json.loads(line) for line in expected.out.splitlines()]
    for line in (*lines, *wanted):
        del line["seconds"]
    assert lines == wanted
