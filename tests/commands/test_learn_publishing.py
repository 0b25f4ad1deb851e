"""`learn`: what it replaces, which options it refuses, and folders that cannot be written."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from generators.latin_square import LatinSquareGenerator
from pipeline.commands import models
from solver.errors import InputError
from tests.commands.learner import (
    Learner,
    expected,
    half_written,
    learner,
    shards,
    small_shards,
)
from tests.commands.shell import ROOT, Run

__all__ = ["expected", "learner", "small_shards"]


def published(learner: Learner) -> dict[str, Any]:
    """The only version in the manifest beside the table of `learner`."""
    manifest = json.loads((learner.out.parent / "manifest.json").read_text())
    (version,) = manifest["models"]["prior"]["versions"]
    found: dict[str, Any] = version
    return found


@pytest.fixture
def publisher(run: Run, tmp_path: Path) -> Learner:
    """Learns into a folder with a manifest, in which its table is published."""
    (tmp_path / "manifest.json").write_text('{"schema_version": 2, "models": {}}')
    learner = Learner(run, tmp_path)
    learner.learn()
    return learner


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--prior-code", "triple"], "code 'dual', this would replace it by one with 'triple'"),
        (["--order", 6], "order 5, this would replace it by one with 6"),
        (["--holes", 0.7], "holes 0.8, this would replace it by one with 0.7"),
        (["--variables", "cells"], "variables 'sets', this would replace it by one with 'cells'"),
        (["--smoothing", 2], "smoothing 1.0, this would replace it by one with 2.0"),
        (["--prior-temperature", 2], "prior temperature 3.0, this would replace it by one with"),
        (["--instances", 22], "23 instances, this would replace it by one with 22"),
    ],
)
def test_a_published_model_is_not_replaced_by_another(
    publisher: Learner, options: list[Any], message: str
) -> None:
    """A table learned in another way, or from less, is refused before any work is done."""
    before, version = publisher.files(), published(publisher)
    work = publisher.folder / "other"
    arguments = [*publisher.arguments(), *options, "--work", work]
    finished = publisher.run("learn", *arguments)
    assert (finished.status, finished.out) == (2, "")
    assert finished.err.startswith(f"learn: {publisher.out} is published with {message}")
    assert "--evaluate publishes the new table if it is not worse, --replace in any" in finished.err
    assert finished.err.count("\n") == 1
    assert not work.exists()
    assert (publisher.files(), published(publisher)) == (before, version)


def test_replacing_is_for_those_who_say_so(publisher: Learner) -> None:
    """`--replace` publishes in any case; other data learned in the same way need no option."""
    publisher.learn("--seed", 5)
    publisher.learn("--instances", 24)
    assert "published as" in publisher.learn("--instances", 5, "--replace")
    manifest = json.loads((publisher.out.parent / "manifest.json").read_text())
    versions = manifest["models"]["prior"]["versions"]
    assert [version["instances"] for version in versions] == [23, 23, 24, 5]
    assert not any("--replace" in version["command"] for version in versions)


def test_a_table_made_elsewhere_does_not_replace_another(publisher: Learner) -> None:
    """`models publish` refuses what `learn` refuses, and `--replace` publishes it."""
    other = publisher.folder / "elsewhere" / "prior.parquet"
    publisher.learn("--instances", 5, "--out", other)
    before = publisher.files()
    words = ["publish", "prior", str(other), "--models", str(publisher.out.parent)]
    message = "is published with 23 instances, this would replace it by one with 5: --replace repl"
    with pytest.raises(InputError, match=message):
        models.run(words)
    assert publisher.files() == before
    assert models.run([*words, "--replace"]) == 0
    assert publisher.files() != before


def test_it_is_asked_again_when_publishing(
    publisher: Learner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model published while the command was at work is not replaced either."""
    monkeypatch.setattr(
        "pipeline.publishing.refresh.check_destination", lambda *given, **more: None
    )
    finished = publisher.run("learn", *publisher.arguments(), "--instances", 5)
    assert finished.status == 2
    assert "is published with 23 instances, this would replace it by one with 5" in finished.err
    assert published(publisher)["instances"] == 23


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--runner", "dask"], "--runner has no effect without --flow"),
        (["--runner=threads"], "--runner has no effect without --flow"),
        (["--evaluate", "--runner", "dask"], "--runner has no effect without --flow"),
        (["--held-out", 5], "--held-out has no effect without --evaluate, --flow"),
        (["--held-out-playouts=5"], "--held-out-playouts has no effect without --evaluate, --f"),
        (["--held-out-algorithm", "gnrpa"], "--held-out-algorithm has no effect without --eval"),
        (["--held-out-set", "order=6"], "--held-out-set has no effect without --evaluate,"),
        (["--margin", 0.1], "--margin has no effect without --evaluate, --flow"),
        (["--evaluate", "--replace"], "--replace has no effect on a table that is evaluated"),
        (["--out", ""], "--out is empty, expected the name of a file"),
        (["--out", "-"], "--out is '-', expected the name of a file"),
        (["--out", os.devnull], f"--out is '{os.devnull}', expected the name of a regular file"),
    ],
)
def test_options_without_an_effect_are_errors(
    learner: Learner, options: list[Any], message: str
) -> None:
    """Nothing is learned by somebody who thought that it would be evaluated, or run elsewhere."""
    finished = learner.run("learn", *learner.arguments(), *options)
    assert (finished.status, finished.out) == (2, "")
    assert finished.err.startswith(f"learn: {message}")
    assert finished.err.count("\n") == 1
    assert not learner.work.exists()


@pytest.mark.parametrize("name", ["m.counts.parquet", "m.bias", ".m.parquet"])
def test_names_that_cannot_be_published(publisher: Learner, name: str) -> None:
    """A file in a folder with a manifest has the name of its model."""
    arguments = [*publisher.arguments()[:-1], publisher.folder / name]
    finished = publisher.run("learn", *arguments)
    assert (finished.status, finished.out) == (2, "")
    assert finished.err.count("\n") == 1
    assert not (publisher.folder / name).exists()


@pytest.mark.parametrize("blocked", ["file", "/proc/nestor"])
def test_a_work_folder_that_cannot_be_written_costs_time_only(
    learner: Learner, expected: tuple[bytes, bytes], blocked: str
) -> None:
    """The same tables, and one line that says what was not kept."""
    (learner.folder / "file").touch()
    work = learner.folder / blocked
    finished = learner.run("learn", *learner.arguments(), "--work", work)
    assert finished.status == 0
    assert finished.err.startswith(f"learn: cannot write {work}")
    assert finished.err.endswith("; going on in a temporary folder, no shard is kept\n")
    assert finished.err.count("\n") == 1
    assert learner.files() == expected


def test_a_work_folder_that_fills_up_costs_time_only(
    learner: Learner, expected: tuple[bytes, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shards that were finished before there was no room are not made again."""
    real = pq.write_table

    def write(table: Any, path: Path, **options: Any) -> None:
        if path.is_relative_to(learner.work) and len(shards(learner.work)) == 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(table, path, **options)

    monkeypatch.setattr("pipeline.tables.checks.pq.write_table", write)
    generated: list[int] = []
    generate = LatinSquareGenerator.generate

    def generating(self: Any, seed: int, number: int) -> Any:
        generated.append(number)
        return generate(self, seed, number)

    monkeypatch.setattr(LatinSquareGenerator, "generate", generating)
    finished = learner.run("learn", *learner.arguments(), "--threads", 1)
    assert finished.status == 0
    assert "No space left on device; going on in a temporary folder" in finished.err
    assert finished.err.count("\n") == 1
    assert learner.files() == expected
    assert generated.count(1) == 1  # of the first shard; number 0 is also what kernels compile with
    assert not half_written(learner.folder)


def test_a_full_folder_for_the_table_is_an_error(
    learner: Learner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is no other place for what was asked for: one line and status 2."""
    (learner.folder / "file").touch()
    arguments = [*learner.arguments()[:-1], learner.folder / "file" / "prior.parquet"]
    finished = learner.run("learn", *arguments)
    assert (finished.status, finished.out) == (2, "")
    assert finished.err.startswith(f"learn: cannot write {learner.folder / 'file'}/prior.counts")
    assert finished.err.count("\n") == 1


@pytest.mark.parametrize("name", ["prior.parquet", "prior.counts.parquet"])
def test_a_foreign_file_is_not_replaced(learner: Learner, name: str) -> None:
    """A file that `learn` has not made stays, unless `--replace` is given."""
    path = learner.out.with_name(name)
    for content in (b"mine", (ROOT / "models" / "ngram.parquet").read_bytes()):
        path.write_bytes(content)
        finished = learner.run("learn", *learner.arguments())
        assert (finished.status, finished.out) == (2, "")
        assert finished.err.startswith(f"learn: {path} is ")
        assert finished.err.endswith("--replace replaces it, --out names another file\n")
        assert path.read_bytes() == content
        assert not shards(learner.work)
    learner.learn("--replace")
    learner.learn()


def test_hardly_any_solution_that_can_be_replayed(
    learner: Learner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If most are rejected, the rest make no table."""
    monkeypatch.setattr("pipeline.learning.counts.replay", lambda *arguments: None)
    finished = learner.run("learn", *learner.arguments())
    assert (finished.status, finished.out) == (2, "")
    assert finished.err.startswith("learn: 23 of 23 solutions were rejected, wrong or not to be ")
    assert finished.err.endswith("expected half at most: no table is written\n")
    assert not learner.out.exists()
