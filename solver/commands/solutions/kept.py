"""Searches of `solve --solutions --out` that outlive a kill: the same command goes on with them."""

from __future__ import annotations

import hashlib
import json
import os
import time
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from solver.commands.kept import JOURNAL, journal_path
from solver.errors import WriteError
from solver.system.files import PARTIAL, replacing

if TYPE_CHECKING:
    from solver.searching.complete import Checkpoint, SolutionSearch

#: Seconds between two checkpoints, and how many times as long as one takes to write.
EVERY, TIMES = 5.0, 20.0


class SolutionJournal:
    """A checkpoint of a command beside `out`: what was written, and where the search is.

    The file is a zip archive of NumPy arrays. What `out` has behind the checkpoint is found again,
    in the same order, and stays as it is.

    Parameters
    ----------
    out : Path or None
        File of the solutions; nothing is kept unless it is a regular file.
    command : dict
        Settings that the solutions depend on, of JSON types.
    """

    def __init__(self, out: Path | None, command: Mapping[str, object]) -> None:
        self.path = journal_path(out)
        self.unfinished = False
        """True if the command was interrupted, so that the checkpoint is kept when it has ended."""
        self._head = json.dumps(command, sort_keys=True, default=str)
        self._forget()
        self._due = time.monotonic() + EVERY

    def _forget(self) -> None:
        self.results: list[dict[str, Any]] = []
        """Results of the problems that are done."""
        self.start: Checkpoint | None = None
        """Checkpoint of the search of the next problem; None if it had not begun."""
        self.text = ""
        """Text written until the checkpoint."""
        self._behind: list[str] = []
        self._begun = False
        self._size, self._digest = 0, hashlib.sha256()

    def __len__(self) -> int:
        """1 if there is a checkpoint of this command, else 0."""
        return int(self._begun)

    def describe(self) -> str:
        """Say what there is to go on from."""
        found = self.start.count if self.start else 0
        return f"where {len(self.results)} problems are done, {found} solutions of the next known"

    def load(self) -> bool:
        """Read the checkpoint; return False if it is another command's, or damaged."""
        import numpy as np

        self._forget()
        if self.path is None or not self.path.exists():
            return True
        try:
            with np.load(self.path, allow_pickle=False) as file:
                head, state = (str(file[name]) for name in ("command", "state"))
                if head != self._head:
                    return False
                self._read(json.loads(state), file, self.path)
        except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile):
            self._forget()
            return False
        return True

    def _read(self, state: Mapping[str, Any], file: Any, path: Path) -> None:
        from solver.searching.complete import Checkpoint

        out = path.with_name(path.name.removesuffix(JOURNAL))
        growing = out.with_name(out.name + PARTIAL)
        source = growing if growing.exists() and growing.stat().st_size else out
        content = source.read_bytes() if source.exists() else b""
        before, behind = content[: state["size"]], content[state["size"] :]
        if hashlib.sha256(before).hexdigest() != state["digest"]:
            raise ValueError("the solutions have changed")
        if source == growing:
            self._behind = behind.decode().splitlines(keepends=True)
        self.text = before.decode().replace(os.linesep, "\n")
        self.results = state["results"]
        if state["count"] is not None:
            arrays = [file[f"run-{number}"] for number in range(state["arrays"])]
            self.start = Checkpoint(state["count"], state["seconds"], file["seen"], arrays)
        self._begun = True
        self.note("")

    def note(self, text: str) -> None:
        """Count `text` as written; the first one is all that the checkpoint has."""
        if not self._size and self.text:
            text = self.text
        content = text.replace("\n", os.linesep).encode()
        self._size += len(content)
        self._digest.update(content)

    def as_kept(self, line: Mapping[str, Any]) -> str:
        """Return a line of JSON as the file has it already, where only its seconds differ."""
        text = json.dumps(line) + "\n"
        if self._behind:
            kept = self._behind.pop(0)
            with suppress(ValueError):
                values = json.loads(kept)
                if isinstance(values, dict) and {**values, "seconds": line["seconds"]} == line:
                    return kept
            self._behind.clear()
        return text

    def keep(self, search: SolutionSearch | None = None, *, now: bool = False) -> None:
        """Write a checkpoint if it is time for one, or `now`; `search` is the one under way."""
        if self.path is None or not (now or time.monotonic() >= self._due):
            return
        import numpy as np

        begin = time.monotonic()
        state: dict[str, Any] = {
            "size": self._size,
            "digest": self._digest.hexdigest(),
            "results": self.results,
            "count": None,
        }
        arrays: dict[str, Any] = {}
        if search is not None:
            point = search.checkpoint()
            state |= {"count": point.count, "seconds": point.seconds, "arrays": len(point.run)}
            arrays = {f"run-{number}": array for number, array in enumerate(point.run)}
            arrays["seen"] = point.seen
        arrays |= {"command": np.array(self._head), "state": np.array(json.dumps(state))}
        try:
            with replacing(self.path) as temporary, temporary.open("wb") as file:
                np.savez(file, **arrays)
        except (OSError, WriteError):  # a full disk, which the solutions themselves will tell of
            self.path = None
            return
        self._begun = True
        end = time.monotonic()
        self._due = end + max(EVERY, TIMES * (end - begin))

    def close(self) -> None:
        """Remove the file where nothing is left to go on with."""
        if self.path is not None and not self.unfinished:
            with suppress(OSError):
                self.path.unlink(missing_ok=True)
