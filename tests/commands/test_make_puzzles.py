"""`make-puzzles` as it is typed."""

from __future__ import annotations

import json
import signal
import threading
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from generators.puzzles import making
from pipeline.commands import make_puzzles
from solver.domains import load_domain
from solver.errors import InputError
from tests.commands.shell import Run

QUICK = {
    "sudoku": ["--order", "4", "--minimal"],
    "latin-square": ["--order", "4", "--minimal"],
    "kakuro": ["--rows", "3", "--columns", "3", "--black", "0.1"],
}


@pytest.mark.parametrize("name", QUICK)
def test_what_is_printed_is_read(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Text is a file of problems; JSON has the same; a longer run begins with the shorter one."""
    assert make_puzzles.run([name, *QUICK[name], "--count", "2", "--seed", "9"]) == 0
    text, told = capsys.readouterr()
    assert told.startswith("2 puzzles with one solution each: ")
    domain = load_domain(name)
    problems = domain.parse(text, "printed")
    grades = ("# propagation", "# look-ahead", "# search")
    assert sum(line.startswith(grades) for line in text.splitlines()) == 2
    make_puzzles.run([name, *QUICK[name], "--count", "3", "--seed", "9", "--json"])
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len({record["name"] for record in records}) == 3
    for problem, record in zip(problems, records, strict=False):
        assert record["name"] == problem.name
        assert record["problem"] == domain.format_problem(problem)
        answer = domain.parse_answer(problem, record["answer"], "answer")
        domain.verify(problem, answer)


@pytest.mark.parametrize("name", QUICK)
def test_a_folder_has_sheets_and_pictures(name: str, tmp_path: Path) -> None:
    """Puzzles without answers, solutions behind them, every SVG well-formed and on its own."""
    folder = tmp_path / "sheets"
    words = [name, *QUICK[name], "--count", "2", "--out", str(folder)]
    assert make_puzzles.run(words) == 0
    domain = load_domain(name)
    problems = domain.parse((folder / "puzzles.txt").read_text(), "puzzles.txt")
    names = [problem.name for problem in problems]
    assert sorted(path.name for path in folder.glob("*.svg")) == sorted(
        f"{one}{end}.svg" for one in names for end in ("", "-solution")
    )
    for one in names:
        empty, solved = (
            len(list(ET.parse(folder / f"{one}{end}.svg").iter("{http://www.w3.org/2000/svg}text")))
            for end in ("", "-solution")
        )
        assert empty < solved
        assert "var(" not in (folder / f"{one}.svg").read_text()
    page = (folder / "puzzles.html").read_text()
    assert page.count("<svg") == 2 * page.count("<figure>") // 2 == 4
    assert all(one in page for one in names)
    before = (folder / "puzzles.txt").read_bytes()
    with pytest.raises(
        InputError, match=r"^--out is .*, which has puzzles: expected a new folder$"
    ):
        make_puzzles.run(words)
    assert (folder / "puzzles.txt").read_bytes() == before


@pytest.mark.parametrize("name", QUICK)
def test_solutions_are_checked(name: str, run: Run, tmp_path: Path) -> None:
    """The solutions of a folder are right answers to its puzzles, by their names."""
    make_puzzles.run([name, *QUICK[name], "--count", "3", "--out", str(tmp_path / "sheets")])
    files = [tmp_path / "sheets" / one for one in ("puzzles.txt", "solutions.txt")]
    found = run("check", name, *files)
    assert found.status == 0, found
    assert found.err.endswith("3 of 3 answers right\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["rna"], "no puzzles are made of rna, only of: latin-square, kakuro, sudoku"),
        (["hex"], "no puzzles are made of hex, only of: latin-square, kakuro, sudoku"),
        (["eterna100"], "no puzzles are made of eterna100, only of: latin-square, kakuro, sudoku"),
        (["sudoku", "--out", "-"], "--out is '-', expected the name of a file"),
        (["sudoku", "--count", "0"], "--count is 0, expected 1 ... 100,000"),
        (["sudoku", "--seed", "-1"], "--seed is -1, expected 0 ... "),
        (["sudoku", "--order", "7"], "order is 7, a prime: expected another for boxes"),
        (["kakuro", "--rows", "12", "--black", "0"], "values is 9, expected 12 or more, as a run"),
    ],
)
def test_errors_are_a_line(words: list[str], message: str) -> None:
    """Errors name the given and the expected value in a line."""
    with pytest.raises(InputError) as error:
        make_puzzles.run(words)
    assert str(error.value).removeprefix("--").startswith(message.removeprefix("--"))


def test_help_names_the_options(capsys: pytest.CaptureFixture[str]) -> None:
    """Those of the problem's puzzles, with their defaults."""
    with pytest.raises(SystemExit):
        make_puzzles.run(["sudoku", "--help"])
    text = capsys.readouterr().out
    for option in ("--minimal", "--grade", "--symmetry", "--holes", "--diagonals", "--out"):
        assert option in text


def test_an_interruption_keeps_what_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The puzzles that are made are written, and counted."""
    make = making.make_puzzle

    def interrupted(
        maker: Any, domain: Any, seed: int, number: int, stop: threading.Event
    ) -> making.Made:
        if number == 2:
            signal.raise_signal(signal.SIGINT)
        return make(maker, domain, seed, number, stop)

    monkeypatch.setattr(making, "make_puzzle", interrupted)
    folder = tmp_path / "sheets"
    words = ["sudoku", *QUICK["sudoku"], "--count", "9", "--out", str(folder)]
    with pytest.raises(KeyboardInterrupt, match=r"^2 of 9 puzzles are in .*sheets$"):
        make_puzzles.run(words)
    found = load_domain("sudoku").parse((folder / "puzzles.txt").read_text(), "puzzles.txt")
    assert len(found) == 2


def test_one_that_is_not_found_costs_no_other(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is told of in a line, and the status is 2; alone it is an error."""
    make = making.make_puzzle

    def lacking(maker: Any, domain: Any, seed: int, number: int, stop: Any) -> making.Made:
        if number == 0:
            raise InputError("no puzzle was found")
        return make(maker, domain, seed, number, stop)

    monkeypatch.setattr(making, "make_puzzle", lacking)
    words = ["sudoku", *QUICK["sudoku"]]
    assert make_puzzles.run([*words, "--count", "3"]) == 2
    out, err = capsys.readouterr()
    assert len(load_domain("sudoku").parse(out, "printed")) == 2
    assert err.startswith("make-puzzles: no puzzle was found\n2 puzzles with one solution each: ")
    assert err.endswith("; 1 not found\n")
    with pytest.raises(InputError, match=r"^no puzzle was found$"):
        make_puzzles.run(words)


def test_the_command_gives_up_where_none_is_found(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three numbers are tried, not all."""
    tried = list[int]()

    def lacking(maker: Any, domain: Any, seed: int, number: int, stop: Any) -> making.Made:
        tried.append(number)
        raise InputError("no puzzle was found")

    monkeypatch.setattr(making, "make_puzzle", lacking)
    with pytest.raises(InputError, match=r"^no puzzle was found$"):
        make_puzzles.run(["sudoku", *QUICK["sudoku"], "--count", "9"])
    assert tried == [0, 1, 2]
    assert capsys.readouterr().err == "make-puzzles: no puzzle was found\n" * 2


def test_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is said of what was made."""
    assert make_puzzles.run(["-q", "sudoku", *QUICK["sudoku"]]) == 0
    assert capsys.readouterr().err == ""
