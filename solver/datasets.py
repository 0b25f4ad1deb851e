"""Where data lies: instances that ship, and corpora that users download.

What may not be committed is named in `datasets/registry.toml` and looked up in
the data home: a folder given, else `NESTOR_DATA`, else the cache folder. What is
not there is downloaded into the cache and its checksum compared.
"""

from __future__ import annotations

import hashlib
import os
import tomllib
from pathlib import Path

from solver.errors import InputError
from solver.jit import cache_root

FOLDER = Path(__file__).parents[1] / "datasets"
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
        raise InputError(f"{path} is missing; run from a checkout of the repository")
    return path


def registry(path: Path | None = None) -> dict[str, dict[str, str]]:
    """Entries of `datasets/registry.toml`: file, url, sha256, licence and size by name."""
    text = (path or FOLDER / "registry.toml").read_text(encoding="utf-8")
    entries: dict[str, dict[str, str]] = tomllib.loads(text)
    return entries


def corpus_path(name: str, home: Path | None = None) -> Path:
    """Path of corpus `name`, downloaded if it is neither in the data home nor in the cache.

    Raises
    ------
    InputError
        If it is unknown, cannot be downloaded or has another checksum.
    """
    entries = registry()
    if name not in entries:
        raise InputError(f"no corpus called {name!r}, expected one of: {', '.join(entries)}")
    entry = entries[name]
    chosen = home or os.environ.get(DATA_VARIABLE)
    if chosen:
        for file in entry["files"]:
            path = Path(chosen).expanduser() / file
            if path.exists():
                return path
    return _download(entry, cache_root() / "data")


def _download(entry: dict[str, str], folder: Path) -> Path:
    import pooch
    import requests

    try:
        found = pooch.retrieve(
            entry["url"], entry["sha256"], fname=entry["files"][0], path=folder,
            progressbar=False,
        )  # fmt: skip
    except ValueError as error:
        raise InputError(f"{entry['url']}: wrong checksum, nothing kept ({error})") from None
    except (requests.RequestException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(
            f"cannot download {entry['url']} ({reason}); fetch it yourself into a folder and name "
            f"that with {DATA_VARIABLE} or --data"
        ) from None
    return Path(found)


def sha256(path: Path) -> str:
    """Checksum of a file, as kept in metadata."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
