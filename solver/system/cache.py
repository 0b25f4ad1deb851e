"""Folder of reproducible files: machine code, shards, downloads."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import sys
import tempfile
from pathlib import Path

CACHE_ROOT_VARIABLE = "NESTOR_CACHE"


def cache_root() -> Path:
    """Folder for everything Nestor can rebuild: machine code, shards, downloads."""
    chosen = os.environ.get(CACHE_ROOT_VARIABLE)
    folder = Path(chosen or Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "nestor")
    try:
        return folder.expanduser()
    except RuntimeError:  # a user without a home, as in many containers
        say_once(f"no folder {folder}: what can be kept is lost at the end")
        return temporary_folder()


@functools.cache
def temporary_folder() -> Path:
    """Folder that is removed when the process ends; forked ones have the same."""
    folder = tempfile.mkdtemp(prefix="nestor-")
    atexit.register(_remove, folder, os.getpid())
    return Path(folder)


def _remove(folder: str, maker: int) -> None:
    """Remove a folder at the end of the process that made it, not of one that was forked."""
    if os.getpid() == maker:
        shutil.rmtree(folder, ignore_errors=True)


@functools.cache
def say_once(text: str) -> None:
    """Write a line to stderr, the same only once in a process: work goes on, but slower."""
    sys.stderr.write(f"nestor: {text}; {CACHE_ROOT_VARIABLE} names another folder\n")
    sys.stderr.flush()
