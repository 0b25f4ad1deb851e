"""`solve`: answers, exit statuses, bad input, and what happens when it is interrupted."""

from __future__ import annotations

import json
import os
import pty
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solver import cli
from solver.domains.latin_square import LatinSquareDomain
from solver.errors import InputError
from tests.commands.shell import Run, ended, launched, wait_until

SQUARE = "1 . 3 .\n. . . 1\n. 1 . .\n. . . .\n"
SOLVED = "1 2 3\n2 3 1\n3 1 2\n"
#: No way to complete it, which propagation alone does not find out.
IMPOSSIBLE = ". 2 . . .\n. 5 . 4 .\n2 . 4 . 1\n4 1 . . .\n. 4 3 . .\n"
CONTRADICTION = "1 2 .\n. . 3\n. . .\n"
PLS = "order 3\n0 -1 -1\n-1 -1 0\n-1 0 -1\n"


def grids(text: str) -> list[list[list[str]]]:
    """Entries of every grid in `text`, without lines that begin with #."""
    blocks = text.split("\n\n")
    lines = [[line.split() for line in b.splitlines() if not line.startswith("#")] for b in blocks]
    return [block for block in lines if block]


def assert_completes(answer: str, problem: str) -> None:
    """`answer` is a Latin square with the givens of `problem`, by the rules alone."""
    (square,), (givens,) = grids(answer), grids(problem)
    values = sorted(str(value + 1) for value in range(len(givens)))
    assert [sorted(line) for line in square] == [values] * len(values)
    assert [sorted(line) for line in zip(*square, strict=True)] == [values] * len(values)
    for given_row, row in zip(givens, square, strict=True):
        assert all(given in (".", value) for given, value in zip(given_row, row, strict=True))


def solved_lines(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


@pytest.fixture
def square(tmp_path: Path) -> Path:
    path = tmp_path / "square.txt"
    path.write_text(SQUARE)
    return path


@pytest.fixture
def impossible(tmp_path: Path) -> Path:
    path = tmp_path / "impossible.txt"
    path.write_text(IMPOSSIBLE)
    return path


def test_a_file(run: Run, square: Path) -> None:
    """The answer is on standard output, how it went on standard error, the status 0."""
    finished = run("solve", "latin-square", square, "--playouts", 1000)
    assert finished.status == 0
    assert_completes(finished.out, SQUARE)
    assert finished.err.startswith(f"{square}: solved and verified: ")
    assert finished.err.count("\n") == 1


@pytest.mark.parametrize(
    "options",
    [
        ["--algorithm", "nrpa", "--level", 1, "--iterations", 5, "--alpha", 0.5],
        ["--algorithm", "gnrpa", "--temperature", 2, "--seed", 3, "--threads", 2],
        ["--propagation", "forward", "--variables", "cells", "--ties", "first"],
        ["--seconds", 60],
        [],
    ],
)
def test_options(run: Run, square: Path, options: list[Any]) -> None:
    """Whatever the way of searching, an answer completes the square."""
    finished = run("solve", "latin-square", square, *options)
    assert finished.status == 0
    assert_completes(finished.out, SQUARE)


def test_a_prior(run: Run, square: Path, prior: Path) -> None:
    """A prior that `learn` made is used, at its temperature or another."""
    for more in ([], ["--prior-temperature", 3]):
        command = ["solve", "latin-square", square, "--prior", prior, "--playouts", 1000, *more]
        finished = run(*command, "--json")
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
    for line, problem in zip(lines, cli.read_problems(domain, namespace(2, 7)), strict=True):
        assert_completes(line["answer"], domain.format_problem(problem))


def namespace(instances: int, seed: int) -> Any:
    parser = cli.build_parser("latin-square")
    return parser.parse_args(["latin-square", f"--instances={instances}", f"--seed={seed}"])


def test_json_lines(run: Run, square: Path) -> None:
    """A line says what was asked, what was spent and what was found."""
    command = ["solve", "latin-square", square, "--playouts", 500, "--seed", 9, "--json"]
    (line,) = solved_lines(run(*command, "--algorithm", "nrpa").out)
    assert line.pop("seconds") >= 0
    assert 1 <= line.pop("playouts") <= 500
    assert_completes(line.pop("answer"), SQUARE)
    assert line == {
        "name": str(square),
        "solved": True,
        "score": 0.0,
        "algorithm": "nrpa",
        "prior": None,
        "seed": 9,
    }


def test_unsolved(run: Run, impossible: Path) -> None:
    """Out of budget the best found is printed, with dots in holes, and the status is 1."""
    finished = run("solve", "latin-square", impossible, "--playouts", 200)
    assert finished.status == 1
    (found,), (givens,) = grids(finished.out), grids(IMPOSSIBLE)
    holes = sum(row.count(".") for row in found)
    assert holes > 0
    how = f"{impossible}: not solved, best score -{holes}: 200 playouts, "
    assert finished.err.startswith(how)
    assert finished.err.count("\n") == 1
    for given_row, row in zip(givens, found, strict=True):
        assert all(given in (".", value) for given, value in zip(given_row, row, strict=True))
        values = [value for value in row if value != "."]
        assert len(set(values)) == len(values)


def test_unsolved_in_json(run: Run, impossible: Path) -> None:
    """A line about a problem that was not solved has its best score and answer."""
    command = ["solve", "latin-square", impossible, "--playouts", 200, "--json"]
    finished = run(*command)
    (line,) = solved_lines(finished.out)
    assert (finished.status, line["solved"], line["playouts"]) == (1, False, 200)
    assert line["score"] == -line["answer"].count(".") < 0


def test_some_unsolved(run: Run) -> None:
    """One problem that is not solved is enough for status 1; the others are answered."""
    text = f"{SQUARE}\n{IMPOSSIBLE}\n{SOLVED}"
    finished = run("solve", "latin-square", "-", "--playouts", 200, "--json", stdin=text)
    assert finished.status == 1
    assert [line["solved"] for line in solved_lines(finished.out)] == [True, False, True]
    assert finished.err.endswith("\n2 of 3 solved and verified\n")


def test_contradictory_givens(run: Run) -> None:
    """Where the givens lead to a dead end at once, it is not solved, and that is said."""
    finished = run("solve", "latin-square", "-", "--playouts", 10, stdin=CONTRADICTION)
    assert finished.status == 1
    assert finished.out == CONTRADICTION
    assert finished.err.startswith("standard input: not solved, best score -6: 10 playouts, ")


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
        nested = ["--level", 1, "--iterations", 32, "--threads", threads]  # runs of 1024 playouts
        lines = solved_lines(run(*command, *nested, stdin=text).out)
        return [{name: line[name] for name in line if name != "seconds"} for line in lines]

    assert found(1) == found(2)


def test_an_output_file(run: Run, square: Path, tmp_path: Path) -> None:
    """With --out answers go to the file, and to it alone."""
    out = tmp_path / "new" / "answers.txt"
    finished = run("solve", "latin-square", square, "--playouts", 1000, "--out", out)
    assert (finished.status, finished.out) == (0, "")
    assert_completes(out.read_text(), SQUARE)
    assert [path.name for path in out.parent.iterdir()] == ["answers.txt"]


@pytest.mark.parametrize("error", [InputError("no"), KeyboardInterrupt()])
def test_a_failing_run_leaves_the_output_as_it_was(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    """An error after the first answer changes nothing on disk."""
    out = tmp_path / "answers.txt"
    out.write_text("what was there")
    real = cli.solve_all

    def fail_after_one(*arguments: Any) -> Iterator[Any]:
        yield next(real(*arguments))
        raise error

    monkeypatch.setattr(cli, "solve_all", fail_after_one)
    text = f"{SQUARE}\n{SOLVED}"
    command = ["solve", "latin-square", "-", "--playouts", 1000, "--out", out]
    finished = run(*command, stdin=text)
    assert finished.status == (2 if isinstance(error, InputError) else 130)
    assert out.read_text() == "what was there"
    assert [path.name for path in tmp_path.iterdir()] == ["answers.txt"]


def test_unwritable_outputs(run: Run, square: Path, tmp_path: Path) -> None:
    """Where the file cannot be written, one line says why."""
    command = ["solve", "latin-square", square, "--playouts", 100, "--out", tmp_path]
    finished = run(*command)
    assert (finished.status, finished.out) == (2, "")
    assert finished.err == f"solve: cannot write {tmp_path}: Is a directory\n"


NO_MORE = "expected more than 0"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--playouts", 0], f"playouts is 0, {NO_MORE}"),
        (["--playouts", "many"], "argument --playouts: invalid int value: 'many'"),
        (["--seconds", 0], f"seconds is 0.0, {NO_MORE}"),
        (["--seconds", "nan"], f"seconds is nan, {NO_MORE}"),
        (["--threads", 0], "--threads is 0, expected 1 or more"),
        (["--instances", 0], "--instances is 0, expected 1 or more"),
        (["--seed", -1], "seed is -1, expected 0 or more"),
        (["--level", 0], "level is 0, expected 1 ... 10"),
        (["--level", 11], "level is 11, expected 1 ... 10"),
        (["--iterations", 0], "iterations is 0, expected 1 or more"),
        (["--alpha", 0], f"alpha is 0.0, {NO_MORE}"),
        (["--alpha", "inf"], f"alpha is inf, {NO_MORE}"),
        (["--temperature", "nan"], f"temperature is nan, {NO_MORE}"),
        (["--dead-ends", -1], "dead_ends is -1, expected 0 or more"),
        (
            ["--algorithm", "magic"],
            "no algorithm called 'magic', expected one of: sampling, nrpa, gnrpa",
        ),
        (["--algorithm", "nrpa", "--prior", "p"], "nrpa takes no prior, use gnrpa"),
        (["--algorithm", "nrpa", "--temperature", 2], "nrpa has no temperature, use gnrpa"),
        (
            ["--algorithm", "sampling", "--iterations", 2],
            "--iterations is for nested searches, not for sampling",
        ),
        (["--prior-temperature", 2], "--prior-temperature needs --prior"),
        (["--prior", "missing.parquet"], "cannot read missing.parquet: no such file"),
        (["--propagation", "full"], "propagation is 'full', expected channeling or forward"),
        (["--variables", "rows"], "variables is 'rows', expected sets or cells"),
        (["--ties", "last"], "ties is 'last', expected random or first"),
        (["--play", 3], "unrecognized arguments: --play 3"),
    ],
)
def test_bad_options(run: Run, square: Path, options: list[Any], message: str) -> None:
    """What makes no sense ends with status 2 and one line on standard error."""
    finished = run("solve", "latin-square", square, *options)
    assert (finished.status, finished.out, finished.err) == (2, "", f"solve: {message}\n")


def test_priors_that_do_not_fit(run: Run, square: Path, prior: Path) -> None:
    """A file that is no prior, or a temperature that makes none, is refused in one line."""
    command = ["solve", "latin-square", square, "--prior"]
    text = run(*command, square)
    assert text.status == 2
    assert text.err.startswith(f"solve: {square}: not a readable parquet file (")
    assert text.err.count("\n") == 1
    cold = run(*command, prior, "--prior-temperature", 0)
    message = "solve: prior temperature is 0.0, expected more than 0\n"
    assert (cold.status, cold.out, cold.err) == (2, "", message)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no grid found, expected lines of values and holes"),
        (b"1 2\n", "line 1: 2 entries, expected 1 as the grid has 1 lines"),
        (b"1 3\n. .\n", "line 1, entry 2: '3', expected 1 ... 2, or - . 0 _ for a hole"),
        (b"1 1\n. .\n", "line 1: the same given stands in columns 1 and 2 of row 1"),
        (b"order 2\n0 1\n", "1 rows, expected 2 as line 1 says"),
        (b"\xff\xfe\x00", "not a text file (byte 0 is not UTF-8)"),
    ],
)
def test_bad_files(run: Run, tmp_path: Path, content: bytes, message: str) -> None:
    """A file that holds no problem is named with the place and what was expected."""
    path = tmp_path / "bad.txt"
    path.write_bytes(content)
    finished = run("solve", "latin-square", path)
    assert (finished.status, finished.out, finished.err) == (2, "", f"solve: {path}: {message}\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the following arguments are required: PROBLEM"),
        (["sudoku"], "no domain called 'sudoku', expected one of: latin-square"),
        (["latin-square", "missing.txt"], "cannot read missing.txt: No such file or directory"),
        (["latin-square", "."], "cannot read .: Is a directory"),
        (
            ["latin-square", "-"],
            "standard input: no grid found, expected lines of values and holes",
        ),
    ],
)
def test_bad_sources(run: Run, arguments: list[str], message: str) -> None:
    """Without a problem there is nothing to solve."""
    finished = run("solve", *arguments)
    assert (finished.status, finished.out, finished.err) == (2, "", f"solve: {message}\n")


def test_domains_without_generated_instances(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no benchmark set is installed, a file has to be named."""
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: ())
    finished = run("solve", "latin-square")
    assert finished.status == 2
    message = "no generated instances of latin-square are installed, name a file"
    assert finished.err == f"solve: {message}\n"


def test_the_deepest_nesting_starts(run: Run, impossible: Path) -> None:
    """The largest level makes runs of more playouts than can be counted, and still searches."""
    command = ["solve", "latin-square", impossible, "--level", 10, "--iterations", 1000]
    finished = run(*command, "--seconds", 0.1, "--json")
    (line,) = solved_lines(finished.out)
    assert (finished.status, line["solved"]) == (1, False)
    assert line["playouts"] > 0


def test_ctrl_c_prints_the_best_found(impossible: Path) -> None:
    """Interrupted while the bar shows playouts, it prints its best and ends with status 130."""
    terminal, end = pty.openpty()
    command = ["latin-square", impossible.name, "--seconds", 600]
    with launched("solve", *command, stderr=end, cwd=impossible.parent) as process:
        os.close(end)
        os.set_blocking(terminal, False)
        shown = b""

        def read() -> bytes:
            try:
                return os.read(terminal, 4096)
            except OSError:  # nothing there, or the other side was closed
                return b""

        def playing() -> bool:
            nonlocal shown
            shown += read()
            return b"playouts, best -" in shown

        wait_until(playing, process)
        process.send_signal(signal.SIGINT)
        finished = ended(process)
        shown = read()
        while more := read():
            shown += more
        os.close(terminal)
    assert finished.status == 130
    (found,) = grids(finished.out)
    holes = sum(row.count(".") for row in found)
    assert len(found) == 5
    assert holes > 0
    assert f"{impossible.name}: interrupted, best score -{holes}: " in shown.decode()
    assert "Traceback" not in shown.decode()


def test_ctrl_c_among_several(tmp_path: Path) -> None:
    """Interrupted in the second problem, it prints answers up to it and leaves out the rest."""
    path = tmp_path / "three.txt"
    path.write_text(f"{SQUARE}\n{IMPOSSIBLE}\n{SQUARE}")
    command = ["latin-square", path, "--seconds", 600, "--json"]
    with launched("solve", *command) as process:
        assert process.stdout is not None
        first = json.loads(process.stdout.readline())
        process.send_signal(signal.SIGINT)
        finished = ended(process)
    assert finished.status == 130
    assert (first["name"], first["solved"]) == (str(path), True)
    (second,) = solved_lines(finished.out)
    assert (second["name"], second["solved"]) == (f"{path}#2", False)
    assert "Traceback" not in finished.err
    assert finished.err.endswith("\n1 of 3 solved and verified\n")


def test_a_reader_that_leaves(tmp_path: Path) -> None:
    """When the reader of the answers leaves, as `head` does, it ends quietly and at once."""
    path = tmp_path / "many.txt"
    path.write_text("\n".join([SQUARE, *[IMPOSSIBLE] * 3, *[SQUARE] * 5]))
    command = ["latin-square", path, "--playouts", 2000, "--json"]
    with launched("solve", *command) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["solved"]
        process.stdout.close()
        process.stdout = None
        finished = ended(process)
    assert finished.status == 1
    assert "Traceback" not in finished.err
    assert "BrokenPipe" not in finished.err


def test_the_rest_is_not_solved_when_the_reader_leaves(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Problems that nobody will see the answers of are not searched."""
    searched = []
    real = cli.as_json

    def broken(domain: Any, solution: Any, arguments: Any) -> str:
        searched.append(solution.problem.name)
        if len(searched) == 2:
            raise InputError("the reader left")
        return real(domain, solution, arguments)

    monkeypatch.setattr(cli, "as_json", broken)
    text = "\n".join([SQUARE, SQUARE, *[IMPOSSIBLE] * 3])
    command = ["solve", "latin-square", "-", "--seconds", 600, "--json"]
    finished = run(*command, stdin=text)
    assert finished.status == 2
    assert searched == ["standard input", "standard input#2"]


def test_answers_have_the_values_of_the_grid() -> None:
    """The squares of these tests are what their names say."""
    domain = LatinSquareDomain()
    (impossible,) = domain.parse(IMPOSSIBLE, "impossible")
    assert completions(impossible.data.tolist()) == 0
    (square,) = domain.parse(SQUARE, "square")
    assert completions(square.data.tolist()) > 1


def completions(grid: Any) -> int:
    """Number of ways to complete a grid, by trying all values of the tightest hole."""
    order = len(grid)
    choices = [
        (set(range(order)) - set(grid[r]) - {row[c] for row in grid}, r, c)
        for r, c in np.ndindex(order, order)
        if grid[r][c] < 0
    ]
    if not choices:
        return 1
    values, r, c = min(choices, key=lambda choice: len(choice[0]))
    found = 0
    for value in values:
        grid[r][c] = value
        found += completions(grid)
    grid[r][c] = -1
    return found
