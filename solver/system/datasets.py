"""Locations of data: instances that ship, and corpora that users download.

Data that may not be committed is named in `datasets/registry.toml` and looked up in
the data home, the folder that `NESTOR_DATA` names. Missing files are downloaded
into the cache and its checksum compared.
"""

from __future__ import annotations

import hashlib
import os
import tomllib
from pathlib import Path
from typing import Any

from solver.errors import DownloadError, InputError, quoted
from solver.system.cache import cache_root
from solver.system.shipped import shipped_folder

FOLDER = shipped_folder("datasets")
DATA_VARIABLE = "NESTOR_DATA"


def dataset_path(name: str) -> Path:
    """Path of a file of instances that ships.

    Raises
    ------
    InputError
        If it is not there: the package was installed without its data.
    """
    path = FOLDER / name
    if not path.exists():
        raise InputError(f"{path} is missing: the package was installed without its data")
    return path


def registry() -> dict[str, dict[str, Any]]:
    """Entries of `datasets/registry.toml` by name of the corpus."""
    return tomllib.loads((FOLDER / "registry.toml").read_text(encoding="utf-8"))


def corpus_path(name: str) -> Path:
    """Path of corpus `name`, downloaded if it is neither in the data home nor in the cache.

    Raises
    ------
    InputError
        If it is unknown, cannot be downloaded or has another checksum.
    """
    entries = registry()
    if name not in entries:
        raise InputError(
            f"no corpus called {quoted(name, entries)}, expected one of: {', '.join(entries)}"
        )
    entry = entries[name]
    chosen = os.environ.get(DATA_VARIABLE)
    if chosen:
        for file in entry["files"]:
            path = Path(chosen).expanduser() / file
            if path.exists():
                return _unchanged(path, entry)
    if "url" not in entry:
        raise InputError(
            f"no {' or '.join(entry['files'])} in the data home, the folder that {DATA_VARIABLE} "
            f"names (datasets/README.md): put there {entry['what']} ({entry['source']})"
        )
    return _download(entry, cache_root() / "data")


def _unchanged(path: Path, entry: dict[str, Any]) -> Path:
    """Return `path`; if nothing can be downloaded, its checksum identifies the file."""
    if "url" not in entry and "sha256" in entry and sha256(path) != entry["sha256"]:
        raise InputError(f"{path}: wrong checksum, expected {entry['what']}")
    return path


def _download(entry: dict[str, Any], folder: Path) -> Path:
    import pooch
    import requests

    try:
        found = pooch.retrieve(
            entry["url"], entry.get("sha256"), fname=entry["files"][0], path=folder,
            progressbar=False,
        )  # fmt: skip
    except ValueError as error:
        raise InputError(f"{entry['url']}: wrong checksum, nothing kept ({error})") from None
    except (requests.RequestException, OSError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise DownloadError(
            f"cannot download {entry['url']} ({reason}); fetch it yourself into a folder and name "
            f"that folder in {DATA_VARIABLE}"
        ) from None
    return Path(found)


def sha256(path: Path) -> str:
    """Checksum of a file, as kept in metadata."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
