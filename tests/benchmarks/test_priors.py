"""`python -m benchmarks.priors`: tables learned, judged, searched with, and rows that are kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from benchmarks import priors
from solver.commands.progress import say
from solver.domains import load_rules
from solver.errors import InputError
from solver.priors.priors import models_folder
from tests.pipeline.small_tables import metadata_of

PLAN = """
[latin-square]
title = "Squares"
learn = "latin-square --order 9 --holes 0.6 --instances 120 --seed 3"
one = "triple"
several = "triple+dual"
shipped = "latin-square"
search = "latin-square --order 9 --instances 3 --algorithm sampling --threads 1"
playouts = 40
seconds = 0.02

[hex]
title = "Hex"
learn = "hex --size 3 --instances 60 --playouts 10 --seed 3"
tune = "--tune --tune-parameters temperature=3 --tune-instances 4 --tune-playouts 10"
one = "bridges"
search = "hex --size 3 --algorithm puct --games 4 --threads 1"
playouts = 10
seconds = 0.001
"""


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    return path


def test_rows_of_all_priors_are_kept(
    plan: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The table is that of the rows, and these are of all priors, budgets and instances."""
    words = ["--plan", str(plan), "--out", str(tmp_path / "out")]
    assert priors.run(words) == 0
    say("heard")  # the commands within were quiet
    shown, said = capsys.readouterr()
    assert said.endswith("heard\n")
    lines = [line.split(" | ") for line in shown.splitlines()[2:]]
    assert [(cells[0], cells[1].split(",")[0]) for cells in lines] == [
        ("| Squares", "none"), ("| ", "shipped"), ("| ", "one"),
        ("| ", "several"), ("| Hex", "none"), ("| ", "one"),
    ]  # fmt: skip
    facts, *rows = read(tmp_path / "latin-square.jsonl")
    assert len(rows) == 2 * 4 * 3
    for kind, cells in zip(("none", "shipped", "one", "several"), lines, strict=False):
        mine = [row for row in rows if (row["prior"], row["budget"]) == (kind, "playouts")]
        solved = [row["playouts"] if row["solved"] else np.inf for row in mine]
        assert len({row["instance"] for row in mine}) == 3
        assert cells[3].startswith(f"{np.isfinite(solved).sum()}/3, ")
    fit = metadata_of(pq.read_table(tmp_path / "out" / "latin-square" / "one.parquet"))["fit"]
    assert facts["held_out"]["one"] == fit["held_out"]
    # The code that ships is that of `one`: other weights are no likelier but by chance.
    nats = {kind: told["log_likelihood"]["value"] for kind, told in facts["held_out"].items()}
    assert abs(nats["shipped"] - nats["one"]) < 0.1
    assert nats["shipped"] > fit["held_out"]["uniform"]["log_likelihood"]["value"]
    _, *games = read(tmp_path / "hex.jsonl")
    assert [(row["budget"], row["game"]) for row in games] == [
        (budget, number) for budget in ("playouts", "seconds") for number in range(4)
    ]
    before = (tmp_path / "hex.jsonl").read_bytes()
    assert priors.run([*words, "--show"]) == 0
    assert capsys.readouterr().out == shown
    (tmp_path / "hex.jsonl").unlink()
    assert priors.run([*words, "hex"]) == 0  # from the games that are kept
    assert (tmp_path / "hex.jsonl").read_bytes() == before


def read(path: Path) -> list[dict[str, Any]]:
    """Lines of JSON."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_bad_plans(plan: Path) -> None:
    """Unknown problems and keys are named."""
    with pytest.raises(InputError, match="no problem chess; there are: latin-square, hex"):
        priors.run(["chess", "--plan", str(plan)])
    plan.write_text(PLAN + "games = 4\n")
    with pytest.raises(InputError, match="games"):
        priors.read_plan(plan)


def test_rows_are_kept_of_every_problem(capsys: pytest.CaptureFixture[str]) -> None:
    """`--show` prints a row for each kind of prior; the table of the page has one a problem."""
    assert priors.run(["--show"]) == 0
    problems = priors.read_rows(priors.FOLDER)
    assert list(problems) == list(priors.read_plan())
    assert len(capsys.readouterr().out.splitlines()) == 2 + sum(map(len, problems.values()))
    for rows, cells in zip(problems.values(), priors.table(problems), strict=True):
        assert cells[0] == rows[0][0]
        assert {*filter(None, cells[1:])} <= {row[-1] for row in rows}


def test_the_plan_that_ships() -> None:
    """Names are of problems; codes, tables and priors by hand are theirs."""
    for name, problem in priors.read_plan().items():
        domain = load_rules(name)
        assert {*problem.one.split("+"), *filter(None, problem.several.split("+"))} <= {
            *domain.priors
        }
        assert {*problem.hand} <= {*domain.handmade}
        assert not problem.shipped or (models_folder() / f"{problem.shipped}.parquet").exists()
