"""`docs/add-a-tree-search.md` followed to the letter: one file, outside of the repository."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solver.algorithms import tree_algorithm_named
from solver.algorithms.tree import Grave, TreeAlgorithm
from solver.compiling.random import new_stream
from solver.games import load_game
from solver.kernels.tree.run import TreeRun
from tests.docs.guide import ROOT, TREE_SEARCH, Outside
from tests.helpers import needs_jit

MAX_LINES = 38
#: The search of the page, and those of the files that it names.
MINE = TREE_SEARCH.whole_file()
WIDENING, HALVING, GRAVE, REPLIED = (
    (ROOT / f"docs/examples/{name}.py").read_text(encoding="utf-8")
    for name in ("progressive_widening", "sequential_halving", "rave_variant", "last_good_replies")
)
BOARD = "1122313\n2112332\n1231123\n3312213\n1123321\n"

Load = Callable[[str, str], type[TreeAlgorithm]]


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Outside:
    """Return a folder with the file of the guide."""
    made = Outside(tmp_path_factory.mktemp("outside"), TREE_SEARCH)
    made.write(MINE)
    return made


@pytest.fixture(scope="module")
def load(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Load]:
    """Function that reads a file into this process, which forgets its search in the end."""
    folder = tmp_path_factory.mktemp("searches")

    def read(file: str, text: str) -> type[TreeAlgorithm]:
        (folder / file).write_text(text)
        return tree_algorithm_named(str(folder / file))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("solver.algorithms._others", {})
        yield read


def run_on_hex(algorithm: TreeAlgorithm, size: int = 5) -> TreeRun:
    """Return a run that begins with the start."""
    game = load_game("hex")
    options = game.options(size=size, first="none")
    instance = game.instance(game.start(options), options)
    run = TreeRun(game, instance, algorithm.parameters, 1 << 28)
    run.begin(new_stream(1))
    return run


def test_the_file_is_short() -> None:
    """Value and options are less than a page."""
    assert len(MINE.splitlines()) <= MAX_LINES


@needs_jit
def test_the_commands_of_the_guide(outside: Outside) -> None:
    """Each succeeds, and says what it was done with."""
    commands = next(block for block in TREE_SEARCH.blocks() if block.startswith("solve"))
    printed = []
    for number, command in enumerate(commands.splitlines()):
        run = outside.run if number else outside.run_anew
        done = run(*shlex.split(command))
        assert done.returncode == 0, done.stderr
        printed.append(done.stdout)
    solved, played, compared, learned = printed
    assert "expected: " in solved
    assert "| uct | my_search.py:exploration=0.5 | 4 |" in played
    assert "UCB1-Tuned, no prior" in compared
    assert "4 solved instances replayed" in learned


def lines_of(path: Path) -> list[Any]:
    """Rows of a journal."""
    return [json.loads(line) for line in path.read_text().splitlines()]


@needs_jit
def test_an_edit_shows_in_the_very_next_run(tmp_path: Path) -> None:
    """Old machine code is not used, and games are played anew; those of the old text are kept."""
    outside = Outside(tmp_path, TREE_SEARCH)
    outside.write(MINE)
    asked = ("solve", "hex", "--algorithm", TREE_SEARCH.file, "--playouts", "100", "--json")
    words = ["compare", "hex", "--algorithm", "uct,my_search.py", "--size", "3", "--first", "none"]
    words += ["--playouts", "20", "--games", "2", "--out", "games"]
    before = json.loads(outside.printed(*asked))
    outside.printed(*words)
    outside.printed(*words)
    games = tmp_path / "games" / "games.jsonl"
    old = lines_of(games)
    assert len(old) == 2
    assert MINE.count("return mean +") == 1
    outside.write(MINE.replace("return mean +", "return -mean +"))
    after = json.loads(outside.printed(*asked))
    assert before["algorithm"] == after["algorithm"] == "ucb1-tuned"
    assert before["parameters"] == {
        "exploration": 1.0, "policy": "uniform", "policy_rate": 0.1, "proofs": True,
        "decisive": True, "estimates": False,
    }  # fmt: skip
    assert before["candidates"] != after["candidates"]
    told_apart = outside.printed(*words)
    assert told_apart.count("my_search.py@") >= 2
    rows = lines_of(games)
    assert (rows[:2], len(rows)) == (old, 4)
    outside.write(MINE)
    outside.printed(*words)
    assert lines_of(games) == rows
    assert json.loads(outside.printed(*asked))["candidates"] == before["candidates"]


@needs_jit
def test_shards_of_another_text_are_not_used(tmp_path: Path) -> None:
    """Games that an older text played are not learned from."""
    outside = Outside(tmp_path, TREE_SEARCH)
    words = ["learn", "hex", "--size", "3", "--algorithm", TREE_SEARCH.file, "--playouts", "10"]
    words += ["--instances", "2", "--work", "work", "--out", "hex.parquet"]
    for text in (MINE, MINE, MINE.replace("return mean +", "return -mean +")):
        outside.write(text)
        outside.printed(*words)
    assert len(list((tmp_path / "work" / "hex").glob("solved-*"))) == 2


def test_it_searches_puzzles(outside: Outside) -> None:
    """Slices, workspaces and threads change nothing."""
    done = outside.run("-c", CHECK.format(file=TREE_SEARCH.file, board=BOARD))
    assert (done.returncode, done.stdout) == (0, "checked\n"), done.stderr


#: Beside the file of the guide, whose machine code for SameGame is there.
CHECK = """
from solver.algorithms import known_algorithms, tree_algorithm_named
from solver.domains.samegame.domain import SameGameDomain
from solver.testing import check_algorithm
my_search = tree_algorithm_named({file!r})
assert known_algorithms()["ucb1-tuned"] is my_search
domain = SameGameDomain()
for algorithm in (my_search(), my_search(commit=7)):
    check_algorithm(algorithm, domain, domain.parse({board!r}, "board"))
print("checked")
"""


def test_widening_tries_no_more_moves_than_it_may(load: Load) -> None:
    """Progressive widening tries the first moves of a node, more and more of the root."""
    run = run_on_hex(load("widening_search.py", WIDENING)())
    run.advance(1500)
    for number in range(run.nodes):
        # The last playout found one visit less.
        visits = int(run.tree.nodes.visits[number]) - 1
        most = math.ceil(1.0 + 0.5 * math.sqrt(max(visits, 0)))
        assert not run.moves_of(number).visits[most:].any()
    assert (run.moves_of().visits > 0).sum() == math.ceil(1.0 + 0.5 * math.sqrt(1499)) < 25


def test_halving_leaves_half_of_the_moves(load: Load) -> None:
    """After each round the better half of the moves gets all playouts, in equal numbers."""
    run = run_on_hex(load("halving_search.py", HALVING)(budget=1000))  # type: ignore[call-arg]
    left, played, before = 25, 0, np.zeros(25, np.int64)
    rounds = math.ceil(math.log2(left))
    while left > 2:
        played += left * (1000 // (left * rounds))
        run.advance(played)
        more = run.moves_of().visits - before
        assert np.unique(more[more > 0]).tolist() == [1000 // (left * rounds)]
        assert (more > 0).sum() == left
        left, before = (left + 1) // 2, run.moves_of().visits
    run.advance(1000)
    assert (run.moves_of().visits > before).sum() == 2


def test_replies_are_those_of_the_winner(load: Load) -> None:
    """After a playout each is the move that the winner made next."""
    game, algorithm = load_game("hex"), load("replied_search.py", REPLIED)()
    options = game.options(size=4, first="none")
    instance = game.instance(game.start(options), options)
    run = TreeRun(game, instance, algorithm.parameters, 1 << 28, policy=algorithm.new_policy)
    run.begin(new_stream(1))
    run.advance(1)
    scratch = run.scratch
    reply, codes = scratch.learner.policy.reply, scratch.code.tolist()
    pairs = {(codes[step - 1], codes[step]): step for step in range(1, len(codes))}
    learned = [(before, int(reply[before]) - 1) for before in np.flatnonzero(reply).tolist()]
    assert len(learned) >= 3
    winners = {int(scratch.player[pairs[pair]]) for pair in learned}
    assert winners == {int(scratch.rewards.argmax())}


@pytest.mark.parametrize("size", [4, 5])
def test_the_variant_of_rave_is_grave(load: Load, size: int) -> None:
    """It makes the playouts of the search that ships."""
    found = []
    for algorithm in (Grave(), load("grave_search.py", GRAVE)()):
        run = run_on_hex(algorithm, size)
        run.advance(3000)
        moves = run.moves_of()
        found.append((run.nodes, moves.visits.tolist(), repr(moves.value.tolist())))
    assert found[0] == found[1]


Spoil = Callable[[str], str]


@pytest.mark.parametrize(
    ("spoil", "expected"),
    [
        (lambda text: text.replace("rule: ClassVar[type] = Tuned", "x: ClassVar[int] = 1"),
         "MySearch: rule is None, expected a NamedTuple class of parameters"),
        (lambda text: text.replace("[type] = Tuned", '[str] = "TUNED"'),
         "MySearch: rule is 'TUNED', expected a NamedTuple class of parameters"),
        (lambda text: text.replace("@move_value.register(Tuned)\n", ""),
         "MySearch: neither move_value nor move_values is registered for Tuned"),
        (lambda text: text.replace("    exploration: Factor = 1.0\n", ""),
         "MySearch lacks the parameter exploration of Tuned"),
        (lambda text: text + "    width: Factor = 1.0\n",
         "MySearch: width has no effect, Tuned has no such field"),
        (lambda text: text.replace("Factor = 1.0", 'str = "none"'),
         "MySearch: exploration has another type than in uct"),
        (lambda text: text + '    statistics: ClassVar[str] = "rave"\n',
         "MySearch: statistics is 'rave', expected one of: none, amaf, permutations"),
        (lambda text: text.replace("def tuned_value(parameters, node, place)", "def f(node, at)"),
         "parameters are ['node', 'at'], expected ['parameters', 'node', 'place']"),
        (lambda text: text.replace('"ucb1-tuned"', '"uct"'), "is called 'uct', as another algo"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_told(outside: Outside, spoil: Spoil, expected: str) -> None:
    """An unsuitable class is refused in a line, before anything is compiled."""
    text = spoil(MINE)
    assert text != MINE
    (outside.folder / "spoilt.py").write_text(text)
    done = outside.run("solve", "hex", "--algorithm", "spoilt.py")
    assert done.returncode == 2
    assert done.stderr.startswith("solve: spoilt.py: ")
    assert expected in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("command", "words", "expected"),
    [
        ("solve", ["gnrpa"], "gnrpa is an algorithm, but no tree search, expected one of: flat,"),
        ("solve", ["nothing.py"], "nothing.py: No such file or directory"),
        ("solve", ["my_search.py", "--ref", "5"], "my_search.py has no parameter ref"),
        ("solve", ["my_search.py", "--exploration", "-1"], "--exploration is -1.0, expected 0 or"),
        (
            "compare",
            ["uct,my_search.py:ref=5"],
            "expected NAME=VALUE of: decisive, estimates, exploration, policy,",
        ),
        ("compare", ["uct,nothing.py:ref=5"], "nothing.py: No such file or directory"),
        ("compare", ["uct,gnrpa"], "gnrpa is an algorithm, but no tree search, expected one of:"),
        ("learn", ["gnrpa"], "gnrpa is an algorithm, but no tree search, expected one of: flat,"),
    ],
)
def test_words_that_do_not_fit_are_told(
    outside: Outside, command: str, words: list[str], expected: str
) -> None:
    """Unsuitable words are refused in a line."""
    done = outside.run(command, "hex", "--algorithm", *words)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert expected in done.stderr
