"""The order of jobs in the queue, with processes that only pretend to design."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from solver.design_page import queue as module
from solver.design_page.jobs import Job
from solver.design_page.processes import Started
from solver.design_page.queue import Queue
from solver.design_page.request import DesignRequest
from solver.errors import WriteError

REQUEST = DesignRequest(">a\n((((....))))\n>b\n(...)\n")
LINE = {"target": 0, "record": {"name": "a", "solved": True, "sequence": "GGGG"}, "text": ">a\n"}
# What a process of a job does: a design, word of it, and then waits for the end.
PRETENDED = """
import json, os, sys, time
folder, line = sys.argv[1:]
with open(folder + "/designs.jsonl", "a") as file:
    file.write(line + "\\n")
print(json.dumps({"playouts": 1}), flush=True)
while not os.path.exists(folder + "/finish"):
    time.sleep(0.01)
word = open(folder + "/finish").read()
sys.exit(word or 0)
"""


def pretended(folder: Path) -> Started:
    return Started([sys.executable, "-c", PRETENDED, str(folder), json.dumps(LINE)], folder)


@pytest.fixture
def queue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Queue]:
    monkeypatch.setattr(module, "launch", pretended)
    found = Queue(tmp_path, 2)
    yield found
    found.close()


def statuses(queue: Queue) -> list[str]:
    """Return the status of each job, in order of age."""
    return [one["status"] for one in reversed(queue.state())]


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "nothing happened"
        time.sleep(0.01)


def add(queue: Queue, count: int) -> list[Job]:
    """Jobs whose names sort as they were made."""
    jobs = [queue.add(REQUEST) for _ in range(count)]
    return sorted(jobs, key=lambda job: job.id)


def test_as_many_at_once_as_cores(queue: Queue) -> None:
    """The third waits until one of the first two is done."""
    add(queue, 3)
    assert sorted(statuses(queue)) == ["running", "running", "waiting"]
    running = [one["id"] for one in queue.state() if one["status"] == "running"]
    first = queue.jobs.get(running[0])
    assert first is not None
    wait_until(lambda: first.progress == {"playouts": 1})
    (first.folder / "finish").touch()
    wait_until(lambda: sorted(statuses(queue)) == ["done", "running", "running"])
    summary = next(one for one in queue.state() if one["id"] == first.id)
    assert (summary["found"], summary["wanted"], summary["targets"]) == (1, 2, ["a", "b"])


def test_a_job_that_is_stopped_and_gone_on_with(queue: Queue) -> None:
    """It frees the core for who waits, keeps what it has, and may be begun again."""
    (job,) = add(queue, 1)
    wait_until(lambda: queue.state()[0]["found"] == 1)
    queue.stop(job)
    wait_until(lambda: statuses(queue) == ["stopped"])
    assert queue.state()[0]["found"] == 1
    queue.resume(job)
    queue.resume(job)
    assert statuses(queue) == ["running"]
    assert queue.state()[0]["resumed"] == 1
    (job.folder / "finish").touch()
    wait_until(lambda: statuses(queue) == ["done"])


def test_a_job_that_waits_is_stopped(queue: Queue) -> None:
    """It never begins."""
    jobs = add(queue, 3)
    (waiting,) = [job for job in jobs if job.id not in queue._running]
    queue.stop(waiting)
    assert sorted(statuses(queue)) == ["running", "running", "stopped"]


def test_a_process_that_fails(queue: Queue) -> None:
    """The job has failed, with the last words of its process."""
    (job,) = add(queue, 1)
    (job.folder / "finish").write_text("no luck\ntoday")
    wait_until(lambda: statuses(queue) == ["failed"])
    assert queue.state()[0]["message"] == "today"


def test_a_job_is_removed(queue: Queue) -> None:
    """Its process ends and its folder is gone."""
    (job,) = add(queue, 1)
    process = queue._running[job.id]
    queue.remove(job)
    assert process.poll() is not None
    assert not job.folder.exists()
    assert queue.state() == []


def test_jobs_outlive_the_server(queue: Queue, tmp_path: Path) -> None:
    """The next server shows what was done, what was cut off, and skips what is damaged."""
    done, cut_off = add(queue, 2)
    wait_until(lambda: [one["found"] for one in queue.state()] == [1, 1])
    (done.folder / "finish").touch()
    wait_until(lambda: "done" in statuses(queue))
    damaged = tmp_path / "20260101-000000-abcdef"
    damaged.mkdir()
    (damaged / "request.json").write_text("{")
    (tmp_path / "notes.txt").touch()
    again = Queue(tmp_path, 2)
    assert sorted((one["status"], one["found"]) for one in again.state()) == [
        ("done", 1), ("interrupted", 1),
    ]  # fmt: skip
    assert (damaged / "request.json").exists()
    assert cut_off.id in {one["id"] for one in again.state()}


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "7", '{"status": "done"}', '{"status": 1, "message": ""}', "[" * 9999]
)
def test_a_damaged_end_concerns_one_job(queue: Queue, text: str) -> None:
    """The job counts as cut off, which is said, and the others are shown as they are."""
    damaged, other = add(queue, 2)
    for job in (damaged, other):
        queue.stop(job)
    wait_until(lambda: statuses(queue) == ["stopped", "stopped"])
    (damaged.folder / "end.json").write_text(text)
    assert statuses(queue) == ["interrupted", "stopped"]
    assert queue.state()[1]["message"] == f"{damaged.folder / 'end.json'} is damaged"


@pytest.mark.parametrize("text", ["{", "[]", "7", '{"target": 0, "text": ""}', "\xff"])
def test_damaged_lines_are_left_out(queue: Queue, text: str) -> None:
    """Designs before and behind them are shown."""
    (job,) = add(queue, 1)
    wait_until(lambda: queue.state()[0]["found"] == 1)
    with job.lines.open("a", encoding="latin-1") as file:
        file.write(f"{text}\n{json.dumps(LINE)}\n")
    assert queue.state()[0]["rows"] == 2


def test_jobs_are_for_their_user_alone(tmp_path: Path) -> None:
    """Also those that another version left readable."""
    (job,) = add(Queue(tmp_path, 0), 1)
    assert job.folder.stat().st_mode & 0o777 == 0o700
    job.folder.chmod(0o755)
    (job.folder / "request.json").chmod(0o644)
    Queue(tmp_path, 0)
    assert job.folder.stat().st_mode & 0o777 == 0o700
    assert (job.folder / "request.json").stat().st_mode & 0o777 == 0o600


def test_closing_stops_all(queue: Queue) -> None:
    """Nothing runs afterwards; what waited counts as cut off."""
    add(queue, 3)
    processes = list(queue._running.values())
    assert queue.close() == 3
    assert all(process.wait(60) is not None for process in processes)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"seconds": 1' + "0" * 400 + "}"])
def test_a_damaged_request_concerns_one_job(queue: Queue, tmp_path: Path, text: str) -> None:
    """A server that begins anew shows the others."""
    damaged, other = add(queue, 2)
    queue.close()
    (damaged.folder / "request.json").write_text(text)
    assert [job.id for job in Queue(tmp_path, 0).jobs] == [other.id]


def test_an_end_that_cannot_be_kept_holds_no_other_up(
    queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a full disk: the job counts as cut off, the next one begins."""

    def refuse(job: Job, *_: str) -> None:
        raise WriteError(job.folder, OSError(28, "No space left on device"))

    first, second, third = add(queue, 3)
    monkeypatch.setattr(Job, "end", refuse)
    (first.folder / "finish").write_text("")
    wait_until(lambda: statuses(queue) == ["interrupted", "running", "running"])
    assert {second.id, third.id} == set(queue._running)


def test_a_process_that_cannot_begin(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason is kept, and the next job begins."""

    def launch(folder: Path) -> Started:
        if len(queue.state()) == 1:
            raise OSError(12, "Cannot allocate memory")
        return pretended(folder)

    monkeypatch.setattr(module, "launch", launch)
    add(queue, 1)
    assert queue.state()[0]["message"] == "[Errno 12] Cannot allocate memory"
    add(queue, 1)
    assert sorted(statuses(queue)) == ["failed", "running"]
