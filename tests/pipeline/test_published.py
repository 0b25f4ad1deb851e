"""Published models: nothing is lost, every step of publishing may be the last before a kill."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import pipeline.published
from pipeline import models_cli
from pipeline.counts import Counts
from pipeline.learn import counts_path, write_prior
from pipeline.published import (
    check_models,
    current_model,
    publish,
    read_manifest,
    rollback,
    version_of,
)
from solver.datasets import sha256
from solver.errors import InputError
from solver.files import replacing
from tests.pipeline.test_merge import random_counts


@pytest.fixture
def models(tmp_path: Path) -> Path:
    return tmp_path / "models"


def candidate(folder: Path, seed: int) -> Path:
    """A bias table with its counts, another for every seed."""
    path = folder / "candidates" / f"{seed}.parquet"
    counts: Counts = random_counts(seed, 0.3)
    write_prior(counts, 1.0, 2.0, path)
    return path


def published(models: Path, seed: int, **more: Any) -> str:
    """Publish table number `seed`; returns its version."""
    bias = candidate(models.parent, seed)
    version: str = publish(models, "m", bias, command=f"learn {seed}", **more)["version"]
    return version


def in_use(models: Path) -> tuple[str, str]:
    return sha256(models / "m.parquet"), sha256(models / "m.counts.parquet")


def kept(models: Path) -> list[str]:
    return sorted(path.name for path in (models / "versions").iterdir())


def test_the_manifest_says_what_a_version_is(models: Path) -> None:
    """Domain, code, data, checksums, command, date and evaluation are there."""
    evaluation = {"verdict": "better", "publish": True}
    version = published(models, 1, evaluation=evaluation, date="2026-01-01")
    entry = version_of(read_manifest(models), "m")
    assert (entry["sha256"], entry["counts_sha256"]) == in_use(models)
    assert entry["sha256"].startswith(version)
    expected = {
        "domain": "latin-square", "prior": "dual", "source": {"seed": 2}, "instances": 1,
        "rejected": 1, "smoothing": 1.0, "temperature": 2.0, "command": "learn 1",
        "published": "2026-01-01", "evaluation": evaluation,
    }  # fmt: skip
    assert {name: entry[name] for name in expected} == expected
    assert all(check.passed for checks in check_models(models).values() for check in checks)


def test_every_version_is_kept_and_can_come_back(models: Path) -> None:
    """Rolling back goes one version back each time, or to the one named."""
    versions = [published(models, seed) for seed in (1, 2, 3)]
    tables = {version: in_use(models) for version in versions[2:]}
    for expected in (versions[1], versions[0]):
        assert rollback(models, "m")["version"] == expected
        assert in_use(models)[0].startswith(expected)
    with pytest.raises(InputError, match="has no version before"):
        rollback(models, "m")
    assert rollback(models, "m", versions[2][:6])["version"] == versions[2]
    assert in_use(models) == tables[versions[2]]
    assert len(kept(models)) == 6
    assert len(read_manifest(models)["models"]["m"]["versions"]) == 3


def test_the_same_table_is_the_same_version(models: Path) -> None:
    """Publishing a known table makes it current, and no second entry."""
    first, _ = published(models, 1), published(models, 2)
    assert published(models, 1) == first
    assert version_of(read_manifest(models), "m")["version"] == first
    assert len(read_manifest(models)["models"]["m"]["versions"]) == 2


def test_a_table_put_there_by_hand_is_kept(models: Path) -> None:
    """What was in use without the manifest knowing becomes a version before it is replaced."""
    write_prior(random_counts(7, 0.3), 1.0, 2.0, models / "m.parquet")
    by_hand = in_use(models)
    published(models, 1)
    assert rollback(models, "m")["sha256"] == by_hand[0]
    assert in_use(models) == by_hand
    write_prior(random_counts(8, 0.3), 1.0, 2.0, models / "m.parquet")
    current_model(models, "m")
    assert in_use(models) != by_hand  # and is not overwritten by looking at it


class KilledError(BaseException):
    """Stands for SIGKILL."""


def killed_at(patch: pytest.MonkeyPatch, step: int) -> list[Path]:
    """Let the file number `step` that is written be the last one; returns those written."""
    written: list[Path] = []

    def dying(path: Path) -> Any:
        if len(written) == step:
            raise KilledError
        written.append(path)
        return replacing(path)

    patch.setattr(pipeline.published, "replacing", dying)
    return written


def test_a_kill_at_any_step_leaves_the_old_or_the_new(models: Path) -> None:
    """Before the manifest is renamed the old version holds, after it the new one; never a mix."""
    old, new = published(models, 1), candidate(models.parent, 2)
    before = in_use(models)
    wanted = sha256(new), sha256(counts_path(new))
    for step in range(20):
        with pytest.MonkeyPatch.context() as patch:
            written = killed_at(patch, step)
            try:
                publish(models, "m", new, command="learn 2")
                break
            except KilledError:
                pass
        assert current_model(models, "m") == models / "m.parquet"
        done = models / "manifest.json" in written
        assert in_use(models) == (wanted if done else before)
        assert rollback(models, "m", old)["version"] == old
        assert in_use(models) == before
        manifest = read_manifest(models)
        for version in manifest["models"]["m"]["versions"][1:]:
            for name in kept(models):
                if version["version"] in name:
                    (models / "versions" / name).unlink()
        del manifest["models"]["m"]["versions"][1:]
        (models / "manifest.json").write_text(json.dumps(manifest))
    else:
        pytest.fail("it never came to its end")
    assert step >= 5  # two files kept, the manifest, two files copied
    assert in_use(models) == wanted


@pytest.mark.parametrize("name", ["m.parquet", "m.counts.parquet"])
def test_damaged_candidates_are_refused(models: Path, name: str) -> None:
    """A table that does not pass its checks is not published, and nothing changes."""
    published(models, 1)
    before = in_use(models), kept(models), (models / "manifest.json").read_bytes()
    bias = candidate(models.parent, 2)
    damaged = bias if name == "m.parquet" else counts_path(bias)
    damaged.write_bytes(damaged.read_bytes()[:-50])
    with pytest.raises(InputError, match="not a readable parquet file"):
        publish(models, "m", bias, command="learn")
    assert (in_use(models), kept(models), (models / "manifest.json").read_bytes()) == before


def test_damaged_versions_do_not_come_back(models: Path) -> None:
    """Rolling back to a file that changed or is gone is refused, by name."""
    old, _ = published(models, 1), published(models, 2)
    before = in_use(models)
    path = models / "versions" / f"m-{old}.parquet"
    path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(InputError, match="another checksum than in the manifest"):
        rollback(models, "m")
    path.unlink()
    with pytest.raises(InputError, match="was not kept"):
        rollback(models, "m")
    assert in_use(models) == before


@pytest.mark.parametrize(
    ("text", "message"), [("{", "not JSON"), ('{"schema_version": 9}', "schema version 9")]
)
def test_damaged_manifests_are_refused(models: Path, text: str, message: str) -> None:
    """One line, and the file stays as it is."""
    models.mkdir()
    (models / "manifest.json").write_text(text)
    with pytest.raises(InputError, match=message):
        published(models, 1)
    assert (models / "manifest.json").read_text() == text


def test_the_command(models: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It lists, checks and rolls back; unknown names are errors, a changed file is status 1."""
    folder = ["--models", str(models)]
    old, new = published(models, 1), published(models, 2)
    assert models_cli.run(["list", *folder]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line[:17] for line in lines] == [f"  m {old} ", f"* m {new} "]
    assert models_cli.run(["rollback", "m", *folder]) == 0
    assert capsys.readouterr().out.startswith(f"* m {old} ")
    assert models_cli.run(["check", *folder]) == 0
    bias = candidate(models.parent, 3)
    capsys.readouterr()
    (models / "m.parquet").write_bytes(bias.read_bytes())
    assert models_cli.run(["check", *folder]) == 1
    assert f"not the file of version {old}" in capsys.readouterr().out
    for words, message in (
        (["rollback", "n"], "no model called 'n' was published, there are: m"),
        (["rollback", "m", "0" * 12], f"there are: {old}, {new}"),
    ):
        with pytest.raises(InputError, match=message):
            models_cli.run([*words, *folder])
    assert models_cli.run(["publish", "n", str(bias), "--made-by", "learn x", *folder]) == 0
    assert "learn x" in capsys.readouterr().out


def test_the_models_that_ship_are_those_of_their_manifest() -> None:
    """Every file in use passes its checks and has the checksum in the manifest."""
    models = Path(__file__).parents[2] / "models"
    checks = check_models(models)
    shipped = {path.name for path in models.glob("*.parquet")}
    assert set(checks) == shipped
    assert not [one for found in checks.values() for one in found if not one.passed]
