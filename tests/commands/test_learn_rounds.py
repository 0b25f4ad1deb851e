"""`learn --rounds`: tables learned from what the last table solved, each gated."""

from __future__ import annotations

import signal
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from generators.rounds import SolvedBySearch
from generators.solved import solved_table
from pipeline.publishing.digests import read_model
from solver.domains import load_domain
from tests.commands.learner import DOMAIN, Learner, learner, small_shards
from tests.commands.shell import ended, launched, wait_until
from tests.pipeline.small_tables import metadata_of

__all__ = ["learner", "small_shards"]

SQUARES = ["latin-square", "--order", 8, "--holes", 0.6, "--code", "triple+dual", "--seed", 4]
ROUNDS = [
    "--rounds", 2, "--round-instances", 8, "--round-playouts", 200, "--held-out", 30,
    "--round-sets", "order=10 order=12 order=40,holes=0.42", "--held-out-playouts", 100,
]  # fmt: skip


def test_rounds_are_kept_with_the_table(learner: Learner) -> None:
    """The second round has answers of the hardest kind of which half are solved, and a verdict."""
    out = learner.learn(*ROUNDS, options=SQUARES, instances=50)
    metadata = metadata_of(pq.read_table(learner.out))
    first, second = metadata["rounds"]
    assert (first["round"], first["instances"]) == (1, 50)
    assert second["set"] == "order=12"
    assert second["solved"] >= 0.5
    assert second["instances"] == 58
    assert second["verdict"] in ("better", "not worse", "undecided", "worse")
    kept = 58 if second["verdict"] in ("better", "not worse") else 50
    assert metadata["instances"] == kept
    assert out.splitlines()[-2].startswith("round 1: 50 instances")
    assert out.splitlines()[-1].startswith("round 2: 58 instances, to order=12, ")
    assert read_model(learner.out).metadata["rounds"] == metadata["rounds"]


def test_killed_and_run_again(learner: Learner) -> None:
    """After SIGKILL in the second round, and on another number of threads, the files are equal."""
    arguments = learner.arguments(SQUARES, instances=50)
    folder = learner.work / "latin-square"
    with launched("learn", *arguments, *ROUNDS) as process:
        wait_until(lambda: list(folder.glob("rounds-*/*-1.parquet")), process)
        process.kill()
        assert ended(process).status == -signal.SIGKILL
    assert not learner.out.exists()
    learner.learn(*ROUNDS, "--threads", 2, options=SQUARES, instances=50)
    fresh = Learner(learner.run, learner.folder / "fresh")
    fresh.learn(*ROUNDS, "--threads", 1, options=SQUARES, instances=50)
    assert learner.files() == fresh.files()


def test_what_is_not_solved_teaches_nothing(learner: Learner) -> None:
    """Problems that the search does not solve leave no row; the others' answers are its own."""
    learner.learn(options=SQUARES, instances=30)
    parameters = {"order": 20, "holes": 0.42}
    options = vars(DOMAIN.options())
    solved = SolvedBySearch("latin-square", parameters, options, str(learner.out), "sampling", 30)
    table = solved_table(DOMAIN, solved, 1, range(12))
    names = table["name"].to_pylist()
    assert 0 < len(names) < 12
    again = [solved.generate(1, number) for number in range(12)]
    assert [problem.name for problem, answer in again if answer is not None] == names
    for problem, answer in again:
        if answer is not None:
            assert sorted(np.unique(answer)) == list(range(20))
            assert (answer[problem.data >= 0] == problem.data[problem.data >= 0]).all()


def test_a_generator_that_searches_is_guided(learner: Learner) -> None:
    """Boards of SameGame are solved anew with the last table in the place of the first guide."""
    options = ["samegame", "--width", 5, "--height", 5, "--colours", 3, "--effort", 30]
    rounds = [*ROUNDS[:4], *ROUNDS[6:8], "--held-out-playouts", 50]
    out = learner.learn(*rounds, "--fit", options=options, instances=12)
    assert out.splitlines()[-1].startswith("round 2: 20 instances, 100 % solved")
    samegame = load_domain("samegame")
    assert metadata_of(pq.read_table(learner.out))["domain"] == samegame.name


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--rounds", 0], "--rounds is 0, expected 1 ... 100"),
        (["--round-playouts", 5], "--round-playouts has no effect without --rounds"),
        (["--rounds", 2, "--round-sets", "size=3"], "--round-sets: 'size' is unknown"),
        (
            ["--rounds", 2, "--round-algorithm", "tempering"],
            "--round-algorithm is 'tempering', expected one of",
        ),
    ],
)
def test_bad_options(learner: Learner, options: list[Any], message: str) -> None:
    """Invalid options end before the work, with status 2 and one line."""
    finished = learner.run("learn", *learner.arguments(SQUARES), *options)
    assert (finished.status, finished.out) == (2, "")
    assert finished.err.startswith(f"learn: {message}")
    assert finished.err.count("\n") == 1
    assert not learner.out.exists()
