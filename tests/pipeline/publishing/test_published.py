"""Published models: nothing is lost, every step of publishing may be the last before a kill."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import pipeline.publishing.published
import solver.system.files
from pipeline.commands import models as models_cli
from pipeline.learning.counts import Counts
from pipeline.learning.learn import counts_path, write_prior
from pipeline.publishing.digests import read_digest
from pipeline.publishing.manifest import read_manifest, version_of
from pipeline.publishing.published import check_models, current_model, publish, rollback
from solver.errors import InputError
from solver.priors.tables import BIAS, COUNTS
from solver.system.files import replacing
from tests.pipeline.small_tables import random_counts, saved, with_column


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
    return digests(models / "m.parquet")


def digests(bias: Path) -> tuple[str, str]:
    return read_digest(bias, BIAS), read_digest(counts_path(bias), COUNTS)


def kept(models: Path) -> list[str]:
    return sorted(path.name for path in (models / "versions").iterdir())


def test_the_manifest_says_what_a_version_is(models: Path) -> None:
    """Domain, code, data, checksums, command, date and evaluation are there."""
    evaluation = {"verdict": "better", "publish": True}
    version = published(models, 1, evaluation=evaluation, date="2026-01-01")
    entry = version_of(read_manifest(models), "m")
    assert (entry["digest"], entry["counts_digest"]) == in_use(models)
    assert entry["digest"].startswith(version)
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
    """A table unknown to the manifest becomes a version before it is replaced."""
    write_prior(random_counts(7, 0.3), 1.0, 2.0, models / "m.parquet")
    by_hand = in_use(models)
    published(models, 1)
    assert rollback(models, "m")["digest"] == by_hand[0]
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

    for module in (pipeline.publishing.published, solver.system.files):
        patch.setattr(module, "replacing", dying)
    return written


def test_a_kill_at_any_step_leaves_the_old_or_the_new(models: Path) -> None:
    """Before the manifest is renamed the old version holds, after it the new one; never a mix."""
    old, new = published(models, 1), candidate(models.parent, 2)
    before = in_use(models)
    wanted = digests(new)
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
        for name in kept(models):
            if old not in name:
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
    other = candidate(models.parent, 5)
    for source, target in ((other, path), (counts_path(other), counts_path(path))):
        target.write_bytes(source.read_bytes())
    with pytest.raises(InputError, match="another digest than in the manifest"):
        rollback(models, "m")
    path.unlink()
    with pytest.raises(InputError, match="was not kept"):
        rollback(models, "m")
    assert in_use(models) == before


def test_another_processor_makes_the_same_version(models: Path) -> None:
    """Biases that differ in the last bit are the same table; those that differ by more are none."""
    version = published(models, 1)
    bias = candidate(models.parent, 1)
    table = pq.read_table(bias)
    for difference, fits in ((4e-16, True), (-4e-16, True), (1e-6, False)):
        values = [value + difference for value in table["bias"].to_pylist()]
        saved(with_column(table, "bias", values), bias)
        if fits:
            assert publish(models, "m", bias, command="learn")["version"] == version
        else:
            with pytest.raises(InputError, match=r"row 0: bias is .*, its counts give"):
                publish(models, "m", bias, command="learn")
    saved(table, models / "m.parquet", compression="gzip")  # other bytes, of the same content
    assert not failed(models)
    saved(with_column(table, "bias", values), models / "m.parquet")
    assert [name for name, _ in failed(models)] == ["m.parquet"]


def failed(models: Path) -> list[tuple[str, str]]:
    """Files and messages of the checks that fail."""
    found = check_models(models).items()
    return [(name, check.message) for name, made in found for check in made if not check.passed]


@pytest.mark.parametrize("change", [{"smoothing": 2.0}, {"temperature": 3.0}])
def test_parameters_are_part_of_the_name(models: Path, change: dict[str, float]) -> None:
    """The same counts with another smoothing or temperature are another version."""
    version = published(models, 1)
    path = models.parent / "other.parquet"
    parameters = {"smoothing": 1.0, "temperature": 2.0} | change
    write_prior(random_counts(1, 0.3), parameters["smoothing"], parameters["temperature"], path)
    assert publish(models, "m", path, command="learn")["version"] != version


def test_a_name_stays_with_its_domain(models: Path) -> None:
    """`solve rna` would find a table of another problem by the name of its own."""
    version = published(models, 1)
    other = Path(__file__).parents[3] / "models" / "ngram.parquet"
    with pytest.raises(
        InputError, match=r"m.parquet is published for latin-square, this table is for rna: choose"
    ):
        publish(models, "m", other, command="learn rna")
    assert in_use(models)[0].startswith(version)


def test_counts_of_another_table_are_refused(models: Path) -> None:
    """A table is published with the counts that it was made of, or not at all."""
    bias, other = candidate(models.parent, 1), candidate(models.parent, 2)
    counts_path(bias).write_bytes(counts_path(other).read_bytes())
    with pytest.raises(InputError, match="not the counts that"):
        publish(models, "m", bias, command="learn")


NAMES = [
    "../evil",
    "/tmp/evil",
    "a/b",
    "",
    ".",
    "..",
    ".hidden",
    "-x",
    "m.counts",
    "m.parquet",
    "none",
    "a\nb",
    "x" * 101,
]


@pytest.mark.parametrize("name", NAMES)
def test_names_stay_in_their_folder(models: Path, name: str) -> None:
    """No command writes outside the folder of the models."""
    published(models, 1)
    bias = candidate(models.parent, 2)
    before = sorted(models.parent.rglob("*"))
    for call in (
        lambda: publish(models, name, bias, command="learn"),
        lambda: rollback(models, name),
        lambda: current_model(models, name),
    ):
        with pytest.raises(InputError, match="a model cannot be called"):
            call()
    assert sorted(models.parent.rglob("*")) == before


def test_a_verdict_is_about_the_table_in_use(models: Path) -> None:
    """A table that was judged against one that is in use no more is not published."""
    published(models, 1)
    old = read_manifest(models)["models"]["m"]["current"]
    now = published(models, 2, evaluation={"verdict": "better", "current": old})
    with pytest.raises(
        InputError, match=f"m.parquet is now {now}, not the table that the evaluation"
    ):
        published(models, 3, evaluation={"verdict": "better", "current": old})


def changed(change: Any) -> Any:
    """Return a function that changes the version in a manifest."""
    return lambda manifest: manifest["models"]["m"]["versions"][0].update(change)


DAMAGES: list[tuple[Any, str]] = [
    ("{", "not JSON"),
    ("[" * 100_000, "not JSON"),
    ("[]", "[], expected a table"),
    ('{"schema_version": 1, "models": {}}', "schema version 1, expected 2"),
    ('{"schema_version": 2}', "'models' is None, expected a table of models"),
    ('{"schema_version": 2, "models": []}', "'models' is [], expected a table of models"),
    ('{"schema_version": 2, "models": {"m": 3}}', "model 'm' is 3, expected 'current' and"),
    ('{"schema_version": 2, "models": {"m": {"versions": [3]}}}', "expected 'current' and a list"),
    ('{"schema_version": 2, "models": {"../evil": {}}}', "cannot be called '../evil'"),
    (changed({"digest": "../../evil"}), "'digest' in version 0 of 'm' is '../../evil', expected"),
    (changed({"version": "../evil"}), "is called '../evil', another than its digest"),
    (changed({"counts_digest": None}), "'counts_digest' in version 0 of 'm' is None"),
    (changed({"instances": "all"}), "'instances' in version 0 of 'm' is 'all'"),
    (changed({"command": ["learn"]}), "'command' in version 0 of 'm' is ['learn'], expected"),
    (changed({"evaluation": "good"}), "'evaluation' in version 0 of 'm' is 'good'"),
    (lambda manifest: manifest["models"]["m"].update(current="0" * 64), "'current' of 'm' is '000"),
    (lambda manifest: manifest["models"]["m"]["versions"][0].pop("domain"), "'domain' is missing"),
]  # fmt: skip


@pytest.mark.parametrize(("damage", "message"), DAMAGES)
def test_damaged_manifests_are_refused(
    models: Path, capsys: pytest.CaptureFixture[str], damage: Any, message: str
) -> None:
    """One line that names the file, which stays as it is, whatever the command."""
    published(models, 1)
    path = models / "manifest.json"
    if isinstance(damage, str):
        path.write_text(damage)
    else:
        manifest = json.loads(path.read_text())
        damage(manifest)
        path.write_text(json.dumps(manifest))
    text = path.read_text()
    bias = str(candidate(models.parent, 2))
    for words in (["list"], ["check"], ["rollback", "m"], ["publish", "m", bias]):
        with pytest.raises(InputError) as error:
            models_cli.run([*words, "--models", str(models)])
        assert str(error.value).startswith(f"{path}: ")
        assert message in str(error.value)
        assert "\n" not in str(error.value)
    assert path.read_text() == text


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
        (["rollback", "m", "0" * 12], f"expected one of: {old}, {new}"),
    ):
        with pytest.raises(InputError, match=message):
            models_cli.run([*words, *folder])
    assert models_cli.run(["publish", "n", str(bias), "--made-by", "learn x", *folder]) == 0
    assert "learn x" in capsys.readouterr().out


def test_the_models_that_ship_are_those_of_their_manifest() -> None:
    """Every file in use passes its checks, and has the digest in the manifest."""
    models = Path(__file__).parents[3] / "models"
    checks = check_models(models)
    shipped = {path.name for path in models.glob("*.parquet")}
    assert set(checks) == shipped
    assert not [one for found in checks.values() for one in found if not one.passed]


@pytest.mark.parametrize("file", ["m.parquet", "m.counts.parquet"])
@pytest.mark.parametrize("content", [b"", b"no table", None])
def test_a_file_that_cannot_be_read_ends_no_check(
    models: Path, capsys: pytest.CaptureFixture[str], file: str, content: bytes | None
) -> None:
    """The others have their lines, too."""
    published(models, 1)
    publish(models, "other", candidate(models.parent, 2), command="learn")
    if content is None:
        (models / file).unlink()
    else:
        (models / file).write_bytes(content)
    assert models_cli.run(["check", "--models", str(models)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    right = [line for line in lines if line.endswith(" checks passed")]
    assert len(right) == 3
    assert not any(line.startswith(f"{models / file}: ") for line in right)


def test_a_prior_made_by_hand_keeps_its_name(tmp_path: Path) -> None:
    """`--prior nemo` is that one."""
    bias = Path(__file__).parents[3] / "models" / "ngram.parquet"
    with pytest.raises(InputError, match="a model for rna cannot be called 'nemo', the name of"):
        publish(tmp_path / "models", "nemo", bias, command="learn")
    assert not (tmp_path / "models").exists()
