"""`solve`: options, files, sources and priors that are refused, and outputs that fail."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from solver.domains.latin_square.domain import LatinSquareDomain
from solver.errors import VerificationError
from tests.commands.launch import KERNELS_VARIABLE
from tests.commands.shell import KNOWN, ROOT, Run, kernels_folder
from tests.commands.squares import SOLVED, SQUARE, solved_lines

NO_MORE = "expected more than 0"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--playouts", 0], f"--playouts is 0, {NO_MORE}"),
        (["--playouts", "many"], "--playouts is 'many', expected a whole number"),
        (["--seconds", 0], f"--seconds is 0.0, {NO_MORE}"),
        (["--seconds", "nan"], f"--seconds is nan, {NO_MORE}"),
        (["--threads", 0], "--threads is 0, expected 1 or more"),
        (["--instances", 0], "--instances is 0, expected 1 or more"),
        (["--seed", -1], "--seed is -1, expected 0 or more"),
        (["--level", 0], "--level is 0, expected 1 ... 10"),
        (["--level", 11], "--level is 11, expected 1 ... 10"),
        (["--iterations", 0], "--iterations is 0, expected 1 or more"),
        (["--alpha", 0], f"--alpha is 0.0, {NO_MORE}"),
        (["--alpha", "inf"], f"--alpha is inf, {NO_MORE}"),
        (["--temperature", "nan"], "--temperature is nan, expected a number, more than 0"),
        (["--dead-ends", -1], "--dead-ends is -1, expected 0 or more"),
        (
            ["--algorithm", "magic"],
            "no algorithm called 'magic', expected one of: sampling, nrpa, gnrpa, "
            "bias-gnrpa, beam-nrpa, parallel-nrpa, pareto-nrpa, nmcs, cegls, ils, tempering, "
            "relay, complete, portfolio, flat, uct, rave, grave, mcps, puct, two-level-grave",
        ),
        (["--algorithm", "nrpa", "--prior", "p"], "nrpa takes no prior, use gnrpa"),
        (["--algorithm", "nrpa", "--temperature", 2], "nrpa has no temperature, use gnrpa"),
        (
            ["--algorithm", "sampling", "--iterations", 2],
            "--iterations is for nested searches, not for sampling",
        ),
        (
            ["--prior", "none", "--prior-temperature", 2],
            "--prior-temperature needs a --prior from a file",
        ),
        (["--prior", "missing.parquet"], "cannot read missing.parquet: no such file"),
        (["--propagation", "full"], "--propagation is 'full', expected channeling or forward"),
        (["--variables", "rows"], "--variables is 'rows', expected sets or cells"),
        (["--ties", "last"], "--ties is 'last', expected random or first"),
        (["--play", 3], "unrecognized arguments: --play 3"),
    ],
)
def test_bad_options(run: Run, square: Path, options: list[Any], message: str) -> None:
    """Invalid options end with status 2 and one line on standard error."""
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
    message = "solve: --prior-temperature is 0.0, expected more than 0\n"
    assert (cold.status, cold.out, cold.err) == (2, "", message)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no grid found, expected lines of values and holes"),
        (b"1 2\n", "line 1: 2 entries, expected 1 as the grid has 1 lines"),
        (b"1 3\n. .\n", "line 1, entry 2: '3', expected 1 ... 2, or - . 0 _ for a hole"),
        (b"1 1\n. .\n", "line 1: the same given stands in columns 1 and 2 of row 1"),
        (b"order 2\n0 1\n", "1 rows, expected 2 as line 1 says"),
        (b"\xff\xfb\x00", "not a text file (byte 1 is not UTF-8)"),
        ("1\n".encode("utf-16-le"), "not text in UTF-8, but UTF-16 text: save it as UTF-8"),
        (gzip.compress(b"1\n", mtime=0), "not text in UTF-8, but a gzip file: unpack it first"),
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
        (["nonogram"], f"no problem or game called 'nonogram', expected one of: {KNOWN}"),
        (
            ["hexx", "--size", 3],
            f"no problem or game called 'hexx' (did you mean hex?), expected one of: {KNOWN}",
        ),
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
    """Domains without a generator need a file, and nothing can be learned of them."""
    monkeypatch.setattr(LatinSquareDomain, "generator", None)
    for command in ("solve", "learn", "compare"):
        finished = run(command, "latin-square")
        message = "latin-square has no generator of instances, name a file"
        assert (finished.status, finished.err) == (2, f"{command}: {message}\n")


def test_an_import_string_of_nothing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """An import string of a domain that leads nowhere is reported in a line."""
    monkeypatch.setattr(LatinSquareDomain, "generator", "generators.latin_square:Nothing")
    finished = run("solve", "latin-square")
    assert finished.status == 2
    assert finished.err.startswith("solve: 'generators.latin_square:Nothing' cannot be imported: ")
    assert finished.err.count("\n") == 1


def test_closed_and_full_streams(square: Path) -> None:
    """Standard streams that are closed or full are told of in one line, with status 2."""
    command = f"{sys.executable} -m tests.commands.launch solve latin-square"
    cases = {
        f"{command} - <&-": "standard input is closed",
        f"{command} {square} --playouts 10 >&-":
            "standard output is closed, name a file with --out",
        f"{command} {square} --playouts 10 > /dev/full":
            "cannot write to standard output: No space left on device",
        f"PYTHONUNBUFFERED=1 {command} --version > /dev/full": "No space left on device",
    }  # fmt: skip
    for words, message in cases.items():
        done = subprocess.run(
            ["bash", "-c", words], cwd=ROOT, capture_output=True, text=True, check=False,
            env=os.environ | {KERNELS_VARIABLE: kernels_folder()},
        )  # fmt: skip
        errors = [line for line in done.stderr.splitlines() if not line.startswith("compiling")]
        assert (done.returncode, errors) == (2, [f"solve: {message}"])


def test_an_output_that_is_not_utf_8(tmp_path: Path) -> None:
    """Letters that it does not have are written as numbers, and cost no problem."""
    path = tmp_path / "named.txt"
    path.write_text("# n\u00e4me\n1 .\n. .\n\n# b\n1 .\n. .\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "tests.commands.launch", "solve", "latin-square", str(path)],
        cwd=ROOT, capture_output=True, text=True, check=False,
        env=os.environ | {KERNELS_VARIABLE: kernels_folder(), "PYTHONIOENCODING": "ascii"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout == "# n\\xe4me\n1 2\n2 1\n\n# b\n1 2\n2 1\n\n"


def test_one_failure_costs_no_other(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A problem that cannot be searched is told of; the others are answered, with status 2."""
    real = LatinSquareDomain.verify

    def reject_order_3(domain: Any, problem: Any, answer: Any) -> None:
        if len(answer) == 3:
            raise VerificationError("no square of order 3 is accepted")
        real(domain, problem, answer)

    monkeypatch.setattr(LatinSquareDomain, "verify", reject_order_3)
    text = f"{SQUARE}\n{SOLVED}\n{SQUARE}"
    finished = run("solve", "latin-square", "-", "--playouts", 100, "--json", stdin=text)
    assert finished.status == 2
    lines = solved_lines(finished.out)
    assert [line["status"] for line in lines] == ["solved", "error", "solved"]
    assert lines[1]["error"] == "no square of order 3 is accepted"
    assert "\nstandard input#2: error: no square of order 3" in finished.err
    assert finished.err.endswith("\n2 of 3 solved and verified, 1 failed\n")
    finished = run("solve", "latin-square", "-", "--playouts", 100, stdin=SOLVED)
    assert (finished.status, finished.err.count("\n")) == (2, 1)


def test_unwritable_outputs(run: Run, square: Path, tmp_path: Path) -> None:
    """An unwritable file is reported in one line with the reason."""
    command = ["solve", "latin-square", square, "--playouts", 100, "--out", tmp_path]
    finished = run(*command)
    assert (finished.status, finished.out) == (2, "")
    expected = f"cannot write {tmp_path}: a folder, expected the name of a file"
    assert finished.err == f"solve: {expected}\n"
    finished = run("solve", "latin-square", square, "--out", "")
    expected = "--out is empty, expected the name of a file"
    assert (finished.status, finished.err) == (2, f"solve: {expected}\n")


@pytest.mark.parametrize(
    "words", [["latin-square", "square.txt", "--out", "-"], ["hex", "-o", "-"]]
)
def test_results_need_no_dash(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    """No file called - is written: standard output is there without."""
    monkeypatch.chdir(tmp_path)
    finished = run("solve", *words)
    expected = "--out is '-', expected the name of a file"
    hint = "without --out results go to standard output"
    assert (finished.status, finished.out) == (2, "")
    assert finished.err == f"solve: {expected}; {hint}\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["morpion", "--instances", 3], "--instances is 3, morpion has 1"),
        (["samegame20", "--instances", 50], "--instances is 50, samegame20 has 20"),
    ],
)
def test_more_instances_than_there_are(run: Run, words: list[Any], message: str) -> None:
    """Nobody believes that they are solved."""
    finished = run("solve", *words, "--playouts", 10)
    assert (finished.status, finished.out, finished.err) == (2, "", f"solve: {message}\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["samegame", "-", "--algorithm", "complete"],
            "complete is not for samegame, which cannot back out of dead ends",
        ),
        (
            ["samegame", "-", "--start", -1],
            "--start is '-1', expected a number of playouts or auto",
        ),
        (
            ["samegame", "-", "--changes", "foo"],
            "--changes has 'foo', expected one of add, move, shift, take, replace",
        ),
        (
            ["kakuro", "-", "--algorithm", "portfolio", "--parts", "foo"],
            "--parts has 'foo', expected one of gnrpa, complete, cadical",
        ),
        (
            ["kakuro", "-", "--algorithm", "beam-nrpa", "--beam", "x"],
            "--beam is 'x', expected widths of 1 ... 4096, as in 8 or 8,2",
        ),
        (
            ["kakuro", "-", "--algorithm", "cegls", "--beginnings", "x"],
            "--beginnings has 'x', expected one of drawn, parts, best, part",
        ),
    ],
)
def test_searches_that_do_not_fit(run: Run, words: list[Any], message: str) -> None:
    """The error names the algorithm, or the option."""
    text = "11\n" if words[0] == "samegame" else "X 3\\ 4\\\n\\3 . .\n\\4 . .\n"
    finished = run("solve", *words, stdin=text)
    assert (finished.status, finished.out) == (2, "")
    assert finished.err.splitlines()[-1] == f"solve: {message}"


@pytest.mark.parametrize(("statement", "said"), [("sys.exit(0)", "0"), ("exit()", "None")])
def test_a_file_that_ends_the_program(run: Run, tmp_path: Path, statement: str, said: str) -> None:
    """It is an error of the file: nothing was solved."""
    path = tmp_path / f"ends_the_program_{said}.py"
    path.write_text(f"import sys\n{statement}\n")
    for command in (
        ["solve", path],
        ["solve", "latin-square", "--algorithm", path],
        ["learn", path],
    ):
        finished = run(*command)
        assert (finished.status, finished.out) == (2, "")
        assert f"{path}: line 2: SystemExit: {said}" in finished.err
        assert finished.err.count("\n") == 1


def test_code_that_ends_the_program_later(
    run: Run, monkeypatch: pytest.MonkeyPatch, square: Path
) -> None:
    """A method of a user's class may not end it either."""

    def end(*arguments: Any) -> None:
        sys.exit(0)

    monkeypatch.setattr(LatinSquareDomain, "verify", end)
    finished = run("solve", "latin-square", square)
    line = end.__code__.co_firstlineno + 1
    message = f"solve: {__file__}, line {line}: sys.exit(0) ended the run\n"
    assert (finished.status, finished.err) == (2, message)


def test_a_seed_is_refused_once(run: Run, tmp_path: Path) -> None:
    """It is an error of the command, not of each problem of a file."""
    (tmp_path / "squares.txt").write_text("1\n\n1\n")
    finished = run("solve", "latin-square", tmp_path / "squares.txt", "--seed", -1)
    expected = "solve: --seed is -1, expected 0 or more\n"
    assert (finished.status, finished.out, finished.err) == (2, "", expected)
