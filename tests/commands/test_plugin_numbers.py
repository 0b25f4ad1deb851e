"""Mistakes in what a stranger's own problem returns: scores, bounds, lists; each is a line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pipeline.results.runs import read_runs
from tests.docs.guide import INTERPRETED, Outside

FILE = "knapsack.py"
SAMPLE = ("--algorithm", "sampling", "--playouts", "20")
#: An optimisation problem: take each of some things or leave it.
KNAPSACK = """
from typing import NamedTuple
import numpy as np
from dataclasses import dataclass
from solver.extend import Limits, Problem, Puzzle, VerificationError, rules

class Things(NamedTuple):
    worth: np.ndarray

class Taken(NamedTuple):
    n: np.ndarray
    of: np.ndarray

@rules.reset.register(Things)
def reset(instance, state):
    state.n[0] = 0

@rules.legal_moves.register(Things)
def legal_moves(instance, state, stream, moves):
    if state.n[0] == len(instance.worth):
        return 0
    moves[0], moves[1] = 0, 1
    return 2

@rules.play.register(Things)
def play(instance, state, move):
    state.of[state.n[0]] = move
    state.n[0] += 1

@rules.score.register(Things)
def score(instance, state):
    total = 0.0
    for i in range(state.n[0]):
        total += instance.worth[i] * state.of[i]
    return total

@rules.code.register(Things)
def code(instance, state, move):
    return state.n[0] * 2 + move

@dataclass(frozen=True)
class Made:
    size: int = 4

    def generate(self, seed, number):
        worth = np.random.default_rng([seed, number]).integers(1, 6, self.size)
        return Problem(f"k{number}", worth), np.ones(self.size, np.int64)

class Knapsack(Puzzle):
    name = "knapsack"
    instance_class = Things
    target = None
    priors = {}
    generator = Made

    def parse(self, text, source):
        return [Problem(source, np.array(text.split(), np.int64))]

    def format_problem(self, problem):
        return " ".join(map(str, problem.data)) + "\\n"

    def instance(self, problem, options):
        return Things(np.array(problem.data, np.int64))

    def new_state(self, instance):
        return Taken(np.zeros(1, np.int64), np.zeros(len(instance.worth), np.int64))

    def limits(self, instance):
        n = len(instance.worth)
        return Limits(n, 2, choices=2 * n, codes=2 * n)

    def answer(self, instance, state):
        return state.of[: state.n[0]].copy()

    def verify(self, problem, answer):
        if len(answer) != len(problem.data):
            raise VerificationError("length")

    def objective(self, problem, answer):
        return float((problem.data * answer).sum())

    def format(self, problem, answer):
        return " ".join(map(str, answer)) + "\\n"

    def parse_answer(self, problem, text, source):
        return np.array(text.split(), np.int64)
"""
SCORE = "    return total\n"
OBJECTIVE = "        return float((problem.data * answer).sum())\n"
FOUND = "Problem(source, np.array(text.split(), np.int64))"


def spoilt(tmp_path: Path, old: str, new: str) -> Outside:
    """Return a folder with a problem and the file above, `old` in it exchanged."""
    assert KNAPSACK.count(old) == 1
    outside = Outside(tmp_path)
    (outside.folder / FILE).write_text(KNAPSACK.replace(old, new), encoding="utf-8")
    (outside.folder / "four.txt").write_text("3 1 2 5\n", encoding="utf-8")
    return outside


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (SCORE, "    return np.inf\n", ": a playout scores inf, expected finite numbers"),
        (SCORE, "    return -np.inf\n", ": sampling noted no score above -inf in "),
        (SCORE, "    return np.nan\n", ": sampling noted no score above -inf in "),
        (OBJECTIVE, "        pass\n", "objective returns a NoneType, expected a number"),
        ("Limits(n, 2,", "Limits(n / 1, 2,", "limits has steps 4.0, expected a whole number, 0"),
        ("choices=2 * n", "choices=-n", "limits has choices -4, expected a whole number, 0"),
        (
            "        return Limits(n, 2,",
            "        return (n, 2)\n        Limits(n, 2,",
            "limits returns (4, 2), expected Limits",
        ),
        ("choices=2 * n", "choices=10**16", "sampling: not enough memory for the limits: "),
        (f"[{FOUND}]", "[]", "four.txt: no problem found"),
    ],
)
def test_what_is_no_number_is_a_line(tmp_path: Path, old: str, new: str, expected: str) -> None:
    """No answer is shown, no bug of the package is suspected."""
    done = spoilt(tmp_path, old, new).run("solve", FILE, "four.txt", *SAMPLE, **INTERPRETED)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert expected in done.stderr
    assert "defect" not in done.stderr
    assert "Traceback" not in done.stderr


def test_the_file_above_is_right(tmp_path: Path) -> None:
    """Without a mistake it is solved, and the answer is the best."""
    outside = spoilt(tmp_path, SCORE, SCORE)
    done = outside.run("solve", FILE, "four.txt", "--playouts", "500", **INTERPRETED)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "1 1 1 1\n"


@pytest.mark.parametrize("wrong", ["k0", "k1"])
def test_an_instance_that_cannot_be_built_costs_its_runs(tmp_path: Path, wrong: str) -> None:
    """The others are searched, also where it is the first."""
    built = "        return Things("
    fails = f"        if problem.name == '{wrong}': raise RuntimeError('odd')\n"
    outside = spoilt(tmp_path, built, fails + built)
    words = ("compare", FILE, "--instances", "3", *SAMPLE, "--out", "report")
    done = outside.run(*words, **INTERPRETED)
    assert done.returncode == 2
    rows = read_runs(outside.folder / "report")
    assert sorted(rows["status"]) == ["error", "solved", "solved"]


def test_a_generator_without_an_answer(tmp_path: Path) -> None:
    """It is named, with what it returned."""
    made = '        return Problem(f"k{number}", worth), np.ones(self.size, np.int64)\n'
    outside = spoilt(tmp_path, made, "        pass\n")
    expected = "knapsack.Made: generate returns None, expected a Problem and its answer\n"
    for words in (["compare", FILE, "--out", "report"], ["solve", FILE, "--instances", "1"]):
        done = outside.run(*words, *SAMPLE, **INTERPRETED)
        assert done.returncode == 2
        assert done.stderr.endswith(expected), done.stderr


def test_an_option_that_is_taken(tmp_path: Path) -> None:
    """The class and the field are named."""
    outside = spoilt(tmp_path, "    size: int = 4\n", "    size: int = 4\n    seed: int = 1\n")
    done = outside.run("learn", FILE, "--instances", "2", **INTERPRETED)
    expected = "knapsack.Made: seed is another option of the command, expected another name\n"
    assert (done.returncode, done.stderr) == (2, f"learn: {expected}")


@pytest.mark.parametrize(
    ("returned", "status", "word", "why"),
    [
        ("np.nan", 1, "wrong", "the score is nan"),
        ("None", 2, "unreadable", "knapsack: objective returns a NoneType, expected a number"),
    ],
)
def test_an_objective_that_is_no_number_is_not_right(
    tmp_path: Path, returned: str, status: int, word: str, why: str
) -> None:
    """`check` says so, in JSON that can be read."""
    outside = spoilt(tmp_path, OBJECTIVE, f"        return {returned}\n")
    (outside.folder / "answer.txt").write_text("1 1 1 1\n", encoding="utf-8")
    script = (
        "import sys\nfrom solver.commands.check.command import main\n"
        f"sys.argv = ['check', '{FILE}', 'four.txt', 'answer.txt', '--json']\nmain()"
    )
    done = outside.run("-c", script, **INTERPRETED)
    assert done.returncode == status, done.stderr
    (line,) = (json.loads(line, parse_constant=pytest.fail) for line in done.stdout.splitlines())
    assert (line["status"], line["why"], line.get("score")) == (word, why, None)


def test_an_instance_that_cannot_be_made_costs_its_runs(tmp_path: Path) -> None:
    """Its number stands in the place of its name, beside the method."""
    made = '        return Problem(f"k{number}", worth), np.ones(self.size, np.int64)\n'
    fails = "        if number == 1: raise RuntimeError('odd')\n"
    outside = spoilt(tmp_path, made, fails + made)
    words = ("compare", FILE, "--instances", "3", *SAMPLE, "--out", "report")
    done = outside.run(*words, **INTERPRETED)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    (line,) = (line for line in done.stderr.splitlines() if "odd" in line)
    assert ", sampling with none: " in line
    rows = read_runs(outside.folder / "report")
    assert sorted(rows["status"]) == ["error", "solved", "solved"]
