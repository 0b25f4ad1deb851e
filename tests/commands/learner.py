"""`learn` in a folder of its own, with small shards."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from generators.latin_square import LatinSquareGenerator
from pipeline.learning.learn import LearnPlan, counts_path, learn_counts, write_prior
from solver.domains.latin_square.domain import LatinSquareDomain
from solver.domains.latin_square.kernels import LatinSquareOptions
from tests.commands.launch import SHARD_INSTANCES
from tests.commands.shell import Run

DOMAIN = LatinSquareDomain()
INSTANCES = 23  # 5 shards, the last one shorter
OPTIONS = ["latin-square", "--order", 5, "--holes", 0.8, "--prior-code", "dual", "--seed", 4]
LONG = ["latin-square", "--order", 6, "--holes", 0.7, "--prior-code", "dual"]


@pytest.fixture(autouse=True)
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a shard be of few instances."""
    monkeypatch.setattr("pipeline.learning.learn.SHARD_INSTANCES", SHARD_INSTANCES)


def shards(work: Path, kind: str = "counts") -> dict[Path, int]:
    """Finished shards and when they were written, in nanoseconds."""
    found = work.glob(f"latin-square/{kind}-*/[!.]*.parquet")
    return {path: path.stat().st_mtime_ns for path in sorted(found)}


def half_written(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.name.endswith(".part")]


class Learner:
    """Runs `learn` into a folder of its own."""

    def __init__(self, run: Run, folder: Path) -> None:
        self.run, self.folder = run, folder
        self.work, self.out = folder / "work", folder / "prior.parquet"

    def arguments(self, options: Sequence[Any] = (), instances: int = INSTANCES) -> list[Any]:
        common = [*(options or OPTIONS), "--instances", instances]
        return [*common, "--work", self.work, "--out", self.out]

    def learn(self, *more: Any, options: Sequence[Any] = (), instances: int = INSTANCES) -> str:
        finished = self.run("learn", *self.arguments(options, instances), *more)
        assert (finished.status, finished.err) == (0, "")
        assert not half_written(self.folder)
        return finished.out

    def files(self) -> tuple[bytes, bytes]:
        return self.out.read_bytes(), counts_path(self.out).read_bytes()


@pytest.fixture
def learner(run: Run, tmp_path: Path) -> Learner:
    return Learner(run, tmp_path)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    """Bias table and counts made in one shard, without the command."""
    folder = tmp_path_factory.mktemp("one-shard")
    generator = LatinSquareGenerator(order=5, holes=0.8)
    plan = LearnPlan(generator, INSTANCES, 4, LatinSquareOptions(), DOMAIN.priors["dual"])
    counts = learn_counts(DOMAIN, plan, work=folder)
    write_prior(counts, 1.0, DOMAIN.priors["dual"].temperature, folder / "p.parquet")
    return (folder / "p.parquet").read_bytes(), (folder / "p.counts.parquet").read_bytes()
