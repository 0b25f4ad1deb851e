"""Published models: the current one of each name, every earlier version, and a manifest.

The folder holds `NAME.parquet` with its counts, what is in use; `versions/` keeps
every version under the digest of its counts and parameters. The manifest is what counts: a
change is first prepared in `versions/`, becomes valid with the rename of the manifest,
and then copied to the names in use. Differences left by a kill in between are mended by
the next command.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from pipeline.learning.learn import counts_path
from pipeline.publishing.digests import read_digest, read_model, stored_digest, wrong_biases
from pipeline.publishing.manifest import (
    MANIFEST,
    VERSION_DIGITS,
    VERSIONS,
    Version,
    check_name,
    current_version,
    has_manifest,
    read_manifest,
    version_of,
)
from pipeline.publishing.replacement import (
    WAYS,
    refuse_changed_sources,
    refuse_other,
    refuse_other_domain,
)
from pipeline.tables.checks import Check, read_checked
from solver.domains import load_rules
from solver.errors import InputError, quoted
from solver.priors.tables import BIAS, COUNTS, FIT, ROUNDS, TUNED, read_metadata, wrong_rules
from solver.system.files import copy_file, locked, remove_partial, replacing

#: Entries of the metadata of a table that the manifest repeats.
_REPEATED = (
    "prior", "source", "options", "instances", "instances_digest", "rejected", "smoothing",
    "temperature",
)  # fmt: skip
#: Entries that only some tables have.
_LATER = ("rules", FIT, TUNED, ROUNDS)


def current_model(models: Path, name: str) -> Path | None:
    """Path of the bias table in use, None where there is none."""
    check_name(name)
    path = models / f"{name}.parquet"
    if has_manifest(models):
        with _changing(models):
            pass  # mends what a kill left
    return path if path.exists() else None


def publish(
    models: Path,
    name: str,
    bias: Path,
    *,
    command: str,
    evaluation: dict[str, Any] | None = None,
    replace: bool = True,
    ways: str = WAYS,
    date: str | None = None,
) -> Version:
    """Make the bias table `bias`, with the counts beside it, the current version of `name`.

    A table with the digest of a known version makes that one current again. A table
    in use without being in the manifest is kept as a version first.

    Parameters
    ----------
    replace : bool
        Without it, and without an evaluation, only a table that was learned in the same way
        from as many instances replaces the current version.
    ways : str
        How to replace it all the same, for messages.

    Raises
    ------
    InputError
        If the tables do not pass their checks, something cannot be written, or the current
        version is for another domain, is not to be replaced, or is not the one that `evaluation`
        was made against.
    """
    check_name(name)
    entry = describe_model(bias, command=command, evaluation=evaluation, date=date)
    if name in load_rules(entry["domain"]).handmade:
        raise InputError(
            f"a model for {entry['domain']} cannot be called {quoted(name)}, the name of a prior "
            "made by hand"
        )
    _refuse_other_rules(bias, entry)
    with _changing(models) as manifest:
        current = current_version(manifest, name)
        if current is not None:
            refuse_other_domain(current, entry, models / f"{name}.parquet")
            if not replace:
                refuse_changed_sources(models / f"{name}.parquet")
            if evaluation is None and not replace:
                refuse_other(current, entry, models / f"{name}.parquet", ways)
        _refuse_outdated(evaluation or {}, models / f"{name}.parquet")
        model = manifest["models"].setdefault(name, {"current": None, "versions": []})
        _keep_used(models, name, model, entry["digest"])
        known = {version["digest"]: version for version in model["versions"]}
        if entry["digest"] in known:
            entry = known[entry["digest"]]
        else:
            model["versions"].append(entry)
        _keep(models, name, entry, bias)
        model["current"] = entry["digest"]
    return entry


def rollback(models: Path, name: str, version: str | None = None) -> Version:
    """Make an earlier version of `name` current: `version`, or the one before the current.

    Raises
    ------
    InputError
        If there is none, or its files are missing or damaged.
    """
    check_name(name)
    with _changing(models) as manifest:
        if version is None:
            current = version_of(manifest, name)
            versions = manifest["models"][name]["versions"]
            before = versions.index(current) - 1
            if before < 0:
                raise InputError(f"{name} has no version before {current['version']}")
            version = versions[before]["digest"]
        entry = version_of(manifest, name, version)
        kept = _kept_bias(models, name, entry)
        for path in (kept, counts_path(kept)):
            if not path.exists():
                raise InputError(f"{path} is missing: version {entry['version']} was not kept")
        if read_model(kept).digest != entry["digest"]:
            raise InputError(f"{kept}: another digest than in the manifest, damaged")
        _refuse_other_rules(kept, entry)
        _keep_used(models, name, manifest["models"][name])
        manifest["models"][name]["current"] = entry["digest"]
    return entry


def describe_model(
    bias: Path,
    *,
    command: str,
    evaluation: dict[str, Any] | None = None,
    date: str | None = None,
) -> Version:
    """Check a bias table and its counts, and say where they come from."""
    from pipeline.tables.runs import surroundings

    model = read_model(bias)
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    return {
        "version": model.digest[:VERSION_DIGITS],
        "digest": model.digest,
        "counts_digest": model.counts_digest,
        "domain": model.metadata["domain"],
        **{name: model.metadata[name] for name in _LATER if name in model.metadata},
        **{name: model.metadata[name] for name in _REPEATED},
        "rows": model.rows,
        "command": command,
        "commit": surroundings()["commit"],
        "published": date or now,
        "evaluation": evaluation,
    }


def _refuse_other_rules(bias: Path, metadata: Mapping[str, Any]) -> None:
    """Raise `InputError` if the codes of a table may be others than those here."""
    wrong = wrong_rules(metadata, load_rules(metadata["domain"]), bias)
    if wrong is not None:
        raise InputError(f"{bias}: {wrong}")


def check_models(models: Path) -> dict[str, list[Check]]:
    """Check the files of every current model: against its schema and against the manifest."""
    manifest = read_manifest(models)
    found: dict[str, list[Check]] = {}
    for name in manifest["models"]:
        entry = version_of(manifest, name)
        used, domain = models / f"{name}.parquet", load_rules(entry["domain"])
        tables = dict[str, pa.Table]()
        for path, kind, key in (
            (used, BIAS, "digest"), (counts_path(used), COUNTS, "counts_digest"),
        ):  # fmt: skip
            try:
                tables[kind], checks = read_checked(path, kind, domain)
            except InputError as error:
                wrong = str(error).removeprefix(f"{path}: ")
                found[path.name] = [Check("file", False, {}, wrong)]
                continue
            same = read_digest(path, kind) == entry[key]
            wrong = "" if same else f"not the file of version {entry['version']} in the manifest"
            found[path.name] = [*checks, Check("digest", same, {}, wrong)]
        if BIAS in tables:
            rules = wrong_rules(_metadata_of(tables[BIAS]), domain, used)
            found[used.name].append(Check("rules", rules is None, {}, rules or ""))
        if len(tables) == 2:  # both could be read
            other = wrong_biases(tables[BIAS], tables[COUNTS])
            found[used.name].append(Check("biases of the counts", other is None, {}, other or ""))
    return found


def _metadata_of(table: pa.Table) -> dict[str, Any]:
    return read_metadata(table.schema.metadata, "table", BIAS)


def _refuse_outdated(evaluation: dict[str, Any], used: Path) -> None:
    """Raise `InputError` if the table in use is not the one that an evaluation was made against."""
    if "current" not in evaluation or not used.exists():
        return
    in_use = read_digest(used, BIAS)
    if evaluation["current"] != in_use:
        raise InputError(
            f"{used} is now {in_use[:VERSION_DIGITS]}, not the table that the evaluation compared "
            "with: run it again"
        )


@contextmanager
def _changing(models: Path) -> Iterator[dict[str, Any]]:
    """Give the manifest to change, then write it and bring the files in use in line with it."""
    with locked(models / ".lock"):
        remove_partial(models)
        remove_partial(models / VERSIONS)
        manifest = read_manifest(models)
        _settle(models, manifest)
        before = json.dumps(manifest)
        yield manifest
        if json.dumps(manifest) != before:
            with replacing(models / MANIFEST) as temporary:
                temporary.write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
            _settle(models, manifest)


def _settle(models: Path, manifest: dict[str, Any]) -> None:
    """Copy the current versions to the names in use, where another version is there or none.

    A file that is no version was put there by hand: it is left alone.
    """
    for name, model in manifest["models"].items():
        entry = version_of(manifest, name)
        used, kept = models / f"{name}.parquet", _kept_bias(models, name, entry)
        for source, target, kind, key in (
            (kept, used, BIAS, "digest"),
            (counts_path(kept), counts_path(used), COUNTS, "counts_digest"),
        ):
            others = {version[key] for version in model["versions"]} - {entry[key]}
            if source.exists() and (not target.exists() or stored_digest(target, kind) in others):
                copy_file(source, target)


def _keep_used(models: Path, name: str, model: dict[str, Any], publishing: str = "") -> None:
    """Keep the file in use as a version, one put there by hand too.

    A known version is kept though its code is another by now, and the table could not be loaded.
    """
    used = models / f"{name}.parquet"
    if not used.exists():
        return
    known = {version["digest"]: version for version in model["versions"]}
    stored = [
        stored_digest(path, kind) for path, kind in ((used, BIAS), (counts_path(used), COUNTS))
    ]
    same = known.get(stored[0] or "")
    if same is not None and same["counts_digest"] == stored[1]:
        _keep(models, name, same, used)
        return
    found = describe_model(used, command="unknown")
    if found["digest"] not in (*known, publishing):
        known[found["digest"]] = found
        model["versions"].append(found)
    if found["digest"] in known:
        _keep(models, name, known[found["digest"]], used)


def _kept_bias(models: Path, name: str, entry: Version) -> Path:
    """Return the path of a version's bias table; its counts are beside it."""
    return models / VERSIONS / f"{name}-{entry['version']}.parquet"


def _keep(models: Path, name: str, entry: Version, bias: Path) -> None:
    """Keep the files of a version, `bias` and its counts, unless they are kept already."""
    kept = _kept_bias(models, name, entry)
    try:
        if read_model(kept).digest == entry["digest"]:
            return
    except InputError:  # missing or damaged
        pass
    for source, target in ((bias, kept), (counts_path(bias), counts_path(kept))):
        copy_file(source, target)
