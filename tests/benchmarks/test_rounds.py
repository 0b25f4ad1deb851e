"""`python -m benchmarks.rounds`: tables of all rounds, searched with, and rows that are kept."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import rounds, rounds_figure
from benchmarks.priors import PLAYOUTS, SECONDS
from benchmarks.rounds import NONE, Problem, differences, gain, pairs, rows_of
from pipeline.commands import compare, learn
from solver.commands.progress import say
from solver.errors import InputError

PLAN = """
[latin-square]
title = "Squares"
learn = "latin-square --order 8 --instances 40"
seeds = [3, 4]
margin = 1.0
search = "latin-square --order 9 --instances 3 --algorithm sampling --threads 1"
playouts = 40
seconds = 0.02

[small-hex]
name = "hex"
title = "Hex"
learn = "hex --size 3 --instances 20 --playouts 10 --round-instances 10 --held-out 10"
seeds = [3]
margin = 1.0
search = "hex --size 3 --algorithm puct --games 4 --threads 1"
playouts = 10
seconds = 0.001
"""
#: What tables 1 to 4 and none spend on instance "a", and their score of "b", in the rows below.
SPENT = {NONE: 64, 1: 32, 2: 16, 3: 16, 4: 4}


@pytest.fixture
def plan(tmp_path: Path) -> dict[str, Problem]:
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    return rounds.read_plan(path)


def facts(learned: int, gate: list[str]) -> dict[str, Any]:
    """Facts of a learning whose gate said so."""
    told = [{"round": n, "instances": 1000 * n} for n in range(1, 5)]
    return {"learned": learned, "gate": ["", *gate], "rounds": told}


def searched(problem: Problem) -> list[dict[str, Any]]:
    """Rows in which every table solves "a", and none "b"."""
    return [
        {
            "learned": learned, "budget": budget, "table": table, "family": "f", "instance": name,
            "seed": 0, "solved": name == "a", "score": 0.0, "playouts": spent, "seconds": 0.01,
        }
        for learned in problem.seeds
        for budget in (PLAYOUTS, SECONDS)
        for table, spent in SPENT.items()
        for name in ("b", "a")
    ]  # fmt: skip


def test_whom_tables_play() -> None:
    """None, the table before, and the first one, each once."""
    assert list(pairs(4)) == [
        (1, 0), (2, 0), (2, 1), (3, 0), (3, 2), (3, 1), (4, 0), (4, 3), (4, 1),
    ]  # fmt: skip


def test_gains_are_paired_by_instance(plan: dict[str, Problem]) -> None:
    """Doublings of what is spent; one that neither solves tells nothing."""
    problem = plan["latin-square"]
    rows = searched(problem)
    assert differences(rows, problem, PLAYOUTS, 1, NONE).tolist() == [1.0, 0.0]
    assert differences(rows, problem, PLAYOUTS, 4, 1).tolist() == [3.0, 0.0]
    assert differences(rows, problem, SECONDS, 4, 1).tolist() == [0.0, 0.0]
    for row in rows:
        if (row["table"], row["learned"], row["instance"]) == (4, 3, "b"):
            row.update(solved=True, playouts=5)
    assert differences(rows, problem, PLAYOUTS, 4, 1).tolist() == [3.0, 2.0]  # log2(80 / 5) / 2


def test_cells_of_a_problem(plan: dict[str, Problem]) -> None:
    """A line for each table; a round that the gate ended was not made."""
    problem = plan["latin-square"]
    learned = [facts(3, ["better", "undecided"]), facts(4, ["better", "not worse", "worse"])]
    cells = rows_of(problem, [*learned, *searched(problem)])
    assert [line[1] for line in cells] == ["none", "round 1", "round 2", "round 3", "round 4"]
    assert [line[3] for line in cells] == [
        "", "", "better", "undecided, dropped; not worse", "not made; worse, dropped",
    ]  # fmt: skip
    assert cells[0][:6] == ["Squares", "none", "", "", "", "2/4, \N{INFINITY}"]
    assert cells[2][2] == "2,000"
    assert [line[6].partition(" ")[0] for line in cells] == ["", "+0.50", "+0.50", "+0.00", "+1.00"]
    assert [line[7].partition(" ")[0] for line in cells] == ["", "", "", "+0.50", "+1.50"]


def test_cells_of_a_game(plan: dict[str, Problem]) -> None:
    """Scores against none in per cent, against tables as points more than an even match gives."""
    problem = plan["small-hex"]
    games = [
        {"learned": 3, "budget": budget, "table": one, "against": other, "game": n, "score": score}
        for budget in (PLAYOUTS, SECONDS)
        for one, other in pairs(4)
        for n, score in enumerate([1.0, 1.0, 1.0, float(other == NONE)])
    ]
    cells = rows_of(problem, [facts(3, ["better", "better", "better"]), *games])
    assert [line[1] for line in cells] == ["round 1", "round 2", "round 3", "round 4"]
    assert cells[0][5].startswith("100.0 (51.0 to 100.0)")
    assert cells[0][6] == ""
    assert cells[3][6] == cells[3][7] == "+25.0 (-19.9 to +45.4)"
    assert gain(games, problem, PLAYOUTS, 4, NONE) is None


def test_rows_of_all_tables_are_kept(
    tmp_path: Path, plan: dict[str, Problem], capsys: pytest.CaptureFixture[str]
) -> None:
    """The gate drops what so few instances cannot tell; all rounds have rows, made once."""
    words = [str(tmp_path / "rows"), "--plan", str(tmp_path / "plan.toml")]
    words += ["--work", str(tmp_path / "work"), "--problem", "small-hex"]
    assert rounds.run(words) == 0
    say("heard")  # the commands within were quiet
    shown, said = capsys.readouterr()
    assert said.endswith("heard\n")
    assert len(shown.splitlines()) == 2 + rounds.TABLES
    path = tmp_path / "rows" / "small-hex.jsonl"
    first, *games = map(json.loads, path.read_text().splitlines())
    assert [one["instances"] for one in first["rounds"]] == [20, 30, 40, 50]
    assert [(row["budget"], row["table"], row["against"], row["game"]) for row in games] == [
        (budget, *pair, n) for budget in (PLAYOUTS, SECONDS) for pair in pairs(4) for n in range(4)
    ]
    tables = sorted(
        (tmp_path / "work" / "small-hex" / "3").glob("work/hex/rounds-*/hex-20-*.parquet")
    )
    assert len(tables) == 2 * rounds.TABLES  # and their counts
    before = path.read_text()
    cut = before[: before.index('"budget": "seconds"')]
    path.write_text(cut[: cut.rindex("\n") + 1])
    assert rounds.run(words) == 0
    again = list(map(json.loads, path.read_text().splitlines()))
    assert again[: len(games) // 2 + 1] == [first, *games][: len(games) // 2 + 1]
    assert len(again) == len(games) + 1
    capsys.readouterr()
    assert rounds.run([*words, "--show"]) == 0
    assert capsys.readouterr().out == shown


def test_searches_of_a_problem(tmp_path: Path, plan: dict[str, Problem]) -> None:
    """None and all tables search the same instances with the same budget."""
    tables = [
        Path("models/latin-square.parquet").absolute(),
        Path("models/latin-square-dual.parquet").absolute(),
    ]
    rows = rounds.searches(plan["latin-square"], 3, PLAYOUTS, tables, tmp_path)
    assert sorted({row["table"] for row in rows}) == [0, 1, 2]
    assert np.unique([row["instance"] for row in rows], return_counts=True)[1].tolist() == [3] * 3
    assert {(row["learned"], row["budget"]) for row in rows} == {(3, PLAYOUTS)}


def test_the_figure_is_that_of_the_rows() -> None:
    """Its curves begin at the first table; written anew it is the one that the page shows."""
    found = rounds_figure.curves()
    assert len(found) == len(rounds.read_plan())
    for _, curve in found:
        assert [*curve[0]] == [0, 0, 0]
        assert len(curve) == rounds.TABLES
        assert all(one.low <= one.value <= one.high for one in curve)
    assert rounds_figure.run(["--check"]) == 0


def test_the_plan_that_ships() -> None:
    """Gates have their usual margins; instances that judge are none that `learn` sees."""
    for problem in rounds.read_plan().values():
        request = learn.read_request(rounds.learn_words(problem, 1))[1]
        assert request.rounds.rounds == rounds.TABLES
        assert request.evaluation.margin < problem.margin
        words = shlex.split(problem.search)
        assert compare.read_request([*words, "--playouts", str(problem.playouts)])
        assert problem.seeds
        apart = ("--instance-seed 777", "folds.fa", "hard-folds")
        assert problem.is_game or any(word in problem.search for word in apart)


def test_bad_plans(tmp_path: Path, plan: dict[str, Problem]) -> None:
    """Unknown problems and keys are named."""
    path = tmp_path / "plan.toml"
    with pytest.raises(InputError, match="no problem chess; there are: latin-square, small-hex"):
        rounds.run([str(tmp_path), "--problem", "chess", "--plan", str(path)])
    path.write_text(PLAN + "games = 4\n")
    with pytest.raises(InputError, match="games"):
        rounds.read_plan(path)
