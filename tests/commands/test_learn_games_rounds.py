"""`learn GAME --tune` and `--rounds`: races and gates by matches, kept with the table."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from pipeline.learning.summary import rounds_lines
from pipeline.publishing.contests import Contest, guided, judged
from pipeline.publishing.tune import TUNING_SEED
from pipeline.publishing.tune_games import parameters_of
from pipeline.requests.tune import TunePlan
from solver.games import load_game
from tests.commands.learner import Learner, learner
from tests.pipeline.small_tables import metadata_of

__all__ = ["learner"]

HEX = ["hex", "--size", 3, "--playouts", 10, "--seed", 3, "--openings", 2, "--fit"]
TUNE = [
    "--tune", "--tune-instances", 8, "--tune-playouts", 10, "--prior-temperature", 0.5,
    "--tune-parameters", "temperature=2,4 weight=1",
]  # fmt: skip
ROUNDS = [
    "--rounds", 2, "--round-instances", 20, "--held-out", 20, "--held-out-playouts", 10,
    "--margin", 1,
]  # fmt: skip


def rows_of(path: Path) -> list[dict[str, Any]]:
    """Games that a journal keeps."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_races_and_rounds(learner: Learner) -> None:
    """Winners and verdicts are those of the games kept; bytes do not depend on threads."""
    out = learner.learn(*TUNE, *ROUNDS, "--threads", 2, options=HEX, instances=40)
    metadata = metadata_of(pq.read_table(learner.out))
    tuned, (first, second) = metadata["tuned"], metadata["rounds"]
    assert (first["round"], first["instances"]) == (1, 40)
    assert (second["round"], second["instances"], second["verdict"]) == (2, 60, "not worse")
    assert out.splitlines()[-2:] == rounds_lines([first, second])
    assert tuned["seed"] == 3 + TUNING_SEED
    assert [(one["instances"], len(one["arms"])) for one in tuned["rounds"]] == [(4, 3), (8, 2)]
    assert metadata["temperature"] == tuned["chosen"]["temperature"]
    race = rows_of(*learner.work.glob(f"hex/tuning-*/{_raced_table(learner)}.jsonl"))
    for one in tuned["rounds"]:
        for arm in one["arms"][0], one["arms"][-1]:
            if arm["temperature"] != 0.5:
                scores = [
                    row["score"] for row in race
                    if f"temperature={arm['temperature']:g}" in row["one"].replace(".0", "")
                    and row["number"] < one["instances"]
                ]  # fmt: skip
                assert len(scores) == one["instances"]
                assert arm["worth"] == pytest.approx(np.mean(scores))
    (gate,) = learner.work.glob("hex/evaluations-*/*.jsonl")
    scores = [row["score"] for row in rows_of(gate)]
    assert len(scores) == 20
    assert second["gain"]["value"] == pytest.approx(np.mean(scores) - 0.5)
    fresh = Learner(learner.run, learner.folder / "fresh")
    fresh.learn(*TUNE, *ROUNDS, "--threads", 1, options=HEX, instances=40)
    assert learner.files() == fresh.files()


def _raced_table(learner: Learner) -> str:
    """Digest of the table of the second round, which the race kept with the table was held for."""
    from pipeline.publishing.digests import read_digest
    from solver.priors.tables import BIAS

    (path,) = learner.work.glob("hex/rounds-*/untuned-2.parquet")
    return read_digest(path, BIAS)[:12]


def test_ctrl_c_in_the_last_game(tmp_path: Path) -> None:
    """A race ends there, with all its games kept."""

    def progress(done: int) -> None:
        if done == 4:
            signal.raise_signal(signal.SIGINT)

    game, one = load_game("hex"), guided("mcps", None)
    contest = Contest(game, game.options(size=3), 10, 0, 1, tmp_path / "race.jsonl", progress)
    with pytest.raises(KeyboardInterrupt):
        contest.scores([(one, one)], range(4))
    assert len(rows_of(contest.path)) == 4


def test_verdicts() -> None:
    """The interval of the gain decides; of three players a third is even."""
    even = np.tile([1.0, 0.0], 50)
    assert judged(even, 0.5, 0.05)["verdict"] == "undecided"
    assert judged(even, 0.5, 0.2)["verdict"] == "not worse"
    assert judged(even, 1 / 3, 0.05)["verdict"] == "better"
    assert judged(np.tile([1.0, 0.0, 0.0, 0.0], 50), 0.5, 0.05)["verdict"] == "worse"


def test_parameters_that_race() -> None:
    """Every combination, the usual one first; where the prior acts may race, too."""
    plan = TunePlan(tune=True, tune_parameters="temperature=1,2 in=tree,both ref=5")
    assert parameters_of(plan.complete(of_game=True), 1.0)[:3] == [
        {"temperature": 1.0, "in": "tree", "ref": 50},
        {"temperature": 1.0, "in": "tree", "ref": 5},
        {"temperature": 1.0, "in": "both", "ref": 5},
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--tune", "--tune-parameters", "beauty=1"],
         "--tune-parameters 'beauty' is unknown, expected one of: temperature, in, "),
        (["--tune", "--tune-parameters", "in=nowhere"],
         "--tune-parameters has in 'nowhere', expected one of: tree, playouts, both"),
        (["--tune", "--tune-algorithm", "gnrpa"], "gnrpa is an algorithm, but no tree search"),
        (["--tune", "--tune-set", "order=3"],
         "--tune-set: 'order' is unknown, expected one of: size, "),
        (["--rounds", 2, "--round-sets", "size=4"], "--round-sets has no effect on games"),
        (["--rounds", 2, "--held-out-set", "size=99"], "--held-out-set: size is 99, expected"),
        (["--rounds", 2, "--held-out-algorithm", "gnrpa"],
         "gnrpa is an algorithm, but no tree search"),
        (["--guide", "hexx"], "no prior called 'hexx'"),
        (["--openings", -1], "--openings is -1, expected 0 or more"),
    ],
)  # fmt: skip
def test_bad_options(learner: Learner, options: list[Any], message: str) -> None:
    """Invalid options end before the work, with status 2 and one line."""
    finished = learner.run("learn", *learner.arguments(HEX), *options)
    assert (finished.status, finished.out) == (2, "")
    assert finished.err.startswith(f"learn: {message}")
    assert finished.err.count("\n") == 1
    assert not learner.out.exists()
