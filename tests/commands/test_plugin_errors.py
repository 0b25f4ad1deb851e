"""Mistakes in a stranger's own problem, told in a line that names the place."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.results.runs import read_runs
from tests.docs.guide import DOMAIN, INTERPRETED, Outside

FILE = DOMAIN.file
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


#: Fails for graphs of three vertices alone, as the code of users may for some problems.
FAILS = "if len(problem.data.near) == 3: print(problem.datum)"
PIECES = (
    "        return [Problem(source, Graph(colours, near | near.T))]\n",
    "        return [Problem(source, Graph(colours, near | near.T))]\n\n"
    "    def parse(self, text, source):\n"
    "        parts = enumerate(text.split('---'), 1)\n"
    "        return [self.one(part, f'{source} {n}')[0] for n, part in parts]\n",
)
ONE = (
    "    def parse(self, text, source):\n        try",
    "    def one(self, text, source):\n        try",
)


@pytest.mark.parametrize(
    "where", ["def verify(self, problem, answer):\n", "def instance(self, problem, options):\n"]
)
def test_an_error_costs_one_problem(outside: Outside, where: str) -> None:
    """The others are solved; a line has its type and place."""
    spoil(outside, PIECES, ONE, (where, f"{where}        {FAILS}\n"))
    (outside.folder / "three.txt").write_text(f"3 4 1 2\n---\n{TRIANGLE}---\n2 2 1 2\n")
    done = outside.run("solve", FILE, "three.txt", *SEARCH, **INTERPRETED)
    assert done.returncode == 2, done.stderr
    assert [line for line in done.stdout.splitlines() if line.startswith("#")] == [
        "# three.txt 1",
        "# three.txt 3",
    ]
    (line,) = (line for line in done.stderr.splitlines() if "three.txt 2: " in line)
    at = (outside.folder / FILE).read_text().split("print(")[0].count("\n") + 1
    place = f"{outside.folder / FILE}, line {at}"
    assert line.startswith(f"three.txt 2: error: {place}: AttributeError: ")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "method", ["verify(self, problem, answer)", "instance(self, problem, options)"]
)
def test_an_error_costs_the_runs_of_one_problem(outside: Outside, method: str) -> None:
    """A comparison goes on; its row of that problem has the error, and so has a line."""
    where = f"    def {method}:\n"
    spoil(outside, PIECES, ONE, (where, f"{where}        {FAILS}\n"))
    (outside.folder / "three.txt").write_text(f"3 4 1 2\n---\n{TRIANGLE}---\n2 2 1 2\n")
    words = ("compare", FILE, "three.txt", *SEARCH, "--prior", "none", "--out", "report")
    done = outside.run(*words, **INTERPRETED)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "three.txt 2, sampling with none: " in done.stderr
    rows = read_runs(outside.folder / "report")
    assert sorted(rows["status"]) == ["error", "solved", "solved"]
    (message,) = rows["message"].dropna()
    assert message.startswith(f"{outside.folder / FILE}, line ")
    assert message.endswith("AttributeError: 'Problem' object has no attribute 'datum'")


SQUARES = """
from solver.domains.latin_square.domain import LatinSquareDomain

class Squares(LatinSquareDomain):
    name = "squares"
    shipped_prior = None

    def verify(self, problem, answer):
        if len(answer) == 2:
            raise RuntimeError("even")
"""


def test_an_error_costs_the_solutions_of_one_problem(outside: Outside) -> None:
    """Those of the others are listed."""
    outside.write(SQUARES)
    (outside.folder / "three.txt").write_text("1\n\n1 .\n. .\n\n1\n")
    done = outside.run("solve", FILE, "three.txt", "--solutions", "2", **INTERPRETED)
    assert done.returncode == 2, done.stderr
    assert done.stdout == "# three.txt\n1\n\n# three.txt#3\n1\n\n"
    (line,) = (line for line in done.stderr.splitlines() if "error" in line)
    assert line.endswith(f"{outside.folder / FILE}, line 10: RuntimeError: even")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("old", "new", "words", "expected"),
    [
        (
            "        colours, near = problem.data\n        if",
            "        problem.datum\n        if",
            ("solve", FILE, "triangle.txt", *SEARCH),
            f"solve: AT/{FILE}, line ",
        ),
        (
            "        except (ValueError, IndexError) as error:",
            "            raise RuntimeError('odd')\n        except IndexError as error:",
            ("solve", FILE, "triangle.txt"),
            f"solve: triangle.txt: AT/{FILE}, line ",
        ),
        (
            "return [Problem(source, Graph(colours, near | near.T))]",
            "return Problem(source, Graph(colours, near | near.T))",
            ("solve", FILE, "triangle.txt"),
            "solve: graph-colouring: parse returns a Problem, expected a list of Problem\n",
        ),
        (
            "        chance = np.",
            "        raise ValueError('no luck')\n        chance = np.",
            ("learn", FILE, "--instances", "20", "--threads", "1"),
            f"learn: generated instance 0 of seed 1: AT/{FILE}, line ",
        ),
        (
            "colours, near = problem.data\n        lines",
            "colours, near, more = problem.data\n        lines",
            ("learn", FILE, "--instances", "20", "--threads", "1"),
            f"learn: generated instance 0 of seed 1: AT/{FILE}, line ",
        ),
    ],
)
def test_an_error_is_a_line(
    outside: Outside, old: str, new: str, words: tuple[str, ...], expected: str
) -> None:
    """It names the file and line of the user's own."""
    spoil(outside, (old, new))
    error = error_of(outside, *words).replace(str(outside.folder), "AT")
    assert error.startswith(expected)


def test_an_answer_that_is_not_read(outside: Outside) -> None:
    """Whatever the reader raises, the answers behind it are checked."""
    reads = ("return np.array(text.split(), np.int64) - 1", "return np.array(text.split()) - 1 / 0")
    spoil(outside, PIECES, ONE, reads)
    (outside.folder / "two.txt").write_text(f"{TRIANGLE}---\n{TRIANGLE}")
    (outside.folder / "answers.txt").write_text("# two.txt 1\n1 2 3\n# two.txt 2\n1 2 3\n")
    done = outside.run("-c", CHECK, **INTERPRETED)
    assert done.returncode == 2, done.stderr
    place = f"answers.txt: {outside.folder / FILE}, line "
    for line, name in zip(done.stdout.splitlines(), ("two.txt 1", "two.txt 2"), strict=True):
        assert line.startswith(f"{name}: unreadable: {place}")
        assert line.endswith("ZeroDivisionError: division by zero")


CHECK = f"""
import sys
from solver.commands.check.command import main
sys.argv = ["check", {FILE!r}, "two.txt", "answers.txt"]
main()
"""


ORDERED = """
from dataclasses import dataclass

from solver.domains.latin_square.domain import LatinSquareDomain
from solver.domains.latin_square.kernels import LatinSquareOptions

@dataclass(frozen=True)
class Options(LatinSquareOptions):
    \"\"\"Options.

    Parameters
    ----------
    order : int
        Any.
    \"\"\"

    order: int = 4

class Ordered(LatinSquareDomain):
    name = "ordered"
    options = Options
    shipped_prior = None
"""


@pytest.mark.parametrize("name", ["source", "subject"])
def test_an_option_called_as_an_argument(outside: Outside, name: str) -> None:
    """The file of the problems would be its value."""
    outside.write(
        ORDERED.replace("order : int", f"{name} : int").replace("order: int", f"{name}: int")
    )
    expected = f"Options: {name} is another option of the command, expected another name\n"
    assert error_of(outside, "solve", FILE, "triangle.txt").endswith(expected)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("best_parameters = {'foo': 1}", "best_parameters has 'foo', expected parameters of gnrpa"),
        ("best_parameters = 3", "best_parameters is 3, expected a dictionary"),
        ("priors = None", "priors is None, expected a dictionary"),
        ("target = 'x'", "target is 'x', expected a number, or None"),
        ("verification_playouts = 'x'", "verification_playouts is 'x', expected a number"),
        ("designer = 5", "designer is 5, expected a class, or an import string"),
        ("options = 3", "options is no dataclass"),
    ],
)
def test_attributes_of_other_kinds(outside: Outside, line: str, expected: str) -> None:
    """The class and the attribute are named before anything is searched."""
    outside.write(f"{ORDERED}    {line}\n")
    (outside.folder / "one.txt").write_text("1\n")
    assert error_of(outside, "solve", FILE, "one.txt", "--algorithm", "gnrpa").endswith(
        f": {expected}\n"
    )


@pytest.mark.parametrize(
    ("lines", "algorithm"),
    [
        (
            "    target = None\n    def objective(self, problem, answer):\n        return 0.0\n",
            "complete",
        ),
        ("    @property\n    def target(self):\n        return 0.0\n", "sampling"),
    ],
)
def test_targets_that_are_taken(outside: Outside, lines: str, algorithm: str) -> None:
    """A search of all answers needs none; a property has its value later."""
    outside.write(ORDERED + lines)
    (outside.folder / "one.txt").write_text("1\n")
    words = ["--algorithm", algorithm, "--playouts", "5"]
    done = outside.run("solve", FILE, "one.txt", *words, **INTERPRETED)
    assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr


def test_dead_ends_without_a_target(outside: Outside) -> None:
    """Playouts would go on from their answers, and the last of them would count alone."""
    lines = "    target = None\n    def objective(self, problem, answer):\n        return 0.0\n"
    outside.write(ORDERED + lines)
    (outside.folder / "one.txt").write_text("1\n")
    expected = "solve: --dead-ends is 100, expected 0 as ordered has no target\n"
    assert error_of(outside, "solve", FILE, "one.txt", "--algorithm", "sampling") == expected


def test_an_option_called_as_one_of_rna(outside: Outside) -> None:
    """`--order` is its own, and no name of a file."""
    outside.write(ORDERED)
    (outside.folder / "one.txt").write_text("1\n")
    for words in ([], ["--order", "3", "--out", "answer.txt"]):
        done = outside.run("solve", FILE, "one.txt", "--playouts", "5", *words, **INTERPRETED)
        assert done.returncode == 0, done.stderr
