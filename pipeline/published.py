"""Published models: the current one of each name, every earlier version, and a manifest.

The folder holds `NAME.parquet` with its counts, what is in use; `versions/` keeps
every version under the checksum of its bias table. The manifest is what counts: a
change is first prepared in `versions/`, becomes valid with the rename of the manifest,
and then copied to the names in use. What a kill leaves between the two is mended by
the next command.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pipeline.checks import BIAS, COUNTS, Check, read_checked
from pipeline.learn import counts_path
from solver.datasets import sha256
from solver.domains import load_domain
from solver.errors import InputError
from solver.files import locked, read_text, remove_partial, replacing
from solver.priors import read_metadata

MANIFEST = "manifest.json"
VERSIONS = "versions"
MANIFEST_SCHEMA = 1
#: Hexadecimal digits of a checksum that name a version.
VERSION_DIGITS = 12

#: Entries of the metadata of a table that the manifest repeats.
_TOLD = (
    "prior", "source", "options", "instances", "instances_digest", "rejected", "smoothing",
    "temperature",
)  # fmt: skip

Version = dict[str, Any]
"""What the manifest says of one version, see `docs/flows.md`."""


def read_manifest(models: Path) -> dict[str, Any]:
    """Read the manifest of the folder `models`; an empty one where there is none.

    Raises
    ------
    InputError
        If it is damaged or of another version.
    """
    path = models / MANIFEST
    if not path.exists():
        return {"schema_version": MANIFEST_SCHEMA, "models": {}}
    try:
        manifest: dict[str, Any] = json.loads(read_text(path))
    except ValueError as error:
        raise InputError(f"{path}: not JSON ({error})") from None
    if manifest.get("schema_version") != MANIFEST_SCHEMA:
        found = manifest.get("schema_version")
        raise InputError(f"{path}: schema version {found}, expected {MANIFEST_SCHEMA}")
    return manifest


def has_manifest(models: Path) -> bool:
    """Whether models in the folder are published with versions."""
    return (models / MANIFEST).exists()


def current_model(models: Path, name: str) -> Path | None:
    """Path of the bias table in use, None where there is none."""
    path = models / f"{name}.parquet"
    if has_manifest(models):
        with _changing(models):
            pass  # mends what a kill left
    return path if path.exists() else None


def version_of(manifest: dict[str, Any], name: str, version: str | None = None) -> Version:
    """Return the version of `name` whose checksum begins with `version`; the current by default.

    Raises
    ------
    InputError
        If there is none, or more than one.
    """
    if name not in manifest["models"]:
        known = ", ".join(manifest["models"]) or "none yet"
        raise InputError(f"no model called {name!r} was published, there are: {known}")
    model = manifest["models"][name]
    wanted = model["current"] if version is None else version
    found: list[Version] = [one for one in model["versions"] if one["sha256"].startswith(wanted)]
    if len(found) != 1 or not wanted:
        known = ", ".join(one["version"] for one in model["versions"])
        raise InputError(f"{name} has no one version {wanted!r}, there are: {known}")
    return found[0]


def publish(
    models: Path,
    name: str,
    bias: Path,
    *,
    command: str,
    evaluation: dict[str, Any] | None = None,
    date: str | None = None,
) -> Version:
    """Make the bias table `bias`, with the counts beside it, the current version of `name`.

    A table with the checksum of a known version makes that one current again. What
    was in use without being in the manifest is kept as a version first.

    Raises
    ------
    InputError
        If the tables do not pass their checks or something cannot be written.
    """
    entry = describe_model(bias, command=command, evaluation=evaluation, date=date)
    with _changing(models) as manifest:
        model = manifest["models"].setdefault(name, {"current": None, "versions": []})
        _keep_used(models, name, model, entry["sha256"])
        known = {one["sha256"]: one for one in model["versions"]}
        if entry["sha256"] in known:
            entry = known[entry["sha256"]]
        else:
            model["versions"].append(entry)
        _keep(models, name, entry, bias)
        model["current"] = entry["sha256"]
    return entry


def rollback(models: Path, name: str, version: str | None = None) -> Version:
    """Make an earlier version of `name` current: `version`, or the one before the current.

    Raises
    ------
    InputError
        If there is none, or its files are missing or damaged.
    """
    with _changing(models) as manifest:
        if version is None:
            current = version_of(manifest, name)
            versions = manifest["models"][name]["versions"]
            before = versions.index(current) - 1
            if before < 0:
                raise InputError(f"{name} has no version before {current['version']}")
            version = versions[before]["sha256"]
        entry = version_of(manifest, name, version)
        for path, digest in _files(models, name, entry):
            if not path.exists():
                raise InputError(f"{path} is missing: version {entry['version']} was not kept")
            if sha256(path) != digest:
                raise InputError(f"{path}: another checksum than in the manifest, damaged")
        _keep_used(models, name, manifest["models"][name])
        manifest["models"][name]["current"] = entry["sha256"]
    return entry


def describe_model(
    bias: Path,
    *,
    command: str,
    evaluation: dict[str, Any] | None = None,
    date: str | None = None,
) -> Version:
    """Check a bias table and its counts, and say where they come from."""
    from pipeline.runs import surroundings
    from solver.priors import read_table

    said = read_metadata(read_table(bias).schema.metadata, str(bias), "bias")
    domain = load_domain(said["domain"])
    table, _ = read_checked(bias, BIAS, domain)
    read_checked(counts_path(bias), COUNTS, domain)
    digest = sha256(bias)
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    return {
        "version": digest[:VERSION_DIGITS],
        "sha256": digest,
        "counts_sha256": sha256(counts_path(bias)),
        "domain": domain.name,
        **{name: said[name] for name in _TOLD},
        "rows": table.num_rows,
        "bytes": bias.stat().st_size,
        "command": command,
        "commit": surroundings()["commit"],
        "published": date or now,
        "evaluation": evaluation,
    }


def check_models(models: Path) -> dict[str, list[Check]]:
    """Check the files of every current model: against its schema and against the manifest."""
    manifest = read_manifest(models)
    found: dict[str, list[Check]] = {}
    for name in manifest["models"]:
        entry = version_of(manifest, name)
        used = models / f"{name}.parquet"
        for path, kind, digest in (
            (used, BIAS, entry["sha256"]),
            (counts_path(used), COUNTS, entry["counts_sha256"]),
        ):
            _, checks = read_checked(path, kind, load_domain(entry["domain"]))
            same = sha256(path) == digest
            wrong = "" if same else f"not the file of version {entry['version']} in the manifest"
            found[path.name] = [*checks, Check("checksum", same, {}, wrong)]
    return found


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
        used = models / f"{name}.parquet"
        kept = _files(models, name, entry)
        keys = ("sha256", "counts_sha256")
        for (source, digest), target, key in zip(
            kept, (used, counts_path(used)), keys, strict=True
        ):
            known = {one[key] for one in model["versions"]} - {digest}
            if source.exists() and (not target.exists() or sha256(target) in known):
                _copy(source, target)


def _keep_used(models: Path, name: str, model: dict[str, Any], publishing: str = "") -> None:
    """Keep the file in use as a version, one put there by hand too."""
    used = models / f"{name}.parquet"
    if not used.exists():
        return
    digest = sha256(used)
    known = {one["sha256"]: one for one in model["versions"]}
    if digest not in (*known, publishing):
        known[digest] = describe_model(used, command="unknown")
        model["versions"].append(known[digest])
    if digest in known:
        _keep(models, name, known[digest], used)


def _files(models: Path, name: str, entry: Version) -> list[tuple[Path, str]]:
    """Where a version is kept, with checksums: the bias table and the counts."""
    bias = models / VERSIONS / f"{name}-{entry['version']}.parquet"
    return [(bias, entry["sha256"]), (counts_path(bias), entry["counts_sha256"])]


def _keep(models: Path, name: str, entry: Version, bias: Path) -> None:
    """Keep the files of a version, unless they are kept already."""
    for (path, digest), source in zip(
        _files(models, name, entry), (bias, counts_path(bias)), strict=True
    ):
        if not (path.exists() and sha256(path) == digest) and sha256(source) == digest:
            _copy(source, path)


def _copy(source: Path, target: Path) -> None:
    with replacing(target) as temporary:
        temporary.write_bytes(source.read_bytes())
