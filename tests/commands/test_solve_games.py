"""`solve` on positions of games, and play against a person."""

from __future__ import annotations

import itertools
import json
import signal
from pathlib import Path

import pytest

from solver.commands.games.options import tree_algorithm
from solver.commands.games.settings import Settings, read_settings
from solver.commands.games.solve import build_parser
from solver.errors import InputError
from solver.games import load_game
from tests.commands.shell import Run, ended, launched, processor_seconds, wait_until

#: Whoever is at b3 first wins, x at once.
THREE = ".x.\n.x.\no.o\n{mover} to move\n"
SMALL = ["--size", 3, "--first", "none"]


@pytest.mark.parametrize(
    "algorithm", ["flat", "uct", "rave", "grave", "mcps", "puct", "two-level-grave"]
)
def test_every_search_finds_the_win(run: Run, algorithm: str) -> None:
    """X connects at b3, with certainty; with proofs moves that leave it to o are left out."""
    position = THREE.format(mover="x")
    words = ["--algorithm", algorithm, "--playouts", 300, "--json"]
    finished = run("solve", "hex", "-", *words, stdin=position)
    assert finished.status == 0, finished.err
    line = json.loads(finished.out)
    assert (line["best"], line["value"], line["variation"]) == ("b3", 1.0, ["b3"])
    assert (line["status"], line["player"], line["algorithm"]) == ("searched", "x", algorithm)
    assert sum(candidate["visits"] for candidate in line["candidates"]) == line["playouts"]
    proved = (None, None) if algorithm == "flat" else (1.0, 1)
    assert (line["proved"], line["moves_to_end"]) == proved
    assert len(line["candidates"]) == (5 if algorithm == "flat" else 1)


def test_text(run: Run, tmp_path: Path) -> None:
    """A table of moves, the best first, and what is expected; a seed repeats itself."""
    path = tmp_path / "fork.txt"
    path.write_text(THREE.format(mover="o"))
    words = ["solve", "hex", path, "--playouts", 500, "--no-proofs"]
    finished = run(*words)
    first, best, *_, last = finished.out.splitlines()
    assert first.split() == ["move", "playouts", "value"]
    assert best.split()[0] == "b3"
    assert last.split()[:2] == ["expected:", "b3"]
    assert finished.err.startswith("fork.txt: o to move, 500 playouts in ")
    assert run("solve", "hex", "--no-proofs", "--playouts", 500, path).out == finished.out
    assert run(*words, "--seed", 1).out != finished.out
    refused = run(*words, "--out", path)
    message = f"solve: --out is {path}, the file of the problems, expected another\n"
    assert (refused.status, refused.out, refused.err) == (2, "", message)


def test_a_proof_ends_the_search(run: Run) -> None:
    """A proved outcome is reported, with the number of moves to it."""
    finished = run("solve", "hex", "-", "--playouts", 500, stdin=THREE.format(mover="o"))
    assert finished.out.splitlines()[1].split() == ["b3", "1", "1.000", "proved:", "a", "win"]
    assert finished.err.endswith("proved: a win in 1 move at most\n")


def test_threads_search_one_tree(run: Run) -> None:
    """The budget in playouts is kept exactly, by the command and in matches."""
    words = [*SMALL, "--threads", 2, "--playouts", 3000, "--no-proofs", "--prior", "none", "--json"]
    line = json.loads(run("solve", "hex", *words).out)
    assert (line["threads"], line["playouts"]) == (2, 3000)
    assert sum(candidate["visits"] for candidate in line["candidates"]) == 3000


def test_seconds_and_out(run: Run, tmp_path: Path) -> None:
    """A budget in seconds makes a playout at least."""
    out = tmp_path / "found.json"
    words = ["--seconds", 0.01, "--json", "--out", out]
    assert run("solve", "hex", *SMALL, *words).status == 0
    line = json.loads(out.read_text())
    assert line["playouts"] > 0
    assert line["budget"] == {"playouts": None, "seconds": 0.01}


def test_a_game_that_is_over(run: Run) -> None:
    """There is no best move; who won is said."""
    position = "xxx\n.x.\noxo\no to move\n"
    finished = run("solve", "hex", "-", "--playouts", 10, stdin=position)
    assert finished.out == "the game is over: x 1, o 0\n"
    finished = run("solve", "hex", "-", "--playouts", 10, "--json", stdin=position)
    line = json.loads(finished.out)
    assert (line["status"], line["best"], line["candidates"]) == ("over", None, [])
    assert line["rewards"] == {"x": 1.0, "o": 0.0}
    assert line["options"] == {"swap": False, "misere": False}
    finished = run("solve", "hex", "-", "--seconds", 1e6, stdin=position)
    assert (finished.status, finished.err) == (0, "standard input: the game is over\n")


def test_a_game_of_teams_that_is_over(run: Run) -> None:
    """Each team stands beside what it was worth."""
    position = "A 0 0 0\nB 1 0 0\nB1 to move\n"
    finished = run("solve", "wargame", "-", "--playouts", 10, stdin=position)
    assert finished.out == "the game is over: A 0, B 1\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--algorithm", "nrpa"],
            "nrpa is an algorithm, but no tree search, expected one of: flat, uct",
        ),
        (["--algorithm", "uct", "--ref", 5], "uct has no parameter ref"),
        (["--ref", -1], "--ref is -1, expected 0 or more"),
        (
            ["--algorithm", "uct", "--exploration", "nan"],
            "--exploration is nan, expected a number, 0 or more",
        ),
        (["--threads", 0], "--threads is 0, expected 1 ... 256"),
        (["--memory", 0], "--memory is 0, expected 1 ... 1,048,576"),
        (["--play", "--seat", "z"], "--seat is 'z', expected one of: x, o"),
        (["--play", "--seat", ""], "--seat is '', expected one of: x, o"),
        (["--seconds", 0], "seconds is 0.0, expected more than 0"),
        (["missing.txt"], "missing.txt"),
        (["--seed", -1], "seed is -1, expected 0 or more"),
        (["--seat", "o"], "--seat has no effect without --play"),
        (["--play", "--json"], "--json has no effect with --play, --gtp or --gomocup"),
        (["--gtp", "--out", "found"], "--out has no effect with --play, --gtp or --gomocup"),
        (["-", "--size=3"], "--size has no effect on a position that is given"),
    ],
)
def test_bad_words(run: Run, words: list[str], message: str) -> None:
    """They are refused in a line."""
    finished = run("solve", "hex", *words)
    assert finished.status == 2
    assert message in finished.err
    assert finished.err.count("\n") == 1


def test_a_person_plays(run: Run) -> None:
    """Moves are answered, wrong ones refused, taken back ones forgotten."""
    words = ["--play", "--playouts", 100]
    finished = run("solve", "hex", *SMALL, *words, stdin="a1\nx9\nundo\nb2\n")
    assert finished.status == 0
    assert "no move 'x9' here, possible: " in finished.err
    boards = finished.out.split("x to move\n")
    assert "x..\n...\n...\no to move\no plays" in finished.out
    assert boards[0] == "...\n...\n...\n"
    assert "...\n.x.\n...\no to move\no plays" in finished.out
    quiet = run("solve", "hex", *SMALL, *words, "--quiet", stdin="x9\n")
    assert quiet.err.startswith("no move 'x9' here, possible: ")


def test_a_move_that_is_proved_without_a_playout(run: Run, tmp_path: Path) -> None:
    """Nogo to the end of a solved position: the move is told with what it is worth."""
    path = tmp_path / "late.txt"
    path.write_text("xo.\n...\n...\no to move\n")
    finished = run("solve", "nogo", path, "--play", "--seat", "x", "--playouts", 200, stdin="")
    assert finished.status == 0, finished.err
    assert finished.out.split("\n")[4] == "o plays b1 (1.00)"
    line = json.loads(run("solve", "nogo", path, "--playouts", 200, "--json").out)
    assert (line["best"], line["proved"], line["variation"]) == ("b1", 1.0, ["b1"])


def test_a_game_is_played_to_its_end(run: Run, tmp_path: Path) -> None:
    """The end is told with what it is worth."""
    path = tmp_path / "fork.txt"
    path.write_text(THREE.format(mover="x"))
    finished = run("solve", "hex", path, "--play", "--playouts", 100, stdin="b3\n")
    assert finished.out.endswith("the game is over: x 1, o 0\n")
    finished = run("solve", "hex", path, "--play", "--seat", "o", "--playouts", 100)
    assert finished.out.endswith("the game is over: x 1, o 0\n")


@pytest.mark.parametrize("play", [False, True])
def test_interrupted(play: bool) -> None:
    """Ctrl-C ends a search with what was found, and a game without a trace."""
    words = ["--play", "--seat", "o"] if play else ["--json"]
    with launched("solve", "hex", "--first", "none", *words, "--seconds", 600) as process:
        if play:
            assert process.stdout is not None
            for _ in range(8):
                process.stdout.readline()
        else:
            wait_until(lambda: processor_seconds(process) > 3, process)
        process.send_signal(signal.SIGINT)
        finished = ended(process)
    assert finished.status == 130
    if not play and finished.out:
        assert json.loads(finished.out)["status"] == "interrupted"


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="no name for standard output")
def test_standard_output_has_a_name() -> None:
    """It leads to a pipe that no folder has."""
    with launched("solve", "hex", "--playouts", 20, "--json", "--out", "/dev/stdout") as process:
        finished = ended(process)
    assert finished.status == 0, finished.err
    assert json.loads(finished.out)["playouts"] == 20


def test_parameters_that_a_search_does_not_have() -> None:
    """They are refused by name."""
    with pytest.raises(InputError, match=r"^mcps has no parameter bias$"):
        tree_algorithm("mcps", {"bias": 1.0})


@pytest.mark.parametrize("where", ["tree", "playouts", "both"])
def test_a_prior(run: Run, where: str) -> None:
    """It is found by its name, and acts where it should; another temperature is another search."""
    words = ["solve", "hex", "--algorithm", "puct", "--playouts", 200, "--json", "--size", 4]
    lines = [
        json.loads(run(*words, *more).out)
        for more in (
            [],
            ["--prior", "hex", "--prior-in", where],
            ["--prior", "hex", "--prior-in", where, "--prior-temperature", 0.1],
        )
    ]
    assert [line["prior"] for line in lines] == ["none", "hex", "hex"]
    assert lines[1]["prior_in"] == where
    assert lines[2]["prior_temperature"] == 0.1
    visits = [[one["visits"] for one in line["candidates"]] for line in lines]
    assert all(one != other for one, other in itertools.pairwise(visits))


def settings_of(word: str, *words: object) -> Settings:
    """Return the settings of a search, which is not made."""
    game = load_game(word)
    return read_settings(game, build_parser(game).parse_args([word, *map(str, words)]))


@pytest.mark.parametrize(
    ("words", "prior"),
    [
        ([], "hex-replies"),
        (["--algorithm", "uct"], "none"),
        (["--prior", "none"], "none"),
        (["--prior", "hex"], "hex"),
    ],
)
def test_the_usual_prior(words: list[str], prior: str) -> None:
    """The default search takes the game's own table that ships, other searches none."""
    assert settings_of("hex", *words).prior.name == prior


@pytest.mark.parametrize(
    ("words", "prior", "where", "temperature"),
    [
        (["nogo"], "nogo-visits", "both", 4.0),
        (["nogo", "--prior-in", "tree", "--prior-temperature", 1], "nogo-visits", "tree", 1.0),
        (["nogo", "--prior", "nogo-visits"], "nogo-visits", "tree", 3.0),
        (["nogo", "--players", 3], "none", "tree", 0.0),
        (["atarigo"], "atarigo", "both", 2.0),
    ],
)
def test_where_the_usual_prior_acts(
    words: list[str], prior: str, where: str, temperature: float
) -> None:
    """It acts where and as strongly as suits the game, unless somebody says otherwise."""
    settings = settings_of(*words)
    found = settings.prior.name, settings.prior_in, settings.prior.temperature
    assert found == (prior, where, temperature)


@pytest.mark.parametrize(
    ("words", "search", "exploration", "prior"),
    [
        ([], "puct", 0.4, "threats"),
        (["--exploration", 1.5, "--prior", "none"], "puct", 1.5, "none"),
        (["--misere"], "mcps", None, "none"),
        (["--algorithm", "uct"], "uct", None, "none"),
    ],
)
def test_a_game_has_its_own_search(
    words: list[str], search: str, exploration: float | None, prior: str
) -> None:
    """Gomoku to be won: `puct` with estimates and a prior by hand, unless others are named."""
    settings = settings_of("gomoku", *words)
    assert (settings.algorithm.name, settings.prior.name) == (search, prior)
    assert getattr(settings.algorithm, "exploration", None) == exploration
    assert settings.algorithm.estimates is (search == "puct")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["hex", "--prior", "gomoku"], "a prior for gomoku, expected hex"),
        (
            ["hex", "--prior", "go"],
            "no prior called 'go': neither a file nor one of: none, hex, hex-replies",
        ),
        (
            ["gomoku", "--misere", "--estimates"],
            "gomoku has no estimates of positions with --misere",
        ),
        (["wargame", "--prior-in", "both"], "--prior-in has no effect without a --prior"),
        (
            ["hex", "--algorithm", "flat", "--prior", "hex"],
            "a prior in the tree does nothing in flat: --prior-in playouts",
        ),
        (
            ["gomoku", "--prior-in", "both"],
            "a prior in playouts does nothing with --estimates: --prior-in tree",
        ),
        (["gomoku", "--policy", "ppa"], "--policy has no effect with estimates in place of"),
        (["hex", "--prior=none", "--weight=5"], "--weight has no effect without a --prior"),
        (
            ["hex", "--prior", "hex", "--prior-in", "playouts", "--weight", 5],
            "--weight has no effect with --prior-in playouts: it is of a prior in the tree",
        ),
        (
            ["hex", "--algorithm", "uct", "--prior-temperature", 2],
            "--prior-temperature needs a --prior from a file",
        ),
        (["hex", "--prior", "hex", "--prior-temperature", -1], "--prior-temperature is -1.0"),
        (["wargame", "--prior", "hex"], "a prior for hex, expected wargame"),
    ],
)
def test_bad_priors(run: Run, words: list[str], message: str) -> None:
    """They are refused in a line."""
    finished = run("solve", *words)
    assert finished.status == 2
    assert message in finished.err
    assert finished.err.count("\n") == 1
