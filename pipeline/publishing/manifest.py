"""Manifest of a folder of models: published versions, read with every entry checked."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from solver.errors import InputError, quoted
from solver.priors.tables import Form, is_count, is_digest, is_number, is_text, wrong_entry
from solver.system.files import read_text

MANIFEST = "manifest.json"
VERSIONS = "versions"
MANIFEST_SCHEMA = 2
#: Hexadecimal digits of a digest that name a version.
VERSION_DIGITS = 12
#: Characters of the longest name of a model.
MAX_NAME = 100

Version = dict[str, Any]
"""Entry of a version in the manifest, see `docs/flows.md`."""


def _is_table(value: Any) -> bool:
    return isinstance(value, dict)


def _is_evaluation(value: Any) -> bool:
    return value is None or (isinstance(value, dict) and is_text(value.get("verdict", "")))


#: Entries of a version that commands read.
VERSION_FORMS: dict[str, Form] = {
    "version": (is_text, "a text"),
    "digest": (is_digest, "64 hexadecimal digits"),
    "counts_digest": (is_digest, "64 hexadecimal digits"),
    "domain": (is_text, "a text"),
    "prior": (is_text, "a text"),
    "source": (_is_table, "a table of parameters"),
    "options": (_is_table, "a table of options"),
    "instances": (is_count, "an integer of 0 or more"),
    "rejected": (is_count, "an integer of 0 or more"),
    "smoothing": (is_number, "a number"),
    "temperature": (is_number, "a number"),
    "command": (is_text, "a text"),
    "published": (is_text, "a text"),
    "evaluation": (_is_evaluation, "a table, or null"),
}


#: Names, and ends of names, that no model has: of no prior, and of the files of NAME.
TAKEN, RESERVED = ("none",), (".parquet", ".counts")


def check_name(name: str) -> None:
    """Raise `InputError` unless `name` can name a model: its files stay in their folder."""
    fits = re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name) and len(name) <= MAX_NAME
    if name in TAKEN or name.endswith(RESERVED):
        ends = " or ".join(RESERVED)
        raise InputError(
            f"a model cannot be called {quoted(name)}, expected neither {' nor '.join(TAKEN)} nor "
            f"a name that ends in {ends}"
        )
    if not fits:
        raise InputError(
            f"a model cannot be called {quoted(name)}, expected letters, digits, '.', '_' and '-'"
        )


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
        manifest: Any = json.loads(read_text(path))
    except RecursionError:
        raise InputError(f"{path}: not JSON (nested too deeply)") from None
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"{path}: not JSON ({error})") from None
    wrong = _wrong_manifest(manifest)
    if wrong is not None:
        raise InputError(f"{path}: {wrong}")
    found: dict[str, Any] = manifest
    return found


def _wrong_manifest(manifest: Any) -> str | None:
    """Return the error in a manifest; None if there is none."""
    if not isinstance(manifest, dict):
        return f"{quoted(manifest)}, expected a table"
    if manifest.get("schema_version") != MANIFEST_SCHEMA:
        found = quoted(manifest.get("schema_version"))
        return f"schema version {found}, expected {MANIFEST_SCHEMA}"
    if not isinstance(manifest.get("models"), dict):
        return f"'models' is {quoted(manifest.get('models'))}, expected a table of models"
    for name, model in manifest["models"].items():
        wrong = _wrong_model(name, model)
        if wrong is not None:
            return wrong
    return None


def _wrong_model(name: str, model: Any) -> str | None:
    try:
        check_name(name)
    except InputError as error:
        return str(error)
    versions = model.get("versions") if isinstance(model, dict) else None
    if not isinstance(versions, list) or not all(isinstance(item, dict) for item in versions):
        return f"model {name!r} is {quoted(model)}, expected 'current' and a list of 'versions'"
    for number, version in enumerate(versions):
        where = f"version {number} of {name!r}"
        wrong = wrong_entry(version, VERSION_FORMS, where)
        if wrong is not None:
            return wrong
        if version["version"] != version["digest"][:VERSION_DIGITS]:
            return f"{where} is called {quoted(version['version'])}, another than its digest"
    if model.get("current") not in [version["digest"] for version in versions]:
        return f"'current' of {name!r} is {quoted(model.get('current'))}, expected a digest of one"
    return None


def has_manifest(models: Path) -> bool:
    """Return whether models in the folder are published with versions."""
    return (models / MANIFEST).exists()


def version_of(manifest: dict[str, Any], name: str, version: str | None = None) -> Version:
    """Return the version of `name` whose digest begins with `version`; the current by default.

    Raises
    ------
    InputError
        If there is none, or more than one.
    """
    if name not in manifest["models"]:
        known = ", ".join(manifest["models"]) or "none yet"
        raise InputError(f"no model called {quoted(name)} was published, there are: {known}")
    model = manifest["models"][name]
    wanted = model["current"] if version is None else version
    found: list[Version] = [
        entry for entry in model["versions"] if entry["digest"].startswith(wanted)
    ]
    if len(found) != 1 or not wanted:
        known = ", ".join(entry["version"] for entry in model["versions"])
        raise InputError(
            f"{name}: {quoted(wanted)} is no version, or several, expected one of: {known}"
        )
    return found[0]


def current_version(manifest: dict[str, Any], name: str) -> Version | None:
    """Return the current version of `name`, None where none was published."""
    return version_of(manifest, name) if name in manifest["models"] else None
