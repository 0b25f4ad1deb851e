"""Tables of other code are refused: their numbers would mean something else."""

from __future__ import annotations

import dataclasses
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from generators.latin_square import LatinSquareGenerator
from pipeline.commands import models as models_cli
from pipeline.learning.learn import LearnPlan, counts_path, learn_counts, write_prior
from pipeline.publishing.evaluate import check_margin, evaluate
from pipeline.publishing.manifest import VERSIONS, read_manifest, version_of
from pipeline.publishing.published import check_models, publish, rollback
from pipeline.requests.evaluation import EvaluationPlan
from pipeline.tables.checks import read_checked
from solver.domains import load_domain, load_rules
from solver.errors import InputError
from solver.priors.priors import load_prior, models_folder
from solver.priors.tables import COUNTS, OLDER, read_table
from solver.system.files import copy_file
from tests.docs.guide import ROOT
from tests.helpers import needs_jit
from tests.pipeline.small_tables import random_counts, saved, with_column, with_metadata

DOMAIN = load_domain("latin-square")
OTHER = "its codes were computed by other rules of latin-square than those here"
SILENT = "it does not say by which rules its codes were computed, expected one learned anew"


def table(folder: Path, seed: int, rules: str | None = "here") -> Path:
    """A bias table with its counts, whose codes were computed by these rules or by others."""
    path = folder / f"{seed}.parquet"
    counts = random_counts(seed, 0.3)
    counts.rules = {"here": counts.rules, None: ""}.get(rules, rules or "")
    write_prior(counts, 1.0, 2.0, path)
    return path


@pytest.mark.parametrize(("rules", "reason"), [("0123456789ab", OTHER), (None, SILENT)])
def test_tables_of_other_rules_are_refused(
    tmp_path: Path, rules: str | None, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are neither loaded nor published nor held against others, and the check is red."""
    other, sound = table(tmp_path, 1, rules), table(tmp_path, 2)
    load_prior(sound, DOMAIN)
    models = tmp_path / "models"
    with pytest.raises(InputError, match=reason):
        load_prior(other, DOMAIN)
    with pytest.raises(InputError, match=reason):
        publish(models, "m", other, command="learn")
    assert not (models / "m.parquet").exists()
    publish(models, "m", sound, command="learn")
    assert models_cli.run(["check", "--models", str(models)]) == 0
    for one, two in ((other, sound), (sound, other)):
        with pytest.raises(InputError, match=reason):
            evaluate(DOMAIN, plan(), EvaluationPlan(), one, two, work=tmp_path / "work")
    copy_file(other, models / "m.parquet")
    copy_file(counts_path(other), counts_path(models / "m.parquet"))
    capsys.readouterr()
    assert models_cli.run(["check", "--models", str(models)]) == 1
    assert "m.parquet: not the file of version" in capsys.readouterr().out
    checks = {check.name: check.passed for check in check_models(models)["m.parquet"]}
    assert not checks["rules"]


def test_a_table_of_a_code_that_was_mended_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The published table, which nothing can load any more, is kept as a version."""
    models = tmp_path / "models"
    old = publish(models, "m", table(tmp_path, 1), command="learn")
    shutil.rmtree(models / VERSIONS)  # as of tables that are older than this folder
    before = [path.read_bytes() for path in (models / "m.parquet", models / "m.counts.parquet")]
    dual = DOMAIN.priors["dual"]
    more = {name: size + 1 for name, size in dual.components.items()}
    monkeypatch.setitem(DOMAIN.priors, "dual", dataclasses.replace(dual, components=more))
    code = DOMAIN.priors["dual"]
    with pytest.raises(InputError, match="components"):
        load_prior(models / "m.parquet", DOMAIN)
    count = np.ones(code.rows, np.int64)
    counts = dataclasses.replace(random_counts(2, 0.3), prior=code, count=count, nb=2 * count)
    write_prior(counts, 1.0, 2.0, tmp_path / "new.parquet")
    new = publish(models, "m", tmp_path / "new.parquet", command="learn", replace=True)
    kept = models / VERSIONS / f"m-{old['version']}.parquet"
    assert [path.read_bytes() for path in (kept, counts_path(kept))] == before
    manifest = read_manifest(models)["models"]["m"]
    assert [one["digest"] for one in manifest["versions"]] == [old["digest"], new["digest"]]
    assert manifest["current"] == new["digest"]
    load_prior(models / "m.parquet", DOMAIN)
    with pytest.raises(InputError, match="components"):
        rollback(models, "m")


def plan() -> LearnPlan:
    generator = LatinSquareGenerator(order=6, holes=0.8)
    return LearnPlan(generator, 4, 1, DOMAIN.options(), DOMAIN.priors["dual"])


def test_tables_that_ship_are_what_they_were() -> None:
    """All pass, though the older ones say nothing of rules; none of these may be changed."""
    checked = check_models(models_folder())
    assert all(check.passed for checks in checked.values() for check in checks)
    models = read_manifest(models_folder())["models"]
    silent = [name for name in models if "rules" not in version_of({"models": models}, name)]
    assert len(silent) == len(OLDER)


def test_a_changed_table_that_ships_is_refused(tmp_path: Path) -> None:
    """Its content is what it is known by, not its name."""
    path = tmp_path / "latin-square.parquet"
    shutil.copy(models_folder() / path.name, path)
    load_prior(path, DOMAIN)
    saved(with_metadata(read_table(path), temperature=1.0), path)
    with pytest.raises(InputError, match=SILENT):
        load_prior(path, DOMAIN)


def test_counts_turned_around_are_refused(tmp_path: Path) -> None:
    """`count := nb - count` passes every check of ranges."""
    path = counts_path(table(tmp_path, 1))
    counts = read_table(path)
    turned = counts["nb"].to_numpy() - counts["count"].to_numpy()
    saved(with_column(counts, "count", turned), path)
    with pytest.raises(InputError, match=r"its rows are others than those that were counted"):
        read_checked(path, COUNTS, DOMAIN)


def test_shards_that_were_turned_around_are_made_again(tmp_path: Path) -> None:
    """Shards with reversed rows are made again, as those that a power cut has damaged."""
    expected = learn_counts(DOMAIN, plan(), work=tmp_path)
    (path,) = tmp_path.rglob("counts-*/*.parquet")
    sound = path.read_bytes()
    counts = read_table(path)
    turned = counts["nb"].to_numpy() - counts["count"].to_numpy()
    saved(with_column(counts, "count", turned), path)
    again = learn_counts(DOMAIN, plan(), work=tmp_path)
    np.testing.assert_array_equal(again.count, expected.count)
    assert path.read_bytes() == sound


@pytest.mark.parametrize("kind", ["counts", "solved"])
def test_shards_of_other_instances_are_made_again(tmp_path: Path, kind: str) -> None:
    """Whatever lies under the name of a shard: sound ones of another range, or of other orders."""
    expected = learn_counts(DOMAIN, plan(), work=tmp_path / "expected")
    larger = dataclasses.replace(plan(), generator=LatinSquareGenerator(order=7, holes=0.8))
    for other in (dataclasses.replace(plan(), instances=3), larger):
        learn_counts(DOMAIN, plan(), work=tmp_path / "work")
        (path,) = (tmp_path / "work").rglob(f"{kind}-*/*.parquet")
        sound = path.read_bytes()
        learn_counts(DOMAIN, other, work=tmp_path / "other")
        (foreign,) = (tmp_path / "other").rglob(f"{kind}-*/*.parquet")
        shutil.copy(foreign, path)
        if kind == "solved":  # read only where there are no counts
            (counts,) = (tmp_path / "work").rglob("counts-*")
            shutil.rmtree(counts)
        again = learn_counts(DOMAIN, plan(), work=tmp_path / "work")
        np.testing.assert_array_equal(again.nb, expected.nb)
        assert again.instances == 4
        assert path.read_bytes() == sound
        shutil.rmtree(tmp_path / "other")


def test_changed_sources_replace_nothing_unasked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """They publish a first table; the next one needs `--replace`, evaluated or not."""
    monkeypatch.setattr("pipeline.tables.runs._commit", lambda: "0123456789ab-dirty")
    models = tmp_path / "models"
    publish(models, "m", table(tmp_path, 1), command="learn", replace=False)
    before = (models / "m.parquet").read_bytes()
    message = r"m.parquet is published, and the sources here differ from commit 0123456789ab: "
    for evaluation in (None, {"verdict": "better", "publish": True}):
        with pytest.raises(InputError, match=message):
            publish(models, "m", table(tmp_path, 2), command="", evaluation=evaluation,
                    replace=False)  # fmt: skip
    words = ["publish", "m", str(table(tmp_path, 2)), "--models", str(models)]
    with pytest.raises(InputError, match=message):
        models_cli.run(words)
    assert (models / "m.parquet").read_bytes() == before
    assert models_cli.run([*words, "--replace"]) == 0
    assert (models / "m.parquet").read_bytes() != before


@pytest.mark.parametrize(
    ("name", "margin", "most"),
    [("latin-square", 1.0, "1 doublings"), ("samegame", 0.1, "0.1 share of the score")],
)
def test_a_margin_that_lets_any_table_pass_is_refused(name: str, margin: float, most: str) -> None:
    """Beyond it, what is lost would be called not worse."""
    domain = load_domain(name)
    check_margin(domain, EvaluationPlan(margin=margin))
    with pytest.raises(InputError, match=r"margin is 100.0, expected 0 \.\.\. 1"):
        EvaluationPlan(margin=100.0)
    if margin < 1:
        with pytest.raises(InputError, match=f"margin is 0.2, expected {most} at most"):
            check_margin(domain, EvaluationPlan(margin=0.2))


#: An edit of the sources of a clone, and what the unchanged checkout says of its table.
EDITS = [
    ("return int((low * (TRIPLE_CAP + 1) + middle)", "return int((middle * 17 + low)", OTHER),
    ("class TripleTable(NamedTuple):", "# Edited.\nclass TripleTable(NamedTuple):", None),
]


@pytest.mark.slow
@needs_jit
@pytest.mark.parametrize(("old", "new", "expected"), EDITS)
def test_a_table_of_an_edited_clone(
    tmp_path: Path, old: str, new: str, expected: str | None
) -> None:
    """It is refused here if its codes may be others, not for a comment."""
    for package in ("solver", "generators", "pipeline"):
        shutil.copytree(
            ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__")
        )
    module = tmp_path / "solver" / "domains" / "latin_square" / "priors.py"
    text = module.read_text()
    assert old in text
    module.write_text(text.replace(old, new))
    done = subprocess.run(
        [
            sys.executable, "-m", "pipeline.commands.learn", "latin-square", "--order", "12",
            "--instances", "4", "--out", "table.parquet", "--work", "work",
        ],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    if expected is None:
        assert load_prior(tmp_path / "table.parquet", DOMAIN).temperature == 32.0
    else:
        with pytest.raises(InputError, match=expected):
            load_prior(tmp_path / "table.parquet", load_rules("latin-square"))


@pytest.mark.parametrize("command", ["list", "check"])
def test_a_folder_without_models(tmp_path: Path, command: str) -> None:
    """Nothing to list is nothing that was checked."""
    with pytest.raises(InputError, match=r"manifest.json: no such file, nothing was published in"):
        models_cli.run([command, "--models", str(tmp_path)])
