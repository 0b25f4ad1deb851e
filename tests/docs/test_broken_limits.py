"""Problems and games of the guides whose rules return more than `Limits` allow: a line each."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.guide import DOMAIN, GAME, Outside
from tests.helpers import needs_jit

pytestmark = needs_jit

LIMITS = "return Limits(steps, colours, choices=steps * colours, codes=steps * colours)"
N_MOVES = "            n += 1\n    return n\n"
#: Every colour several times, as rules do that take moves for different that are one.
REPEATED = (
    "            for _ in range(3):\n                moves[n] = colour\n                n += 1\n"
)
FREE = "            moves[n] = colour\n            n += 1\n"
CODE = "return state.n[0] * instance.colours + move"
GAME_MOVES = "                n += 1\n    return n\n"
NEGATIVE = N_MOVES.replace("return n", "return -n")
MANY = N_MOVES.replace("return n", "return 10**9 * (n > 0)")
TRIANGLE = "legal_moves returned {} moves, Limits.moves is 3"
STEPS = "a playout had {} steps or more, Limits.steps is 2"
CHOICES = "a playout had 5 moves to choose from, Limits.choices is 3"
FAR_CODES = "code returned a number below 0 or far beyond Limits.codes, which is 12"


def edited(outside: Outside, old: str, new: str) -> None:
    """Save the file of the guide with one text in the place of another."""
    text = outside.guide.whole_file()
    assert text.count(old) == 1
    outside.write(text.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "words", "expected"),
    [
        (FREE, REPEATED, "--algorithm sampling", TRIANGLE.format(9)),
        (N_MOVES, MANY, "--level 1", TRIANGLE.format(10**9)),
        (
            N_MOVES,
            N_MOVES.replace("return n", "return -n"),
            "--algorithm nmcs",
            TRIANGLE.format(-3),
        ),
        (FREE, REPEATED, "--algorithm uct", TRIANGLE.format(9)),
        (LIMITS, LIMITS.replace("steps,", "2,", 1), "--level 1", STEPS.format(3)),
        (LIMITS, LIMITS.replace("steps,", "2,", 1), "--algorithm nmcs", STEPS.format(4)),
        (LIMITS, LIMITS.replace("choices=steps", "choices=1"), "--level 1", CHOICES),
        (CODE, "return 3 * move + 8", "--level 1", "code returned 14, Limits.codes is 12"),
        (CODE, "return 10**12 + move", "--algorithm beam-nrpa", FAR_CODES),
        (CODE, "return -5", "--algorithm parallel-nrpa", FAR_CODES),
        (CODE, "return 2**32 + move", "--level 2", FAR_CODES),
    ],
)
def test_a_problem_that_breaks_its_limits(
    tmp_path: Path, old: str, new: str, words: str, expected: str
) -> None:
    """The line names domain, problem, limit and value; no memory is overwritten."""
    outside = Outside(tmp_path)
    edited(outside, old, new)
    (tmp_path / "triangle.txt").write_text(DOMAIN.blocks()[0], encoding="utf-8")
    command = ("solve", DOMAIN.file, "triangle.txt", "--quiet", *words.split())
    done = outside.run(*command, "--playouts", "5000")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"solve: graph-colouring, triangle.txt: {expected}\n"


def test_other_problems_of_a_batch_are_solved(tmp_path: Path) -> None:
    """A problem larger than its limits costs itself alone."""
    outside = Outside(tmp_path)
    text = outside.guide.whole_file()
    for old, new in (
        (LIMITS, LIMITS.replace("steps,", "min(steps, 4),", 1)),
        ("        return [Problem(source, Graph(colours, near | near.T))]\n", THREE),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    outside.write(text)
    (tmp_path / "triangle.txt").write_text(DOMAIN.blocks()[0], encoding="utf-8")
    done = outside.run("solve", DOMAIN.file, "triangle.txt", "--algorithm", "sampling")
    assert done.returncode == 2
    assert done.stdout == "# first\n1 2 3 1\n\n# last\n1 2 3 1\n\n"
    assert f"graph-colouring, larger: {STEPS.format(5)[:-1]}4\n" in done.stderr
    assert "Traceback" not in done.stderr


THREE = """
        graphs = [near | near.T, np.zeros((5, 5), bool), near | near.T]
        names = ["first", "larger", "last"]
        return [Problem(*named) for named in zip(names, [Graph(colours, g) for g in graphs])]
"""


@pytest.mark.parametrize(
    ("old", "new", "algorithm", "expected"),
    [
        (GAME_MOVES, GAME_MOVES.replace("return n", "return 10**9 * (n > 0)"), "uct",
         "legal_moves returned 1000000000 moves, Limits.moves is 9"),
        ("steps=9", "steps=4", "uct", "a playout had 5 steps or more, Limits.steps is 4"),
        ("steps=9", "steps=4", "mcps", "a playout had 5 steps or more, Limits.steps is 4"),
        ("% 2) + move", "% 2) + 10**6 * (state.marks[0] > 1)", "grave",
         "code returned 1000009, Limits.codes is 18"),
        ("return state.marks[0] % 2", "return state.marks[0] % 3", "uct",
         "player returned 2, there are 2 players, from 0"),
        ("return state.marks[0] % 2", "return -(state.marks[0] % 2)", "mcps",
         "player returned -1, there are 2 players, from 0"),
    ],
)  # fmt: skip
def test_a_game_that_breaks_its_limits(
    tmp_path: Path, old: str, new: str, algorithm: str, expected: str
) -> None:
    """The line names game, limit and value; no memory is overwritten."""
    outside = Outside(tmp_path, GAME)
    edited(outside, old, new)
    command = ("solve", GAME.file, "--quiet", "--algorithm", algorithm)
    done = outside.run(*command, "--playouts", "5000")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"solve: three-in-a-row: {expected}\n"


def test_random_games_that_break_their_limits(tmp_path: Path) -> None:
    """They end in the same error."""
    outside = Outside(tmp_path, GAME)
    edited(outside, GAME_MOVES, GAME_MOVES.replace("return n", "return 10**9 * (n > 0)"))
    done = outside.run("-c", RANDOM_GAMES.format(file=GAME.file))
    assert done.returncode == 0, done.stderr
    assert (
        done.stdout == "three-in-a-row: legal_moves returned 1000000000 moves, Limits.moves is 9\n"
    )


RANDOM_GAMES = """
from solver.commands.subjects import find_game
from solver.errors import LimitsError
from solver.games.playouts import random_playouts
game = find_game("{file}")
try:
    random_playouts(game, game.instance(game.start(game.options()), game.options()), 5000)
except LimitsError as error:
    print(error)
"""


def test_prior_codes_beyond_their_table(tmp_path: Path) -> None:
    """`learn` names problem, row and table."""
    outside = Outside(tmp_path)
    edited(outside, "return min(spoilt, 9)", "return 10**12 + spoilt")
    done = outside.run("learn", DOMAIN.file, "--instances", "20", "--threads", "1")
    assert done.returncode == 2
    expected = r"prior_code returned 100000000000\d, the prior has 10 rows"
    last = done.stderr.splitlines()[-1]
    assert re.fullmatch(f"learn: graph-colouring, graph-1-\\d+: {expected}", last)
    assert "Traceback" not in done.stderr
