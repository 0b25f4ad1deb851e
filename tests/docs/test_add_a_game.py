"""`docs/add-a-game.md` followed to the letter: one file, outside of the repository."""

from __future__ import annotations

import functools
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solver import domains, games
from solver.commands.subjects import find_domain, find_game
from solver.contract.rules import play, reset
from solver.errors import InputError
from solver.games import load_game
from solver.games.moves import find_move
from solver.games.playouts import random_playouts
from solver.testing import ContractError, check_game
from tests.docs.guide import GAME, Outside
from tests.helpers import needs_jit

MAX_LINES = 120
PLAYOUTS = 20_000
ROWS = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Outside:
    """Return a folder with the file and the position of the guide."""
    made = Outside(tmp_path_factory.mktemp("game"), GAME)
    made.write(GAME.whole_file())
    (made.folder / "fork.txt").write_text(GAME.blocks()[0])
    return made


@pytest.fixture(scope="module")
def game(outside: Outside) -> Any:
    """Return the game that the file defines, in this process."""
    return find_game(str(outside.folder / GAME.file))


def test_the_file_is_short() -> None:
    """Rules, text and checks are a page or two."""
    assert len(GAME.whole_file().splitlines()) <= MAX_LINES


@needs_jit
def test_the_session_of_the_guide(outside: Outside) -> None:
    """Typed into Python in that folder, it prints what the page says."""
    script, expected = GAME.session()
    done = outside.run_anew("-c", script)
    assert (done.stdout, done.stderr) == (expected, "")


@functools.cache
def outcomes(cells: tuple[int, ...], mark: int) -> np.ndarray[Any, Any]:
    """Mean of moves made, and of what both players get, over all ways to go on at random."""
    lines = [{cells[cell] for cell in row} for row in ROWS]
    won = [one for one in (1, 2) if {one} in lines]
    free = [cell for cell in range(9) if cells[cell] == 0]
    if won or not free:
        worth = [0.5, 0.5] if not won else [float(won == [1]), float(won == [2])]
        return np.array([0.0, *worth])
    total = np.zeros(3)
    for cell in free:
        after = *cells[:cell], mark, *cells[cell + 1 :]
        total += outcomes(after, 3 - mark)
    return total / len(free) + [1.0, 0.0, 0.0]


@pytest.mark.parametrize("words", [(), ("b2",), ("a3", "b2", "c1")])
def test_random_playouts_from_any_state(game: Any, words: tuple[str, ...]) -> None:
    """Length and rewards are those of all ways to play, weighed by their chance."""
    instance = game.instance(game.start(game.options()), game.options())
    state = game.new_state(instance)
    reset(instance, state)
    for word in words:
        play(instance, state, find_move(game, instance, state, word, "test"))
    cells, mark = state.cells.tolist(), 1 + len(words) % 2
    found = random_playouts(game, instance, PLAYOUTS, state=state, seed=1)
    assert state.cells.tolist() == cells
    expected = outcomes(tuple(cells), mark)
    samples = np.column_stack([found.steps, found.rewards])
    error = samples.std(axis=0) / PLAYOUTS**0.5
    assert (np.abs(samples.mean(axis=0) - expected) < 4 * error).all()


def test_a_move_that_is_not_possible(game: Any) -> None:
    """The error lists those that are."""
    (problem,) = game.parse("xo. oxo .x.", "here")
    instance = game.instance(problem, game.options())
    state = game.new_state(instance)
    reset(instance, state)
    expected = r"^here: no move 'a3' here, expected one of: c3, a1, c1$"
    with pytest.raises(InputError, match=expected):
        find_move(game, instance, state, "a3", "here")


def test_a_number_of_playouts() -> None:
    """It is 1 or more."""
    with pytest.raises(InputError, match=r"^playouts is 0, expected 1 or more$"):
        random_playouts(None, None, 0)  # type: ignore[arg-type]


#: Text that is there once, another in its place, and what is said of it.
BROKEN: list[tuple[str, str, str]] = [
    ("return state.marks[0] % 2", "return state.marks[0]", "player 2 moves, expected 0 ... 1"),
    ("return state.marks[0] % 2", "return 0", "only 1 of 2 move"),
    ('player_names = "xo"', 'player_names = "xx"', "player_names is 'xx', expected 2 different"),
    ('player_names = "xo"', 'start_options = ("row",)', "start_options names row, no option"),
    ("np.zeros(1, np.int64))\n", "0)\n", "new_state has a int as marks, expected an array"),
    (
        "        for cell in range(9):\n            if state",
        "        for cell in range(9)[:: 1 - 2 * int(stream[0] % 2)]:\n            if state",
        "legal_moves of a game depends on random",
    ),
    ("for number in range(2)", "for number in range(1)", "rewards of a playout are"),
    ('return "abc"[move % 3] + "321"[move // 3]', 'return "abc"[move % 3]', "two moves are writ"),
    ('return "abc"[move % 3] + ', 'return "abc"[move % 3] + " " + ', "format_move writes 'a 3'"),
    ("return state.cells.copy()", "return 0 * state.cells", "goes on|read back|is possible|, not"),
    ("steps=9", "steps=6", "a playout is longer than Limits.steps, which is 6"),
    ("moves=9", "moves=5", "legal_moves lists 9 moves, Limits.moves is 5"),
    ("codes=18", "codes=17", "the code of move 8 is 17, Limits.codes is 17"),
    ("    state.marks[0] = 0\n", "", "a used state plays differently after reset|player|longer"),
    ("@rules.player.register(Position)", "", "no player is registered for Position"),
    ("instance_class = Position", "instance_class = Board", "instance_class is Board, and inst"),
    (
        "@rules.player.register(Position)",
        "@rules.key.register(Position)\ndef key(instance, state):\n    return np.uint64(7)\n\n"
        "@rules.player.register(Position)",
        "two states with the same key play differently",
    ),
    (
        "\ndef play(instance, state, move):\n    state.cells[move] =",
        "\ndef play(instance, state, move):\n    instance.cells[move] = 1\n    state.cells[move] =",
        "a playout changes the instance",
    ),
]  # fmt: skip


@needs_jit
@pytest.mark.parametrize("case", range(len(BROKEN)))
def test_check_game_finds(tmp_path: Path, case: int) -> None:
    """Each promise that is broken is said in a line."""
    old, new, expected = BROKEN[case]
    text = GAME.whole_file()
    assert text.count(old) == 1
    path = tmp_path / f"broken_game_{case}.py"
    path.write_text(text.replace(old, new).replace('"three-in-a-row"', f'"broken-{case}"'))
    broken = find_game(str(path))
    with pytest.raises(ContractError, match=expected):
        check_game(broken, broken.parse("x.. .o. ..x", "fork"))


def test_games_and_puzzles_are_not_taken_for_each_other(outside: Outside, game: Any) -> None:
    """A file of the one kind is refused where the other is meant, and found by name where not."""
    path = outside.folder / GAME.file
    expected = "ThreeInARow is a game, expected a subclass of solver.contract.domain.Puzzle"
    with pytest.raises(InputError, match=expected):
        find_domain(str(path))
    assert load_game("three-in-a-row") is game
    with pytest.raises(InputError, match=r"^no game called 'chess', there are: .*three-in-a"):
        load_game("chess")
    done = outside.run("learn", GAME.file)
    assert done.returncode == 2
    assert done.stderr.startswith(
        "learn: three-in-a-row has no codes that a prior could be learned"
    )
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("old", "new", "checked", "expected"),
    [
        ('player_names = "xo"', 'player_names = "x"', "", "player_names is 'x', expected 2 diff"),
        ("@rules.player.register(Position)", "", "", "no player is registered, and there are 2"),
        ("steps=9", "steps=6", "1", "a playout is longer than Limits.steps, which is 6"),
        ("moves=9", "moves=5", "1", "legal_moves lists 9 moves, Limits.moves is 5"),
    ],
)
def test_a_wrong_game_is_not_searched(
    tmp_path: Path, old: str, new: str, checked: str, expected: str
) -> None:
    """One line says what is wrong with it."""
    outside = Outside(tmp_path, GAME)
    text = GAME.whole_file()
    assert text.count(old) == 1
    outside.write(text.replace(old, new))
    variables = {"NESTOR_CHECK": checked} if checked else {}
    done = outside.run("solve", GAME.file, "--playouts", "2000", **variables)
    assert (done.returncode, done.stdout) == (2, "")
    assert expected in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_the_game_is_searched(outside: Outside) -> None:
    """The search finds the fork against which o keeps the draw at an edge."""
    done = outside.run("solve", GAME.file, "fork.txt", "--playouts", "3000")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1].split()[0] in ("b3", "a2", "c2", "b1")


def test_packages_add_games(game: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are found by name; what is no game, or no puzzle, is refused where it is asked for."""
    value = f"{type(game).__module__}:ThreeInARow"
    found = {"three-in-a-row": EntryPoint("three-in-a-row", value, "nestor.games")}
    for module in (games, domains):
        monkeypatch.setattr(module, "installed", lambda group: found)
        monkeypatch.setattr(module, "_from_files", {})
    assert isinstance(load_game("three-in-a-row"), type(game))
    expected = r"^the installed domain 'three-in-a-row' \(.*\) is no subclass of"
    with pytest.raises(InputError, match=f"{expected} solver.contract.domain.Puzzle$"):
        domains.load_domain("three-in-a-row")
