"""Commands in blocks of the pages: the parsers of today read them all.

Those of guides with files of their own are run by the tests of these, to the letter.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from pipeline.commands import compare, learn, make_puzzles, models
from solver.commands.check import command as check
from solver.commands.games import solve as games
from solver.commands.solve_parser import PAGE, all_parsers, build_parser, shared_parsers
from solver.commands.subjects import find_game, is_game, subject_word
from solver.errors import InputError
from tests.docs.scripts import ROOT

PAGES = sorted({ROOT / "README.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("*/*.md")})
#: Pages with files that are made on the page.
WITH_FILES = "add-a*.md"


def read_solve(words: Sequence[str]) -> None:
    word = subject_word(words, shared_parsers(), all_parsers)
    if word is not None and is_game(word):
        games.build_parser(find_game(word)).parse_intermixed_args(words)
    elif PAGE not in words:
        build_parser(word).parse_intermixed_args(words)


def read_check(words: Sequence[str]) -> None:
    check.build_parser(words[0]).parse_intermixed_args(words)


READERS: dict[str, Callable[[Sequence[str]], Any]] = {
    "solve": read_solve,
    "check": read_check,
    "compare": compare.read_request,
    "learn": learn.read_request,
    "make-puzzles": lambda words: make_puzzles.build_parser(words[0]).parse_args(words),
    "models": lambda words: models.build_parser().parse_args(words),
}


def commands() -> Iterator[tuple[str, str]]:
    """Yield page and command."""
    for page in PAGES:
        if page.match(WITH_FILES) or page.parent.name == "report":
            continue
        for block in re.findall(
            r"^```\w*\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S
        ):
            for line in block.replace("\\\n", " ").splitlines():
                line = line.removeprefix("$ ")
                if line.partition(" ")[0] in READERS and "►" not in line:
                    yield page.relative_to(ROOT).as_posix(), line


@pytest.mark.parametrize(("page", "line"), list(commands()))
def test_a_command_is_read(page: str, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No option is gone, and no value is out of its range."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr("solver.system.datasets._download", _nothing_is_fetched)
    program, *words = shlex.split(line, comments=True)
    words = [word.replace("SEED", "1") for word in words]
    READERS[program](words)


def _nothing_is_fetched(entry: dict[str, Any], folder: Path) -> Path:
    pytest.skip(f"{entry['files'][0]} is not in the data home")


def test_there_are_commands_of_all_programs() -> None:
    found = [line.partition(" ")[0] for _, line in commands()]
    assert set(found) == set(READERS)
    assert len(found) > 80


@pytest.mark.parametrize("line", ["solve rna --no-such-option", "compare hex --playout 5"])
def test_an_option_that_is_gone_is_found(line: str) -> None:
    program, *words = shlex.split(line)
    with pytest.raises(InputError, match="unrecognized"):
        READERS[program](words)
