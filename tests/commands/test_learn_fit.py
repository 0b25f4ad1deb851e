"""`learn --code A+B` and `--fit`: the same files however the work is cut, interrupted or killed."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from pipeline.learning.learn import counts_path
from pipeline.publishing.digests import read_model
from solver.errors import InputError
from solver.priors.priors import load_prior
from tests.commands.learner import DOMAIN, Learner, learner, shards, small_shards
from tests.commands.shell import ended, launched, wait_until
from tests.pipeline.small_tables import metadata_of, with_column

__all__ = ["learner", "small_shards"]

CODES = ", ".join(DOMAIN.priors)
BOTH = ["latin-square", "--order", 8, "--holes", 0.6, "--code", "triple+dual", "--seed", 4]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[bytes, bytes]]:
    """Files of the first run, to hold those of the others against."""
    return []


@pytest.mark.parametrize("size", [5, 30, 200])
@pytest.mark.parametrize("threads", [1, 2])
def test_files_do_not_depend_on_threads_or_shards(
    learner: Learner,
    whole: list[tuple[bytes, bytes]],
    monkeypatch: pytest.MonkeyPatch,
    size: int,
    threads: int,
) -> None:
    """Weights, facts of the held-out instances, and counts are the same bytes."""
    monkeypatch.setattr("pipeline.learning.learn.SHARD_INSTANCES", size)
    learner.learn("--threads", threads, options=BOTH, instances=200)
    assert len(shards(learner.work, "decisions")) == -(-200 // size)
    assert not shards(learner.work)
    whole.append(learner.files())
    assert whole[0] == whole[-1]


def test_what_a_fit_says(learner: Learner) -> None:
    """Lines for the fit, the held-out instances, and each code; the same is in the metadata."""
    out = learner.learn(options=BOTH, instances=200).splitlines()
    assert out[0].startswith(f"{learner.out}: ")
    assert out[1].startswith("fit: L2 ")
    assert out[2].startswith("held out, ")
    assert [line.split(":")[0].strip() for line in out[3:]] == ["triple", "dual"]
    prior = load_prior(learner.out, DOMAIN)
    assert prior.temperature == 1.0
    assert prior.metadata is not None
    assert prior.metadata["prior"] == "triple+dual"
    fit = prior.metadata["fit"]
    assert [told["code"] for told in fit["held_out"]["codes"]] == ["triple", "dual"]
    likelihood = fit["held_out"]["log_likelihood"]
    assert likelihood["low"] < likelihood["value"] < likelihood["high"] < 0.0
    decisions = int(out[0].split(" rejected, ")[1].split(" decisions")[0].replace(",", ""))
    counts = pq.read_table(counts_path(learner.out))
    assert sum(counts["count"].to_pylist()) == 2 * decisions


def test_one_code_is_fitted_if_asked(learner: Learner) -> None:
    """The counts are those of plain `learn`; weights are no frequencies."""
    plain = [*BOTH[:-4], "--code", "triple", *BOTH[-2:]]
    learner.learn(options=plain, instances=100)
    bias, counts = learner.files()
    learner.learn("--fit", "--l2", 2, options=plain, instances=100)
    fitted, same = learner.files()
    assert same == counts
    assert fitted != bias
    table = pq.read_table(learner.out)
    assert metadata_of(table)["fit"]["l2"] == 2.0
    assert max(table["bias"].to_pylist()) > 0 > min(table["bias"].to_pylist())


def test_killed_and_run_again(learner: Learner) -> None:
    """After SIGKILL in the middle of the fits the same command gives the same files."""
    arguments = learner.arguments(BOTH, instances=300)
    fits = learner.work / "latin-square"
    with launched("learn", *arguments, "--threads", 1) as process:
        wait_until(lambda: list(fits.glob("fits-*/*.npz")), process)
        process.kill()
        assert ended(process).status == -signal.SIGKILL
    kept = {path: path.stat().st_mtime_ns for path in fits.glob("fits-*/*.npz")}
    assert kept
    assert not learner.out.exists()
    learner.learn(options=BOTH, instances=300)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    fresh = Learner(learner.run, learner.folder / "fresh")
    fresh.learn(options=BOTH, instances=300)
    assert learner.files() == fresh.files()


def test_a_fit_goes_on_from_a_table(learner: Learner, tmp_path: Path) -> None:
    """`--fit-from` begins with its weights, those of other codes are refused."""
    learner.learn(options=BOTH, instances=100)
    start = learner.out.rename(tmp_path / "start.parquet")
    learner.learn("--fit-from", start, options=BOTH, instances=200)
    metadata = metadata_of(pq.read_table(learner.out))
    assert len(metadata["fit"]["start_digest"]) == 64
    other = [*BOTH[:-4], "--code", "dual", *BOTH[-2:], "--fit"]
    refused = learner.run("learn", *learner.arguments(other), "--fit-from", start, "--replace")
    assert (refused.status, refused.out) == (2, "")
    assert refused.err == f"learn: {start}: a table of triple+dual, expected one of dual\n"


def test_weights_are_held_against_their_digest(learner: Learner) -> None:
    """A fitted table whose weights were changed is no model of what it says."""
    learner.learn(options=BOTH, instances=100)
    digest = read_model(learner.out).digest
    table = pq.read_table(learner.out)
    weights = table["bias"].to_pylist()
    pq.write_table(with_column(table, "bias", [weights[0] + 1e-12, *weights[1:]]), learner.out)
    with pytest.raises(InputError, match="its weights are others than those that were fitted"):
        read_model(learner.out)
    pq.write_table(table, learner.out)
    assert read_model(learner.out).digest == digest


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--l2", 1], "--l2 has no effect without --fit, or several codes"),
        (["--fit-from", "x"], "--fit-from has no effect without --fit, or several codes"),
        (["--fit", "--l2", 0], "--l2 is 0.0, expected more than 0, or none"),
        (["--fit", "--fit-from", "x"], "cannot read x: no such file"),
        (
            ["--code", "dual+sum"],
            f"--prior-code is 'dual+sum' (did you mean dual?), expected one of: {CODES}",
        ),
        (["--code", "dual+dual"], "prior code 'dual' is given 2 times"),
    ],
)
def test_bad_options(learner: Learner, options: list[Any], message: str) -> None:
    """Invalid options end with status 2 and one line; no table is written."""
    finished = learner.run("learn", *learner.arguments(), *options)
    assert (finished.status, finished.out, finished.err) == (2, "", f"learn: {message}\n")
    assert not learner.out.exists()
