"""Jobs on disk: a folder each, which outlives the server.

`request.json` is what was asked for, `designs.jsonl` has a line for each design as it was found,
`end.json` says how it ended. A job without an end that nobody works at was cut off. Only its user
can read it; what is damaged in it concerns no other job.
"""

from __future__ import annotations

import json
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypedDict

from solver.design_page.request import DesignRequest
from solver.domains.rna.files.formats import parse_targets
from solver.domains.rna.requests.options import requests_for
from solver.errors import InputError
from solver.system.files import make_folder, replacing

WAITING, RUNNING, DONE, STOPPED, FAILED = "waiting", "running", "done", "stopped", "failed"
#: Neither running nor ended: its server was killed.
CUT_OFF = "interrupted"

_ID = re.compile(r"\d{8}-\d{6}-[0-9a-f]{6}")


class DesignRecord(TypedDict):
    """Fields of `solver.commands.answers.record_of` that the page reads; None without a design."""

    name: str
    solved: bool
    sequence: str | None
    structure: str | None
    engine: str | None
    design: int | None
    """Number of the design, from 1, of several."""
    seconds: float | None
    error: str | None


class Line(TypedDict):
    """A line of `designs.jsonl`."""

    target: int
    """Number of the target, from 0."""
    record: DesignRecord
    text: str
    """FASTA, "" where there is no design."""


class Progress(TypedDict, total=False):
    """Current target of a process, its folds of all targets and its seconds; empty at first."""

    target: int
    playouts: int
    seconds: float


class Status(TypedDict):
    """State of a job (waiting, running or ended), with a message."""

    status: str
    message: str


class Summary(TypedDict):
    """Row of the list of jobs, without the status."""

    id: str
    targets: list[str]
    more: int
    wanted: int
    found: int
    rows: int
    resumed: int
    progress: Progress
    request: dict[str, object]


class Job:
    """A job and its designs, read from its folder as they come."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.id = folder.name
        self.lines = folder / "designs.jsonl"
        self.request = DesignRequest.of(json.loads((folder / "request.json").read_text()))
        targets, asked = parse_targets(self.request.targets, "target"), self.request.requests
        self.targets = [name for name, _ in targets]
        self.wanted = sum(requests_for(target, asked).designs for _, target in targets)
        """Number of designs that are asked for."""
        self.progress: Progress = {}
        """Last progress that its process reported."""
        self.designs: list[Line] = []
        """Lines of `designs.jsonl` so far."""
        self.resumed = 0
        """Number of restarts."""
        self._read = 0

    def refresh(self) -> None:
        """Read the whole lines that were added, without those that are damaged."""
        try:
            file = self.lines.open("rb")
        except OSError:  # there is none yet
            return
        with file:
            file.seek(self._read)
            for line in file:
                if line.endswith(b"\n"):
                    self._read += len(line)
                    self.designs += _lines_in(line)

    def begin_again(self) -> None:
        """Keep only solved attempts: the next process continues after them."""
        self.designs, self._read, self.progress = [], 0, {}
        self.refresh()
        self.designs = [line for line in self.designs if line["record"]["solved"]]
        text = "".join(json.dumps(line) + "\n" for line in self.designs)
        with replacing(self.lines) as path:
            path.write_text(text)
        self._read = len(text.encode())
        self.resumed += 1
        (self.folder / "end.json").unlink(missing_ok=True)

    def end(self, status: str, message: str = "") -> None:
        """Keep how it ended."""
        with replacing(self.folder / "end.json") as path:
            path.write_text(json.dumps({"status": status, "message": message}))

    def ended(self) -> Status:
        """Return the status and message of a job that has ended."""
        try:
            text = (self.folder / "end.json").read_text()
        except (OSError, UnicodeDecodeError) as error:
            return _cut_off("" if isinstance(error, FileNotFoundError) else str(error))
        with suppress(ValueError, RecursionError, TypeError, KeyError):
            found = json.loads(text)
            if found["status"] in (DONE, STOPPED, FAILED):
                return {"status": found["status"], "message": str(found["message"])}
        return _cut_off(f"{self.folder / 'end.json'} is damaged")

    @property
    def summary(self) -> Summary:
        """Return the row of the list of jobs."""
        return {
            "id": self.id,
            "targets": self.targets[:20],
            "more": max(len(self.targets) - 20, 0),
            "wanted": self.wanted,
            "found": sum(bool(one["record"]["solved"]) for one in self.designs),
            "rows": len(self.designs),
            "resumed": self.resumed,
            "progress": self.progress,
            "request": self.request.plain,
        }


def _cut_off(message: str) -> Status:
    return {"status": CUT_OFF, "message": message}


def _lines_in(text: bytes) -> list[Line]:
    """Return the line of `designs.jsonl` that `text` is; none if it is damaged."""
    with suppress(ValueError, RecursionError, TypeError, KeyError):
        line: Line = json.loads(text)
        if isinstance(line["target"], int) and isinstance(line["text"], str):
            bool(line["record"]["solved"])
            return [line]
    return []


def _hide(folder: Path) -> None:
    """Let nobody but its owner read a job."""
    for path in (folder, *folder.iterdir()):
        with suppress(OSError):  # another user's
            path.chmod(0o700 if path.is_dir() else 0o600)


class Jobs:
    """All jobs of a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.absolute()  # processes of jobs begin elsewhere
        self._jobs: dict[str, Job] = {}
        for path in sorted(self._folder.iterdir()):
            if _ID.fullmatch(path.name) and (path / "request.json").exists():
                try:
                    _hide(path)
                    job = Job(path)
                    job.refresh()
                except (InputError, OSError, ValueError, KeyError, RecursionError):
                    continue  # another version's, or damaged: it stays where it is
                self._jobs[job.id] = job

    def __iter__(self) -> Iterator[Job]:
        """Iterate from the last job to the first."""
        return iter(sorted(self._jobs.values(), key=lambda job: job.id, reverse=True))

    def add(self, request: DesignRequest) -> Job:
        """Make the folder of a new job.

        Raises
        ------
        InputError
            If it cannot be written.
        """
        second, rest = divmod(time.time_ns(), 10**9)
        begun = time.strftime("%Y%m%d-%H%M%S", time.localtime(second))
        # Names sort as jobs began: digits of the microsecond, and one by chance.
        name = f"{begun}-{rest // 1000:05x}{secrets.randbelow(16):x}"
        folder = self._folder / name
        make_folder(folder)
        folder.chmod(0o700)
        with replacing(folder / "request.json") as path:
            path.write_text(json.dumps(request.plain))
        job = self._jobs[name] = Job(folder)
        return job

    def get(self, name: str) -> Job | None:
        """Return the job called `name`."""
        return self._jobs.get(name)

    def remove(self, job: Job) -> None:
        """Remove a job and its folder."""
        del self._jobs[job.id]
        shutil.rmtree(job.folder, ignore_errors=True)
