"""`learn` on games: self-play, counted and compiled to a table."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from solver.games import load_game
from solver.priors.priors import load_prior
from tests.commands.shell import Run

SMALL = ["learn", "hex", "--size", 3, "--playouts", 20]


def test_a_table_is_learned_and_used(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shards are kept, threads do not matter, and `solve` takes the table."""
    monkeypatch.setattr("pipeline.learning.learn.SHARD_INSTANCES", 40)
    words = [*SMALL, "--instances", 100, "--work", tmp_path / "work"]
    files = []
    for threads in (1, 2):
        out = tmp_path / f"hex{threads}.parquet"
        finished = run(*words[:-1], tmp_path / f"work{threads}", "--threads", threads, "--out", out)
        assert finished.status == 0, finished.err
        assert "100 solved instances replayed, 0 rejected" in finished.out
        files.append(out.read_bytes())
    assert files[0] == files[1]
    assert len(list((tmp_path / "work1" / "hex").glob("counts-*/[!.]*.parquet"))) == 3
    prior = load_prior(out, load_game("hex"))
    assert prior.metadata is not None
    options = prior.metadata["source"]["options"]
    assert (options["size"], options["swap"]) == (3, False)
    counts = pq.read_table(tmp_path / "hex2.counts.parquet")
    assert 0 < sum(counts["count"].to_pylist()) < sum(counts["nb"].to_pylist())
    assert run("solve", "hex", "--prior", out, "--playouts", 50).status == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["hex", "--evaluate"], "priors of games are evaluated by matches, not by `learn`"),
        (["hex", "--playouts", 0], "playouts is 0, expected 1 or more"),
        (["hex", "--algorithm", "gnrpa"], "gnrpa is an algorithm, but no tree search"),
        (["hex", "--size", 1], "size is 1, expected 2 ... 19"),
        (["wargame"], "wargame has no codes that a prior could be learned for"),
    ],
)
def test_bad_words(run: Run, words: list[str], message: str) -> None:
    """They are refused in a line."""
    finished = run("learn", *words)
    assert finished.status == 2
    assert message in finished.err
    assert finished.err.count("\n") == 1
