"""The process of a job: designs are written as they are found, and gone on with."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from solver.design_page.jobs import Job, Jobs
from solver.design_page.request import DesignRequest
from solver.design_page.worker import Worker
from solver.domains.rna.requests.options import RnaRequests
from tests.solver.domains.rna.plain_designs import fold, least_distance

HAIRPIN = "((((....))))"


def new_job(folder: Path, targets: str, **requests: Any) -> Job:
    request = DesignRequest(targets, seconds=20, requests=RnaRequests(**requests))
    return Jobs(folder).add(request)


def work(job: Job) -> list[dict[str, Any]]:
    assert Worker(job.folder, threading.Event()).run() == 0
    job.refresh()
    return [{**line["record"]} for line in job.designs]


def test_designs_of_several_targets(tmp_path: Path) -> None:
    """Each target has its designs, verified; one that has none costs the others nothing."""
    job = new_job(
        tmp_path, f">a\n{HAIRPIN}\n>b\n{HAIRPIN}\nGGGGNNNNNNNN\n", designs=2, forbid="GGGG"
    )
    records = work(job)
    assert [(one["name"], one["solved"]) for one in records] == [
        ("a", True), ("a", True), ("b", False),
    ]  # fmt: skip
    assert all(fold(one["sequence"]) == HAIRPIN for one in records[:2])
    assert "GGGG is forbidden" in records[2]["error"]
    assert job.designs[0]["text"].startswith(">a_1 ")


def test_progress_counts_the_folds_of_all_designs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """They go on from one design to the next."""
    monkeypatch.setattr("solver.design_page.worker.TELL_SECONDS", 0.0)
    job = new_job(tmp_path, f">a\n{HAIRPIN}\n>b\n{HAIRPIN}\n", designs=3)
    records = work(job)
    told = [json.loads(line)["playouts"] for line in capsys.readouterr().out.splitlines()]
    assert told == sorted(told)
    assert told[-1] > sum(record["playouts"] for record in records[:-1])


def test_a_job_is_gone_on_with(tmp_path: Path) -> None:
    """A resumed job keeps solved designs, drops damaged and failed lines, finds the rest."""
    job = new_job(tmp_path, HAIRPIN, designs=4, min_distance=4)
    first = work(job)
    path = job.folder / "designs.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    failed = json.loads(lines[2])
    failed["record"]["solved"] = False
    path.write_text("".join(lines[:2]) + json.dumps(failed) + "\n" + lines[3][:40])
    job.begin_again()
    assert [line["record"] for line in job.designs] == first[:2]
    records = work(job)
    assert records[:2] == first[:2]
    assert [one["design"] for one in records] == [1, 2, 3, 4]
    assert all(one["solved"] for one in records)
    assert least_distance([one["sequence"] for one in records]) >= 4
    before = path.read_text()
    assert work(job) == records
    assert path.read_text() == before


def test_strands_are_gone_on_with(tmp_path: Path) -> None:
    """Targets of switches, strands and states have designs, and a resumed job finds the rest."""
    states = "strand a = N6\nstrand b = N6\nstate both: a b = (6&)6\n"
    for targets in ("((((&))))", states):
        job = new_job(tmp_path, targets, designs=2, min_distance=2)
        first = work(job)
        assert [one["solved"] for one in first] == [True, True]
        assert all("&" in one["sequence"] for one in first)
        path = job.folder / "designs.jsonl"
        path.write_text(path.read_text().splitlines(keepends=True)[0])
        job.begin_again()
        records = work(job)
        assert records[0] == first[0]
        assert [one["solved"] for one in records] == [True, True]
        assert records[1]["distance"] >= 2


def test_a_job_that_is_stopped(tmp_path: Path) -> None:
    """It ends with status 130 and what it has, and has nothing to say of what it did not begin."""
    job = new_job(tmp_path, HAIRPIN, designs=2)
    stop = threading.Event()
    worker = Worker(job.folder, stop)
    stop.set()
    assert worker.run() == 130
    job.refresh()
    assert job.designs == []
