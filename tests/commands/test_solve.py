"""`solve`: answers, exit statuses, options and outputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from solver.commands import solve as cli
from solver.commands.options import version
from solver.commands.solve_parser import build_parser
from solver.domains.latin_square.domain import LatinSquareDomain
from solver.domains.latin_square.text import parse_grids
from tests.commands.shell import Run
from tests.commands.squares import (
    CONTRADICTION,
    IMPOSSIBLE,
    PLS,
    SOLVED,
    SQUARE,
    assert_completes,
    completions,
    grids,
    solved_lines,
)

#: Playouts that do not back out, so that few of them prove nothing.
SHORT = ["--playouts", 200, "--dead-ends", 0]


def test_a_file(run: Run, square: Path) -> None:
    """The answer is on standard output, how it went on standard error, the status 0."""
    finished = run("solve", "latin-square", square, "--playouts", 1000)
    assert finished.status == 0
    assert_completes(finished.out, SQUARE)
    assert finished.err.startswith(f"{square.name}: solved and verified: ")
    assert finished.err.count("\n") == 1


@pytest.mark.parametrize(
    "options",
    [
        ["--algorithm", "nrpa", "--level", 1, "--iterations", 5, "--alpha", 0.5],
        ["--algorithm", "gnrpa", "--temperature", 2, "--seed", 3, "--threads", 2],
        ["--propagation", "forward", "--variables", "cells", "--ties", "first"],
        ["--algorithm", "cegls", "--prior", "none", "--threads", 2],
        ["--algorithm", "cegls", "--proposals", "prior:0.8,uniform:0.2", "--noise", 0.5],
        ["--seconds", 60],
        [],
    ],
)
def test_options(run: Run, square: Path, options: list[Any]) -> None:
    """Whatever the way of searching, an answer completes the square."""
    finished = run("solve", "latin-square", square, *options)
    assert finished.status == 0
    assert_completes(finished.out, SQUARE)


def test_options_before_the_file(run: Run, square: Path) -> None:
    """The place of the file among the options makes no difference."""
    finished = run("solve", "--seed", 3, "latin-square", "--playouts", 1000, square)
    assert finished.status == 0
    assert_completes(finished.out, SQUARE)


def test_a_prior(run: Run, square: Path, prior: Path) -> None:
    """A prior that `learn` made is used, at its temperature or another."""
    for more in ([], ["--prior-temperature", 3]):
        command = ["solve", "latin-square", square, "--algorithm", "gnrpa", "--prior", prior, *more]
        finished = run(*command, "--playouts", 1000, "--json")
        assert finished.status == 0
        (line,) = solved_lines(finished.out)
        assert line["prior"] == str(prior)
        assert_completes(line["answer"], SQUARE)


def test_standard_input(run: Run) -> None:
    """A dash reads standard input."""
    finished = run("solve", "latin-square", "-", "--playouts", 1000, stdin=SQUARE)
    assert finished.status == 0
    assert_completes(finished.out, SQUARE)
    assert finished.err.startswith("standard input: solved and verified: ")


def test_pls_files(run: Run, tmp_path: Path) -> None:
    """A `.pls` file counts from 0, the answer from 1."""
    path = tmp_path / "square.pls"
    path.write_text(PLS)
    finished = run("solve", "latin-square", path, "--playouts", 1000)
    assert finished.status == 0
    assert_completes(finished.out, "1 . .\n. . 1\n. 1 .\n")


@pytest.mark.parametrize("threads", [1, 2])
def test_several_grids(run: Run, threads: int) -> None:
    """Answers come in the order of the problems, each under its name, and read back."""
    text = f"# first\n{SQUARE}\n{SOLVED}\n# last\n. .\n. .\n"
    command = ["solve", "latin-square", "-", "--playouts", 1000, "--threads", threads]
    finished = run(*command, stdin=text)
    assert finished.status == 0
    names = ["first", "standard input#2", "last"]
    found = LatinSquareDomain().parse(finished.out, "out")
    assert [problem.name for problem in found] == names
    blocks = finished.out.strip().split("\n\n")
    for block, problem in zip(blocks, (SQUARE, SOLVED, ". .\n. .\n"), strict=True):
        assert_completes(block + "\n", problem)
    *lines, last = finished.err.splitlines()
    assert [line.partition(": solved and verified: ")[0] for line in lines] == names
    assert last == "3 of 3 solved and verified"


def test_generated_instances(run: Run) -> None:
    """Without a file the benchmark set of the seed is solved, one JSON line per problem."""
    command = ["solve", "latin-square", "--instances", 2, "--seed", 7, "--seconds", 60, "--json"]
    finished = run(*command, "--threads", 2)
    assert finished.status == 0
    lines = solved_lines(finished.out)
    names = ["latin-20-168-random-7-0", "latin-20-168-random-7-1"]
    assert [line["name"] for line in lines] == names
    domain = LatinSquareDomain()
    for line, problem in zip(lines, cli.read_problems(domain, None, namespace(2, 7)), strict=True):
        assert_completes(line["answer"], domain.format_problem(problem))


def namespace(instances: int, seed: int) -> Any:
    parser = build_parser("latin-square")
    return parser.parse_args(["latin-square", f"--instances={instances}", f"--seed={seed}"])


def test_json_lines(run: Run, square: Path) -> None:
    """A line says what was asked, what was spent and what was found."""
    command = ["solve", "latin-square", square, "--playouts", 500, "--seed", 9, "--json"]
    (line,) = solved_lines(run(*command, "--algorithm", "nrpa").out)
    assert line.pop("seconds") >= 0
    assert 1 <= line.pop("playouts") <= 500
    assert_completes(line.pop("answer"), SQUARE)
    assert line.pop("parameters")["level"] == 2
    assert parse_grids(line.pop("problem"), "problem")[0][1].shape == (4, 4)
    assert line == {
        "name": square.name,
        "domain": "latin-square",
        "status": "solved",
        "solved": True,
        "score": 0.0,
        "best_known": None,
        "algorithm": "nrpa",
        "prior": None,
        "prior_temperature": None,
        "seed": 9,
        "threads": 1,
        "budget": {"playouts": 500, "seconds": None},
        "version": version(),
        "error": None,
    }


def test_unsolved(run: Run, impossible: Path) -> None:
    """Out of budget the best found is printed, with dots in holes, and the status is 1."""
    finished = run("solve", "latin-square", impossible, *SHORT)
    assert finished.status == 1
    (found,), (givens,) = grids(finished.out), grids(IMPOSSIBLE)
    holes = sum(row.count(".") for row in found)
    assert holes > 0
    how = f"{impossible.name}: not solved, best score -{holes}: 200 playouts, "
    assert finished.err.startswith(how)
    assert finished.err.count("\n") == 1
    for given_row, row in zip(givens, found, strict=True):
        assert all(given in (".", value) for given, value in zip(given_row, row, strict=True))
        values = [value for value in row if value != "."]
        assert len(set(values)) == len(values)


def test_unsolved_in_json(run: Run, impossible: Path) -> None:
    """A line about a problem that was not solved has its best score and answer."""
    finished = run("solve", "latin-square", impossible, *SHORT, "--json")
    (line,) = solved_lines(finished.out)
    assert (finished.status, line["solved"], line["playouts"]) == (1, False, 200)
    assert line["status"] == "budget"
    assert line["score"] == -line["answer"].count(".") < 0


def test_some_unsolved(run: Run) -> None:
    """One problem that is not solved is enough for status 1; the others are answered."""
    text = f"{SQUARE}\n{IMPOSSIBLE}\n{SOLVED}"
    finished = run("solve", "latin-square", "-", *SHORT, "--json", stdin=text)
    assert finished.status == 1
    assert [line["solved"] for line in solved_lines(finished.out)] == [True, False, True]
    assert finished.err.endswith("\n2 of 3 solved and verified\n")


def test_contradictory_givens(run: Run) -> None:
    """Givens that lead to a dead end at once prove that there is no answer, with status 3."""
    finished = run("solve", "latin-square", "-", "--playouts", 10, stdin=CONTRADICTION)
    assert finished.status == 3
    assert finished.out == CONTRADICTION
    assert finished.err.startswith(
        "standard input: proved infeasible by propagation alone: 1 playout, "
    )


def test_every_way_tried(run: Run, impossible: Path) -> None:
    """A search that has backed out of every dead end has proved it, too."""
    command = ["solve", "latin-square", impossible, "--playouts", 5000, "--dead-ends", 5000]
    finished = run(*command, "--json")
    (line,) = solved_lines(finished.out)
    assert (finished.status, line["status"], line["solved"]) == (3, "infeasible", False)
    assert finished.err.startswith(f"{impossible.name}: proved infeasible: ")


def test_infeasible_beside_others(run: Run) -> None:
    """Status 3 stands where nothing but infeasible problems is left, 1 where the budget ended."""
    text = f"{SQUARE}\n{CONTRADICTION}"
    finished = run("solve", "latin-square", "-", *SHORT, stdin=text)
    assert finished.status == 3
    assert finished.err.endswith("\n1 of 2 solved and verified, 1 proved infeasible\n")
    finished = run("solve", "latin-square", "-", *SHORT, stdin=f"{text}\n{IMPOSSIBLE}")
    assert finished.status == 1
    assert finished.err.endswith("\n1 of 3 solved and verified, 1 proved infeasible\n")


@pytest.mark.parametrize(
    ("problem", "answer"), [(SOLVED, SOLVED), ("1\n", "1\n"), (".\n", "1\n"), ("1 .\n. .\n", None)]
)
def test_nothing_to_decide(run: Run, problem: str, answer: str | None) -> None:
    """Complete squares, order 1 and what propagation fills are solved by one playout."""
    finished = run("solve", "latin-square", "-", "--playouts", 10, "--json", stdin=problem)
    assert finished.status == 0
    (line,) = solved_lines(finished.out)
    assert (line["solved"], line["playouts"], line["score"]) == (True, 1, 0.0)
    assert line["answer"] == (answer or "1 2\n2 1\n")


@pytest.mark.parametrize("text", [IMPOSSIBLE, f"{IMPOSSIBLE}\n{SQUARE}"])
def test_threads_do_not_change_the_answer(run: Run, text: str) -> None:
    """Seed and playouts decide what is found, for one problem or several."""

    def found(threads: int) -> list[dict[str, Any]]:
        command = ["solve", "latin-square", "-", "--playouts", 5000, "--seed", 3, "--json"]
        command += ["--dead-ends", 0]
        nested = ["--level", 1, "--iterations", 32, "--threads", threads]  # runs of 1024 playouts
        lines = solved_lines(run(*command, *nested, stdin=text).out)
        return [
            {name: line[name] for name in line if name not in ("seconds", "threads")}
            for line in lines
        ]

    assert found(1) == found(2)


def test_an_output_file(run: Run, square: Path, tmp_path: Path) -> None:
    """With --out answers go to the file, and to it alone."""
    out = tmp_path / "new" / "answers.txt"
    finished = run("solve", "latin-square", square, "--playouts", 1000, "--out", out)
    assert (finished.status, finished.out) == (0, "")
    assert_completes(out.read_text(), SQUARE)
    assert [path.name for path in out.parent.iterdir()] == ["answers.txt"]


def test_answers_have_the_values_of_the_grid() -> None:
    """The squares of these tests are what their names say."""
    domain = LatinSquareDomain()
    (impossible,) = domain.parse(IMPOSSIBLE, "impossible")
    assert completions(impossible.data.tolist()) == 0
    (square,) = domain.parse(SQUARE, "square")
    assert completions(square.data.tolist()) > 1
