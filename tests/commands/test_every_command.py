"""Options and behaviour common to all commands."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from solver.commands.options import version
from tests.commands.shell import MAIN, Run


@pytest.mark.parametrize("command", MAIN)
def test_the_version(run: Run, command: str) -> None:
    """It is that of the installed package."""
    finished = run(command, "--version")
    assert (finished.status, finished.out) == (0, f"nestor {version()}\n")


def test_quiet(run: Run) -> None:
    """Nothing is told of how it went, errors are; the next command is as loud as ever."""
    command = ["solve", "latin-square", "-", "--playouts", 100]
    finished = run(*command, "--quiet", stdin="1 .\n. .\n")
    assert (finished.status, finished.out, finished.err) == (0, "1 2\n2 1\n", "")
    finished = run(*command, "--quiet", stdin="1 x\n")
    assert finished.status == 2
    assert finished.err.startswith("solve: standard input: line 1")
    assert run(*command, stdin="1 .\n. .\n").err.startswith("standard input: solved")


def test_quiet_on_several_problems(run: Run) -> None:
    """With `--quiet` only the failed problems of a batch are reported."""
    text = ">a\n((((....))))\n>b\n((((....)))\n"
    finished = run("solve", "rna", "-", "--playouts", 100, "--quiet", stdin=text)
    assert finished.status == 2
    assert finished.err.startswith("b: error: standard input: line 4, position 1: '(' ")
    assert finished.err.count("\n") == 1


def test_interrupted_while_python_runs_a_text(tmp_path: Path) -> None:
    """Ctrl-C in what Numba runs by `exec` ends a command with its status, not by a signal."""
    (tmp_path / "pressed.py").write_text(
        "from solver.commands.options import run_command\n"
        "run_command('solve', lambda words: exec('raise KeyboardInterrupt'))\n"
    )
    command = [sys.executable, "-m", "pressed"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "solve: interrupted\n")
