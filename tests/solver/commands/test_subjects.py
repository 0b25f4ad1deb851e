"""The word of a command line that names the problem."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.commands.compare import read_request
from solver.commands.solve_parser import all_parsers, shared_parsers
from solver.commands.subjects import find_domain, is_game, subject_word
from solver.errors import InputError

PUZZLE = "raise SystemExit('executed')"


def word_of(*words: str) -> str | None:
    return subject_word(words, shared_parsers(), all_parsers)


@pytest.mark.parametrize(
    ("words", "subject"),
    [
        (["--prior", "hex", "gomoku", "--playouts", "10"], "gomoku"),
        (["--out", "hex", "gomoku", "--json"], "gomoku"),
        (["--out", "notes.py", "latin-square", "square.txt"], "latin-square"),
        (["--algorithm", "rna", "latin-square", "f"], "latin-square"),
        (["--prior=kakuro", "latin-square"], "latin-square"),
        (["--json", "hex", "latin-square"], "hex"),
        (["latin-square", "hex"], "latin-square"),
        (["--engine", "t99d2", "rna", "((...))"], "rna"),
        (["--size", "9", "hex"], "hex"),
        (["--no-local-search", "tsptw", "rna"], "tsptw"),
        (["--seed", "-1", "rna"], "rna"),
        (["--prior", "--json", "kakuro"], "kakuro"),
        (["--quiet", "--", "kakuro"], "kakuro"),
        (["potvin-bengio"], "potvin-bengio"),
        (["--algorithm", "uct"], None),
        (["--help"], None),
        (["x", "--help"], None),
        ([], None),
    ],
)
def test_values_of_options_name_no_problem(
    words: list[str], subject: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first word that is no option, nor the value of one, names it."""
    monkeypatch.chdir(tmp_path)
    Path("notes.py").write_text(PUZZLE)
    assert word_of(*words) == subject


def test_options_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are unknown before it is read: they may take a value, or none."""
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(PUZZLE)
    assert word_of("--width", "3", "mine.py", "a.txt") == "mine.py"
    assert word_of("--wrap", "mine.py", "a.txt") == "mine.py"
    assert word_of("--wrap", "mine.py") == "mine.py"
    assert word_of("--width", "mine.py", "latin-square") == "latin-square"


def test_a_word_that_names_nothing() -> None:
    """It is said at once, not after an option that only a problem could have."""
    with pytest.raises(InputError, match="no problem or game called 'rma'"):
        word_of("--json", "rma", "--engine", "t99d2")


def test_a_file_without_its_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The line says what is to come before a file that stands first."""
    monkeypatch.chdir(tmp_path)
    Path("square.txt").write_text("1 .\n. .\n")
    with pytest.raises(InputError, match=r"; name one before the file 'square\.txt'$"):
        find_domain("square.txt")
    with pytest.raises(InputError, match=r"video-game$"):
        find_domain("squares.txt")


def test_games_are_told_from_problems(tmp_path: Path) -> None:
    """Games are distinguished from problems by their names."""
    assert is_game("hex")
    assert not is_game("rna")
    assert not is_game("eterna100")


def test_compare_reads_options_first(tmp_path: Path) -> None:
    """Folders and priors called as problems are none."""
    square = tmp_path / "square.txt"
    square.write_text("1 2\n2 .\n")
    _, request = read_request(["--out", "kakuro", "latin-square", str(square)])
    assert (request.subject, request.out) == ("latin-square", "kakuro")
