"""`compare` on games: matches as they are typed."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from threading import Event

import pytest

from pipeline.matches.methods import Match
from pipeline.matches.play import Seats
from pipeline.matches.rows import GameRow
from pipeline.tables.names import GAMES_FILE
from solver.contract.identity import rules_digest
from solver.games import load_game
from solver.priors.priors import models_folder
from solver.priors.tables import read_table
from solver.system.files import only_writer
from tests.commands.shell import Run, ended, launched, lines_of, wait_until
from tests.pipeline.small_tables import saved, with_metadata

SMALL = ["compare", "hex", "--size", 3, "--first", "none", "--playouts", 20, "--games", 4]


def test_matches_are_kept_and_added_to(run: Run, tmp_path: Path) -> None:
    """The summary is printed and kept; more games and methods are added to those there."""
    command = [*SMALL, "--out", tmp_path / "out"]
    finished = run(*command, "--algorithm", "mcps,uct")
    assert finished.status == 0, finished.err
    assert "| mcps | uct | 4 |" in finished.out
    assert (tmp_path / "out" / "summary.md").read_text() == finished.out
    assert 'class="replay"' in (tmp_path / "out" / "report.html").read_text()
    before = (tmp_path / "out" / "games.jsonl").read_text()
    finished = run(*command, "--algorithm", "mcps,uct,flat", "--games", 6, "--threads", 2)
    assert finished.err.endswith(f"18 games, kept in {tmp_path / 'out'}\n")
    after = (tmp_path / "out" / "games.jsonl").read_text()
    assert after.startswith(before)
    assert run(*command, "--algorithm", "mcps,uct,flat", "--games", 6).out == finished.out
    assert (tmp_path / "out" / "games.jsonl").read_text() == after


def test_positions_are_told_apart_wherever_they_stand(run: Run, tmp_path: Path) -> None:
    """Files of one name in a folder of results, before the options and behind them."""
    words = ["--playouts", 20, "--games", 2, "--algorithm", "mcps,uct", "--out", tmp_path / "out"]
    for number, rows in enumerate(["o..\n.x.\n...", "...\n.o.\n..x"], start=1):
        position = tmp_path / f"{number}" / "position.txt"
        position.parent.mkdir()
        position.write_text(f"{rows}\nx to move\n")
        before = run("compare", "hex", position, *words)
        assert before.status == 0, before.err
        assert before.err.startswith(f"{2 * number} games")
        behind = run("compare", "hex", *words, position)
        assert (behind.out, behind.err) == (before.out, before.err)
    assert "\n\nposition o.. .x. ... x to move\n" in behind.out
    assert "\n\nposition ... .o. ..x x to move\n" in behind.out


def test_options_of_the_start_are_said_of_it_alone(run: Run, tmp_path: Path) -> None:
    """A position keeps only the options that act on it; a file of the start is the start."""
    position, words = tmp_path / "position.txt", ["--playouts", 20, "--games", 2]
    words += ["--algorithm", "uct,flat", "--out", tmp_path / "out"]
    position.write_text("...\n.x.\n...\no to move\n")
    finished = run("compare", "nogo", position, *words)
    assert "\n\nposition ... .x. ... o to move, players 2\n" in finished.out
    position.write_text("\n".join(["....."] * 5) + "\nx to move\n")
    finished = run("compare", "nogo", position, *words)
    assert "\n\nposition start, size 5, players 2\n" in finished.out
    assert run("compare", "nogo", *words).out == finished.out
    assert lines_of(tmp_path / "out" / "games.jsonl") == 4


def test_threads_play_the_same_games(run: Run, tmp_path: Path) -> None:
    """One thread and two keep the same moves, seats and scores."""
    found = []
    for threads in (1, 2):
        out = tmp_path / f"{threads}"
        words = ["--algorithm", "grave,uct", "--threads", threads, "--out", out]
        assert run(*SMALL, *words).status == 0
        rows = map(json.loads, (out / "games.jsonl").read_text().splitlines())
        found.append([(row["number"], row["seat"], row["score"], row["moves"]) for row in rows])
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--algorithm", "mcps"], "expected two methods or more"),
        (["--algorithm", "mcps,gnrpa"], "gnrpa is an algorithm, but no tree search"),
        (["--games", 0], "--games is 0, expected 1 ... 1,000,000"),
        (["--seed", -1], "seed is -1, expected 0 or more"),
        (["--threads", 0], "--threads is 0, expected 1 or more"),
        (["--algorithm", "mcps,uct:codes=exact"], "the game has no option codes"),
        (["missing.txt"], "--size has no effect on a position that is given"),
        (["--prior", "go"], "no prior called 'go'"),
        (["--algorithm", "mcps,mcps:prior=hex:in=root"], "a prior acts in 'root', expected one of"),
        (
            ["--algorithm", "mcps:prior=hex,grave", "--prior", "none,hex"],
            "mcps:prior=hex: prior is given twice, expected once: here or by --prior",
        ),
        (["--algorithm", "mcps:temperature=2,grave"], "has no effect, expected a prior beside it"),
        (["--algorithm", "mcps,puct:prior=gomoku"], "a prior for gomoku, expected hex"),
    ],
)
def test_bad_words(run: Run, tmp_path: Path, words: list[str], message: str) -> None:
    """They are refused in a line, before anything is played."""
    finished = run(*SMALL, *words, "--out", tmp_path / "out")
    assert finished.status == 2
    assert message in finished.err
    assert finished.err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_position_that_is_not_there(run: Run, tmp_path: Path) -> None:
    """It is named."""
    finished = run("compare", "hex", tmp_path / "missing.txt", "--out", tmp_path / "out")
    assert (finished.status, finished.err.count("\n")) == (2, 1)
    assert "missing.txt" in finished.err
    assert not (tmp_path / "out").exists()


def test_a_position_without_a_move(run: Run, tmp_path: Path) -> None:
    """No game is played from one that is over."""
    path = tmp_path / "over.txt"
    path.write_text("xox\noxo\noo.\nx to move\n")
    words = ("--algorithm", "flat,uct", "--games", 2, "--playouts", 4, "--out", tmp_path / "m")
    finished = run("compare", "hex", path, *words)
    message = "compare: over.txt: the game is over, nothing to play\n"
    assert (finished.status, finished.err) == (2, message)
    assert not (tmp_path / "m").exists()


def test_priors_meet(run: Run, tmp_path: Path) -> None:
    """Every search plays with every prior, and another table of the same name plays anew."""
    out, table = tmp_path / "out", tmp_path / "mine"
    shipped, game = read_table(models_folder() / "hex.parquet"), load_game("hex")
    code = next(iter(game.priors.values()))
    made = with_metadata(shipped, rules=rules_digest(game, code))
    saved(made, table)
    words = [*SMALL, "--out", out, "--algorithm", "puct", "--prior", f"none,{table}"]
    finished = run(*words)
    assert finished.status == 0, finished.err
    assert f"| puct | puct:prior={table} | 4 |" in finished.out
    assert lines_of(out / "games.jsonl") == 4
    saved(made, table, compression="none")
    assert run(*words).status == 0
    assert lines_of(out / "games.jsonl") == 8


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("score", "a", "line 2: score is 'a', expected a number, 0 ... 1"),
        ("moves", "zz zz zz zz zz", "line 2, move 1: no move 'zz' here, expected one of: "),
    ],
)
def test_a_damaged_journal(run: Run, tmp_path: Path, field: str, value: str, message: str) -> None:
    """A line with file and line; nothing is played, no report is written."""
    journal = tmp_path / "games.jsonl"
    command = [*SMALL, "--algorithm", "mcps,uct", "--out", tmp_path]
    assert run(*command).status == 0
    for name in ("summary.md", "report.html"):
        (tmp_path / name).unlink()
    rows = [json.loads(line) for line in journal.read_text().splitlines()]
    rows[1] |= {field: value, "length": 5}
    journal.write_text(damaged := "".join(f"{json.dumps(row)}\n" for row in rows))
    finished = run(*command)
    assert (finished.status, finished.out, finished.err.count("\n")) == (2, "", 1)
    assert finished.err.startswith(f"compare: {journal}, {message}")
    assert journal.read_text() == damaged
    assert list(tmp_path.iterdir()) == [journal]


def test_one_command_at_a_time(run: Run, tmp_path: Path) -> None:
    """The second with the same folder is refused, until the first has come to its end."""
    command = [*SMALL, "--algorithm", "uct,flat", "--out", tmp_path]
    path = tmp_path / GAMES_FILE
    with only_writer(path):
        finished = run(*command)
        message = f"compare: another command is writing {path}\n"
        assert (finished.status, finished.out, finished.err) == (2, "", message)
        assert lines_of(path) == 0
    assert run(*command).status == 0
    assert lines_of(path) == 4


def test_interrupted(tmp_path: Path) -> None:
    """Ctrl-C ends a match between two games; the same command would go on."""
    out = tmp_path / "out"
    words = ["--algorithm", "mcps,uct", "--games", 100000, "--out", out]
    with launched("compare", *SMALL[1:], *words) as process:
        wait_until(lambda: lines_of(out / "games.jsonl") > 2, process)
        process.send_signal(signal.SIGINT)
        finished = ended(process)
    assert finished.status == 130
    assert finished.err.endswith("compare: interrupted; the same command goes on from there\n")
    assert "| mcps | uct |" in finished.out
    assert 'class="replay"' in (out / "report.html").read_text()
    assert lines_of(out / "games.jsonl") > 2


def test_interrupted_in_the_last_game(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The game is kept, and what would come behind the match does not begin."""

    def seat_play(seats: Seats, match: Match, number: int, stop: Event) -> GameRow | None:
        row = real(seats, match, number, stop)
        if number == 3:
            signal.raise_signal(signal.SIGINT)
        return row

    real = Seats.play
    monkeypatch.setattr(Seats, "play", seat_play)
    command = [*SMALL, "--algorithm", "mcps,uct", "--out", tmp_path]
    finished = run(*command)
    assert finished.status == 130
    assert "| mcps | uct | 4 |" in finished.out
    assert lines_of(tmp_path / "games.jsonl") == 4
    again = run(*command)
    assert (again.status, again.out) == (0, finished.out)


def test_several_values(run: Run, tmp_path: Path) -> None:
    """Values of a parameter meet each other; each value of an option has a tournament."""
    words = ["--algorithm", "uct:exploration=0.2,uct:exploration=0.4", "--size", "3,4"]
    finished = run(*SMALL, "--games", 2, *words, "--out", tmp_path)
    assert finished.status == 0, finished.err
    assert finished.out.count("| uct:exploration=0.2 | uct:exploration=0.4 | 2 |") == 2
    rows = [json.loads(line) for line in (tmp_path / "games.jsonl").read_text().splitlines()]
    assert [json.loads(row["options"])["size"] for row in rows] == [3, 3, 4, 4]
    alone = run(*SMALL, "--games", 2, *words, "--size", 4, "--out", tmp_path)
    assert alone.out == finished.out
    assert lines_of(tmp_path / "games.jsonl") == 4


def test_games_in_a_plan(run: Run, tmp_path: Path) -> None:
    """Games and runs of one plan have a page each; a plan of games alone has the report."""
    plan, out = tmp_path / "plan.toml", tmp_path / "out"
    games = "[hex]\nsize = 3\nfirst = 'none'\nplayouts = 20\ngames = 2\n"
    plan.write_text(f"title = 'Both'\n{games}[latin-square]\norder = 4\ninstances = 2\n")
    finished = run("compare", "--plan", plan, "--out", out)
    assert finished.status == 0, finished.err
    reports = [out / "report.html", out / "games.html"]
    assert finished.out.endswith("".join(f"report on all: {path}\n" for path in reports))
    assert "<h3>hex, 20 playouts a move</h3>" in reports[1].read_text()
    assert "<h1>Both</h1>" in reports[1].read_text()
    assert lines_of(out / "runs" / "hex" / "games.jsonl") == 2
    plan.write_text(f"{games}[other]\nproblem = 'nogo'\nsize = 3\nplayouts = 10\ngames = 2\n")
    finished = run("compare", "--plan", plan, "--out", out)
    assert finished.out.endswith(f"report on all: {reports[0]}\n")
    assert "<h1>Matches of hex, nogo</h1>" in reports[0].read_text()
    assert lines_of(out / "runs" / "hex" / "games.jsonl") == 2


def test_a_plan_is_checked_before_anything_is_played(run: Run, tmp_path: Path) -> None:
    """An error in the last table of a plan stops it before any game is played."""
    plan, out = tmp_path / "plan.toml", tmp_path / "out"
    plan.write_text("[hex]\nsize = 3\ngames = 2\n[nogo]\nalgorithm = 'uct'\n")
    finished = run("compare", "--plan", plan, "--out", out)
    assert (finished.status, finished.err.count("\n")) == (2, 1)
    assert "expected two methods or more" in finished.err
    assert not out.exists()
