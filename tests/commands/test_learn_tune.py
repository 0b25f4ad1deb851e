"""`learn --tune`: a race of temperatures on held-out instances, kept with the table."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from generators.given import read_given
from pipeline.publishing.tune import TUNING_SEED, arms_of, values
from pipeline.requests.tune import TunePlan
from solver.contract.references import generated_problems
from solver.domains import load_domain
from solver.priors.priors import load_prior
from tests.commands.learner import DOMAIN, Learner, learner, small_shards
from tests.pipeline.small_tables import metadata_of

__all__ = ["learner", "small_shards"]

SQUARES = ["latin-square", "--order", 12, "--holes", 0.5, "--code", "triple", "--seed", 4]
TUNE = [
    "--tune", "--tune-algorithm", "sampling:dead_ends=0", "--tune-instances", 16,
    "--tune-playouts", 60, "--tune-parameters", "temperature=0.01,8,32",
]  # fmt: skip


def journal(learner: Learner) -> list[dict[str, Any]]:
    """Searches of the race that were kept."""
    (path,) = learner.work.glob("latin-square/tuning-*/*.jsonl")
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_the_winner_is_the_one_with_the_fewest_playouts(learner: Learner) -> None:
    """The table recommends it, and says by which searches: half of the arms leave each time."""
    out = learner.learn(*TUNE, "--prior-temperature", 0.5, options=SQUARES, instances=60)
    assert out.splitlines()[-1].startswith("tuned for sampling: temperature ")
    metadata = metadata_of(pq.read_table(learner.out))
    tuned, rows = metadata["tuned"], journal(learner)
    assert [(one["instances"], len(one["arms"])) for one in tuned["rounds"]] == [(8, 4), (16, 2)]
    assert tuned["seed"] == 4 + TUNING_SEED
    assert {row["instance"].split("-")[0] for row in rows} == {str(4 + TUNING_SEED)}
    for number, one in enumerate(tuned["rounds"]):
        for arm in one["arms"]:
            mine = [
                row
                for row in rows
                if json.loads(row["settings"])["prior_temperature"] == arm["temperature"]
                and int(row["instance"].split("-")[1]) < one["instances"]
            ]
            assert len(mine) == one["instances"]
            spent = [row["playouts"] if row["solved"] else 120 for row in mine]
            assert arm["worth"] == pytest.approx(-np.log2(spent).mean(), abs=1e-6)
        worth = [arm["worth"] for arm in one["arms"]]
        assert worth == sorted(worth, reverse=True)
        if number:
            before = [arm["temperature"] for arm in tuned["rounds"][number - 1]["arms"][:2]]
            assert sorted(before) == sorted(arm["temperature"] for arm in one["arms"])
    best = tuned["rounds"][-1]["arms"][0]["temperature"]
    assert tuned["chosen"] == {"temperature": best}
    prior = load_prior(learner.out, DOMAIN)
    assert prior.temperature == best
    assert tuned["gain"]["over"] == {"temperature": 0.5}


def test_the_race_does_not_depend_on_threads_or_interruptions(learner: Learner) -> None:
    """With two threads, or with some of the searches kept, the files are the same bytes."""
    learner.learn(*TUNE, "--threads", 1, options=SQUARES, instances=60)
    expected = learner.files()
    (path,) = learner.work.glob("latin-square/tuning-*/*.jsonl")
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:13]) + lines[13][:20])  # as a kill leaves it
    learner.out.unlink()
    learner.learn(*TUNE, "--threads", 2, options=SQUARES, instances=60)
    assert learner.files() == expected
    assert len(journal(learner)) == len(lines)


def test_the_instances_of_a_file_race(learner: Learner, tmp_path: Path) -> None:
    """All problems of a file are searched, wherever it lies; the table says which they were."""
    problems = [DOMAIN.format_problem(one) for one in generated_problems(DOMAIN, 6, 9)]
    tuned, searched = [], []
    for folder in ("one", "two"):
        path = tmp_path / folder / "squares.txt"
        path.parent.mkdir()
        path.write_text("\n".join(problems))
        learner.learn(*TUNE, "--tune-set", path, options=SQUARES, instances=60)
        tuned.append(metadata_of(pq.read_table(learner.out))["tuned"])
        searched.append(len(journal(learner)))
        learner.out.unlink()
    assert tuned[0] == tuned[1]
    assert searched[0] == 3 * 4 + 2 * 2  # two of three arms go on to all six
    assert tuned[0]["set"] == "squares.txt"
    keys = read_given(DOMAIN, [str(path)]).keys
    assert tuned[0]["set_sha256"] == hashlib.sha256("\n".join(keys).encode()).hexdigest()
    assert {row["instance"] for row in journal(learner)} == {*keys}


def test_parameters_of_the_search_race_too() -> None:
    """Every combination races, the usual one first; values are read as options are."""
    plan = TunePlan(
        tune=True,
        tune_parameters="temperature=1,2 dead-ends=0,30",
        tune_algorithm="sampling:dead_ends=30",
    )
    arms = [arm.facts for arm in arms_of(plan, DOMAIN, 1.0)]
    assert arms == [
        {"temperature": 1.0, "dead_ends": 30},
        {"temperature": 1.0, "dead_ends": 0},
        {"temperature": 2.0, "dead_ends": 0},
        {"temperature": 2.0, "dead_ends": 30},
    ]


def test_scores_are_compared_as_shares_of_the_best() -> None:
    """Without a target the best arm on an instance is worth 0."""
    rows = [[{"score": 100.0}, {"score": -4.0}], [{"score": 50.0}, {"score": -2.0}]]
    worth = values(rows, load_domain("samegame"), 10)
    assert worth.tolist() == [[0.0, -1.0], [-0.5, 0.0]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--tune-parameters", "temperature"],
         "--tune-parameters is 'temperature', expected NAME=VALUE,... with blanks between, each "
         "name once"),
        (["--tune-parameters", "temperature=0"],
         "--tune-parameters has temperature '0', expected above 0"),
        (["--tune-parameters", "beauty=1"],
         "--tune-parameters 'beauty' is unknown, expected one of: temperature, "),
        (["--tune-algorithm", "cegl"], "no algorithm called 'cegl'"),
        (["--tune-set", "missing.txt"],
         "--tune-set is 'missing.txt', expected NAME=VALUE,... or a file of problems"),
        (["--tune-set", "size=3"], "--tune-set: 'size' is unknown, expected one of: order, "),
        (["--tune-instances", 0], "--tune-instances is 0, expected 4 or more"),
    ],
)  # fmt: skip
def test_bad_options(learner: Learner, options: list[Any], message: str) -> None:
    """Invalid options end before the work, with status 2 and one line."""
    finished = learner.run("learn", *learner.arguments(SQUARES), "--tune", *options)
    assert (finished.status, finished.out) == (2, "")
    assert finished.err.startswith(f"learn: {message}")
    assert finished.err.count("\n") == 1
    assert not learner.work.exists()
