"""Job queue: one process per job, at most one per core."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from contextlib import suppress
from pathlib import Path

from solver.commands.options import INTERRUPTED
from solver.design_page.jobs import (
    DONE,
    FAILED,
    RUNNING,
    STOPPED,
    WAITING,
    Job,
    Jobs,
    Status,
    Summary,
)
from solver.design_page.processes import JobProcess, launch
from solver.design_page.request import DesignRequest
from solver.errors import InputError, cut

#: A process that was told to end and did not is killed after so many seconds.
GRACE_SECONDS = 1.8


def cores() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class State(Summary, Status):
    """Row of the list of jobs."""


class Queue:
    """Runs the jobs of a folder.

    Parameters
    ----------
    at_once : int
        Processes at the same time; other jobs wait.
    """

    def __init__(self, folder: Path, at_once: int) -> None:
        self.jobs = Jobs(folder)
        self._at_once = at_once
        self._lock = threading.RLock()
        self._waiting: list[Job] = []
        self._running: dict[str, JobProcess] = {}
        self._stopped: set[str] = set()

    def state(self) -> list[State]:
        """Return the summaries of all jobs, the last first."""
        with self._lock:
            found: list[State] = []
            for job in self.jobs:
                job.refresh()
                found.append({**job.summary, **self._status(job)})
            return found

    def _status(self, job: Job) -> Status:
        if job.id in self._running:
            return {"status": RUNNING, "message": ""}
        if job in self._waiting:
            return {"status": WAITING, "message": ""}
        return job.ended()

    def add(self, request: DesignRequest) -> Job:
        """Make a job of a request; it begins when there is a core."""
        with self._lock:
            job = self.jobs.add(request)
            self._waiting.append(job)
            self._start()
            return job

    def resume(self, job: Job) -> None:
        """Go on with a job that neither runs nor waits."""
        with self._lock:
            if job.id in self._running or job in self._waiting:
                return
            job.begin_again()
            self._waiting.append(job)
            self._start()

    def stop(self, job: Job) -> None:
        """Free the core of a job; its designs stay."""
        with self._lock:
            if job in self._waiting:
                self._waiting.remove(job)
                job.end(STOPPED)
            process = self._running.get(job.id)
            if process is None:
                return
            self._stopped.add(job.id)
            process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_SECONDS)
            return
        process.kill()

    def remove(self, job: Job) -> None:
        """Stop a job and forget it."""
        self.stop(job)
        with self._lock:
            process = self._running.pop(job.id, None)
            if process is not None:
                process.wait()
            self.jobs.remove(job)

    def close(self) -> int:
        """Stop running jobs and leave waiting ones to be resumed; return the number of both."""
        with self._lock:
            left = [*self._waiting]
            self._waiting.clear()
            running = [job for job in self.jobs if job.id in self._running]
        stopping = [threading.Thread(target=self.stop, args=(job,)) for job in running]
        for thread in stopping:
            thread.start()
        for thread in stopping:
            thread.join()
        return len(left) + len(running)

    def _start(self) -> None:
        """Begin as many of those that wait as there is room for."""
        while self._waiting and len(self._running) < self._at_once:
            job = self._waiting.pop(0)
            try:
                self._running[job.id] = process = launch(job.folder)
            except OSError as error:  # no memory, or the folder cannot be written
                with suppress(InputError, OSError):
                    job.end(FAILED, cut(str(error)))
                continue
            threading.Thread(target=self._watch, args=(job, process), daemon=True).start()

    def _watch(self, job: Job, process: JobProcess) -> None:
        """Read the progress of a process until its end, then give its core to the next job."""
        for line in process.lines():
            with suppress(ValueError):  # of a library that prints
                job.progress = json.loads(line)
        status = process.wait()
        with self._lock:
            if self._running.pop(job.id, None) is not None:  # else it was removed
                with suppress(InputError, OSError):  # without its end it was cut off
                    self._end(job, status)
            self._stopped.discard(job.id)
            self._start()

    def _end(self, job: Job, status: int) -> None:
        """Keep how a job ended."""
        if job.id in self._stopped or status == INTERRUPTED:
            job.end(STOPPED)
        elif status == 0:
            job.end(DONE)
        else:
            job.end(FAILED, _last_words(job.folder / "log.txt"))


def _last_words(log: Path) -> str:
    """Last line of a process's log before it failed."""
    with suppress(OSError):
        lines = log.read_text(errors="replace").strip().splitlines()
        if lines:
            return cut(lines[-1])
    return "its process was killed"
