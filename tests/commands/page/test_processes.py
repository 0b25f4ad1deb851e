"""Processes of jobs, copies or not: they end alone, with their status, and with the server."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from solver.design_page import processes
from solver.design_page.jobs import Job, Jobs
from solver.design_page.processes import JobProcess, launch
from solver.design_page.request import DesignRequest
from solver.domains.rna.requests.options import RnaRequests

ROOT = Path(__file__).parents[3]
HAIRPIN = "((((....))))"
PATIENCE = 120.0
#: A server that launches a job and waits to be killed.
SERVER = """
import sys, threading
from pathlib import Path
from solver.design_page.processes import launch
if __name__ == "__main__":
    for line in launch(Path(sys.argv[1])).lines():
        pass
"""

needs_copies = pytest.mark.skipif(not processes.FORKS, reason="copies are made on Linux alone")


def new_job(folder: Path, designs: int) -> Job:
    request = DesignRequest(HAIRPIN, seconds=100, requests=RnaRequests(designs=designs))
    return Jobs(folder).add(request)


def started(job: Job) -> tuple[JobProcess, list[bytes]]:
    """Launch a job, and read its lines in a thread, as the queue does."""
    process, lines = launch(job.folder), list[bytes]()
    threading.Thread(target=lambda: lines.extend(process.lines()), daemon=True).start()
    return process, lines


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "nothing happened"
        time.sleep(0.01)


def designs(job: Job) -> int:
    return job.lines.read_bytes().count(b"\n") if job.lines.exists() else 0


@pytest.mark.parametrize("copied", [pytest.param(True, marks=needs_copies), False])
def test_one_killed_costs_the_other_nothing(
    copied: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each has pipes and folding processes of its own, and a status that is its own."""
    monkeypatch.setattr(processes, "FORKS", copied)
    short, long = new_job(tmp_path, 3), new_job(tmp_path, 10_000)
    killed, _ = started(long)
    wait_until(lambda: designs(long) > 0)
    done, lines = started(short)
    killed.kill()
    assert killed.wait(PATIENCE) == -9
    assert done.wait(PATIENCE) == 0
    assert designs(short) == 3
    assert all(line.startswith(b"{") for line in lines)
    assert not (short.folder / "log.txt").read_bytes()


@needs_copies
def test_one_told_to_end_and_one_that_fails(tmp_path: Path) -> None:
    """SIGTERM ends a search as Ctrl-C does; the log has the last words of one that fails."""
    told, failing = new_job(tmp_path, 10_000), new_job(tmp_path, 1)
    (failing.folder / "request.json").write_text("{")
    process, _ = started(told)
    wait_until(lambda: designs(told) > 0)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.0)
    process.terminate()
    assert process.wait(PATIENCE) == 130
    failed, _ = started(failing)
    assert failed.wait(PATIENCE) == 1
    assert (failing.folder / "log.txt").read_bytes()


@needs_copies
def test_none_outlives_a_server_that_is_killed(tmp_path: Path) -> None:
    """A copy hears of it by its own input: no other process holds the other end."""
    job = new_job(tmp_path, 10_000)
    server = subprocess.Popen([sys.executable, "-c", SERVER, str(job.folder)], cwd=ROOT)
    wait_until(lambda: designs(job) > 0)
    server.kill()
    server.wait()
    wait_until(lambda: not processes_at(job))


def processes_at(job: Job) -> list[int]:
    """Processes that have the log of a job open."""
    found = []
    for path in Path("/proc").glob("[0-9]*/fd/2"):
        try:
            if path.readlink() == job.folder / "log.txt":
                found.append(int(path.parts[2]))
        except OSError:  # one that has ended
            continue
    return found
