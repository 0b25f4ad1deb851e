"""Mistakes in a stranger's own problem, told in a line that names the place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.guide import DOMAIN, Outside

FILE = DOMAIN.file
#: For the Python side, where nothing needs to be compiled.
INTERPRETED = {"NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "ignore"}
TRIANGLE = "3 3\n1 2\n1 3\n2 3\n"
SEARCH = ("--algorithm", "sampling", "--playouts", "20")


@pytest.fixture
def outside(tmp_path: Path) -> Outside:
    """Return a folder with a problem beside the file of the guide."""
    made = Outside(tmp_path)
    made.write(DOMAIN.whole_file())
    (tmp_path / "triangle.txt").write_text(TRIANGLE, encoding="utf-8")
    return made


def spoil(outside: Outside, *edits: tuple[str, str]) -> None:
    """Write the file of the guide with texts that are there once exchanged."""
    text = DOMAIN.whole_file()
    for old, new in edits:
        assert text.count(old) == 1
        text = text.replace(old, new)
    outside.write(text)


def error_of(outside: Outside, *words: str) -> str:
    """Return the error of a command that exits with status 2, a line."""
    done = outside.run(*words, **INTERPRETED)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr


NO_ANSWER = ("return state.of[: state.n[0]].copy()", "state.of[: state.n[0]].copy()")


def test_an_answer_that_is_none(outside: Outside) -> None:
    """It is verified by nobody, so nobody calls it solved."""
    spoil(outside, NO_ANSWER)
    expected = "solve: graph-colouring: answer returns None, expected the answer\n"
    assert error_of(outside, "solve", FILE, "triangle.txt", *SEARCH) == expected


def test_the_check_finds_an_answer_that_is_none(outside: Outside) -> None:
    """It names the method."""
    spoil(outside, NO_ANSWER)
    script = f"""
from solver.commands.subjects import find_domain
from solver.testing import check_domain
domain = find_domain({FILE!r})
check_domain(domain, domain.parse({TRIANGLE!r}, "triangle"))
"""
    done = outside.run("-c", script, **INTERPRETED)
    assert "ContractError: graph-colouring: answer returns None" in done.stderr
