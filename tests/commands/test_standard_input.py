"""Standard input where no file is named."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.commands.shell import Run, ended, launched
from tests.commands.squares import SQUARE

pytestmark = pytest.mark.slow


def test_a_file_is_read(run: Run, square: Path) -> None:
    """The forgotten - is added, and said."""
    with square.open() as file, launched("solve", "latin-square", stdin=file) as process:
        finished = ended(process)
    assert (finished.status, finished.out) == (0, run("solve", "latin-square", square).out)
    assert finished.err.startswith("no file is named: reading standard input\n")


def test_a_pipe_is_read(run: Run, square: Path) -> None:
    """A pipe is read without `-`, as with it."""
    with launched("solve", "latin-square", stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(SQUARE)
        process.stdin.close()
        process.stdin = None
        finished = ended(process)
    assert (finished.status, finished.out) == (0, run("solve", "latin-square", square).out)


@pytest.mark.parametrize("words", [["--instances", 1], []])
def test_nothing_to_read(run: Run, words: list[object]) -> None:
    """An instance is generated, and that is said unless it was asked for."""
    finished = run("solve", "latin-square", *words)
    assert finished.status == 0
    said = finished.err.startswith("no file is named: solving a generated instance of --seed 0\n")
    assert said == (not words)


def test_the_start_that_all_seeds_have_is_named(run: Run) -> None:
    """Nothing is generated where everybody begins with the same."""
    finished = run("solve", "morpion", "--playouts", 1)
    assert finished.err.startswith("no file is named: solving cross\n")


def test_instances_are_not_read(square: Path) -> None:
    """Instances asked for by number are generated, even if input is redirected."""
    words = ["solve", "latin-square", "--instances", 1]
    with square.open() as file, launched(*map(str, words), stdin=file) as process:
        finished = ended(process)
    assert finished.status == 0
    assert len(finished.out.splitlines()) == 20
