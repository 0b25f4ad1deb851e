"""Problems and games of the guides whose rules return more than `Limits` allow: a line each."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.guide import DOMAIN, GAME, Guide, Outside
from tests.helpers import needs_jit

pytestmark = needs_jit

LIMITS = "return Limits(steps, colours, choices=steps * colours, codes=steps * colours)"
FREE = "            moves[n] = colour\n            n += 1\n    return n\n"
INSTANCE = 'np.array(problem.data.near, np.int64, order="C"))'
PARSED = "        return [Problem(source, Graph(colours, near | near.T))]\n"
FAULT = "import os\nFAULT = int(os.environ['FAULT'])\n"
THRICE, MANY, NEGATIVE, SHORT, FEW, BEYOND, FAR, BELOW, WRAPPED, BATCH = range(1, 11)
#: The problem of the guide with all faults: which one it has, a number from the environment says.
#: Rules read it from the diagonal of the instance, which decides no move else: so one machine
#: code of each search serves all faults.
FAULTS = {
    "class Graph(NamedTuple)": f"{FAULT}class Graph(NamedTuple)",
    INSTANCE: INSTANCE[:-1] + " + FAULT * np.eye(len(problem.data.near), dtype=np.int64))",
    # Every colour several times, as rules do that take moves for different that are one.
    FREE: f"""
            for _ in range(3 if instance.near[0, 0] == {THRICE} else 1):
                moves[n] = colour
                n += 1
    if instance.near[0, 0] == {MANY}:
        return 10**9 * (n > 0)
    return -n if instance.near[0, 0] == {NEGATIVE} else n
""",
    LIMITS: f"most = 2 if FAULT == {SHORT} else min(steps, 4) if FAULT == {BATCH} else steps"
    f"\n        rows = 1 if FAULT == {FEW} else steps\n        "
    + LIMITS.replace("steps,", "most,", 1).replace("=steps", "=rows", 1),
    "    return state.n[0] * instance.colours + move\n": f"""
    if instance.near[0, 0] == {BEYOND}:
        return 3 * move + 8
    if instance.near[0, 0] == {FAR}:
        return 10**12 + move
    if instance.near[0, 0] == {BELOW}:
        return -5
    if instance.near[0, 0] == {WRAPPED}:
        return 2**32 + move
    return state.n[0] * instance.colours + move
""",
    PARSED: f"""
        graphs, names = [near | near.T], [source]
        if FAULT == {BATCH}:
            graphs = [near | near.T, np.zeros((5, 5), bool), near | near.T]
            names = ["first", "larger", "last"]
        return [Problem(*named) for named in zip(names, [Graph(colours, g) for g in graphs])]
""",
    "return min(spoilt, 9)": "return 10**12 + spoilt",
}
CELLS = "Position(np.array(problem.data, np.int64))"
GAME_MOVES = "                n += 1\n    return n\n"
TURN_BEYOND, TURN_BELOW, NO_NUMBER, ENDLESS = range(11, 15)
#: The same of the game: the number of its fault is behind the nine cells.
GAME_FAULTS = {
    "class Position(NamedTuple)": f"{FAULT}class Position(NamedTuple)",
    CELLS: CELLS.replace("problem.data", "[*problem.data, FAULT]"),
    GAME_MOVES: f"""
                n += 1
    return 10**9 * (n > 0) if instance.cells[9] == {MANY} else n
""",
    "steps=9": f"steps=4 if FAULT == {SHORT} else 9",
    "else 0.5": f"else np.nan if instance.cells[9] == {NO_NUMBER} else 0.5",
    "    return 9 * (state.marks[0] % 2) + move\n": f"""
    if instance.cells[9] == {FAR}:
        return 9 * (state.marks[0] % 2) + 10**6 * (state.marks[0] > 1)
    return 9 * (state.marks[0] % 2) + move
""",
    "    state.cells[move] = 1 + state.marks[0] % 2\n": f"""
    if instance.cells[9] != {ENDLESS} or state.marks[0] < 2:
        state.cells[move] = 1 + state.marks[0] % 2
""",
    "    return state.marks[0] % 2\n": f"""
    if instance.cells[9] == {TURN_BEYOND}:
        return state.marks[0] % 3
    return -(state.marks[0] % 2) if instance.cells[9] == {TURN_BELOW} else state.marks[0] % 2
""",
}
TRIANGLE = "legal_moves returned {} moves, Limits.moves is 3"
STEPS = "a playout had {} steps or more, Limits.steps is 2"
CHOICES = "a playout had 5 moves to choose from, Limits.choices is 3"
FAR_CODES = "code returned a number below 0 or far beyond Limits.codes, which is 12"


def outside_in(folder: Path, guide: Guide, faults: dict[str, str]) -> Outside:
    """Return a folder with the file of a guide, edited, and the triangle."""
    made, text = Outside(folder, guide), guide.whole_file()
    for old, new in faults.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    made.write(text)
    (folder / "triangle.txt").write_text(DOMAIN.blocks()[0], encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def problem(tmp_path_factory: pytest.TempPathFactory) -> Outside:
    """Return a folder with the problem that has the faults."""
    return outside_in(tmp_path_factory.mktemp("problem"), DOMAIN, FAULTS)


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Outside:
    """Return a folder with the game that has the faults."""
    return outside_in(tmp_path_factory.mktemp("game"), GAME, GAME_FAULTS)


@pytest.mark.parametrize(
    ("fault", "words", "expected"),
    [
        (THRICE, "--algorithm sampling", TRIANGLE.format(9)),
        (MANY, "--level 1", TRIANGLE.format(10**9)),
        (NEGATIVE, "--algorithm nmcs", TRIANGLE.format(-3)),
        (THRICE, "--algorithm uct", TRIANGLE.format(9)),
        (SHORT, "--level 1", STEPS.format(3)),
        (SHORT, "--algorithm nmcs", STEPS.format(4)),
        (FEW, "--level 1", CHOICES),
        (BEYOND, "--level 1", "code returned 14, Limits.codes is 12"),
        (FAR, "--algorithm beam-nrpa", FAR_CODES),
        (BELOW, "--algorithm parallel-nrpa", FAR_CODES),
        (WRAPPED, "--level 2", FAR_CODES),
    ],
)
def test_a_problem_that_breaks_its_limits(
    problem: Outside, fault: int, words: str, expected: str
) -> None:
    """The line names domain, problem, limit and value; no memory is overwritten."""
    command = ("solve", DOMAIN.file, "triangle.txt", "--quiet", *words.split())
    done = problem.run(*command, "--playouts", "5000", FAULT=str(fault))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"solve: graph-colouring, triangle.txt: {expected}\n"


def test_without_a_fault(problem: Outside, game: Outside) -> None:
    """The files with all faults are those of the guides where none is asked for."""
    words = ["solve", DOMAIN.file, "triangle.txt", "--algorithm", "sampling"]
    assert problem.run(*words, FAULT="0").stdout == "1 2 3 1\n"
    words = ["solve", GAME.file, "--algorithm", "uct", "--playouts", "5000"]
    assert game.run(*words, FAULT="0").returncode == 0


def test_other_problems_of_a_batch_are_solved(problem: Outside) -> None:
    """A problem larger than its limits costs itself alone."""
    done = problem.run(
        "solve", DOMAIN.file, "triangle.txt", "--algorithm", "sampling", FAULT=str(BATCH)
    )
    assert done.returncode == 2
    assert done.stdout == "# first\n1 2 3 1\n\n# last\n1 2 3 1\n\n"
    assert f"graph-colouring, larger: {STEPS.format(5)[:-1]}4\n" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("fault", "algorithm", "expected"),
    [
        (MANY, "uct", "legal_moves returned 1000000000 moves, Limits.moves is 9"),
        (SHORT, "uct", "a playout had 5 steps or more, Limits.steps is 4"),
        (SHORT, "mcps", "a playout had 5 steps or more, Limits.steps is 4"),
        (ENDLESS, "uct", "a playout had 10 steps or more, Limits.steps is 9"),
        (ENDLESS, "mcps", "a playout had 10 steps or more, Limits.steps is 9"),
        (FAR, "grave", "code returned 1000009, Limits.codes is 18"),
        (TURN_BEYOND, "uct", "player returned 2, there are 2 players, from 0"),
        (TURN_BELOW, "mcps", "player returned -1, there are 2 players, from 0"),
        (NO_NUMBER, "mcps", "rewards are not all numbers"),
    ],
)
def test_a_game_that_breaks_its_limits(
    game: Outside, fault: int, algorithm: str, expected: str
) -> None:
    """The line names game, limit and value; no memory is overwritten."""
    command = ("solve", GAME.file, "--quiet", "--algorithm", algorithm)
    done = game.run(*command, "--playouts", "5000", FAULT=str(fault))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"solve: three-in-a-row: {expected}\n"


def test_random_games_that_break_their_limits(game: Outside) -> None:
    """They end in the same error."""
    done = game.run("-c", RANDOM_GAMES.format(file=GAME.file), FAULT=str(MANY))
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


def test_prior_codes_beyond_their_table(problem: Outside) -> None:
    """`learn` names problem, row and table."""
    done = problem.run("learn", DOMAIN.file, "--instances", "20", "--threads", "1", FAULT="0")
    assert done.returncode == 2
    expected = r"prior_code returned 100000000000\d, the prior has 10 rows"
    last = done.stderr.splitlines()[-1]
    assert re.fullmatch(f"learn: graph-colouring, graph-1-\\d+: {expected}", last)
    assert "Traceback" not in done.stderr
