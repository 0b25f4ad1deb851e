"""Requests travel between processes as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pipeline.commands import compare, learn
from pipeline.commands.comparing import planned
from pipeline.requests.compare import CompareRequest
from pipeline.requests.learn import LearnRequest
from pipeline.requests.matches import MatchRequest
from solver.errors import InputError

LEARN = ["latin-square", "--order", "7", "--held-out", "9", "--prior-code", "dual", "--seed", "3"]
MATCHES = [
    "hex",
    "--algorithm",
    "uct:exploration=0.2,mcps:prior=hex:temperature=2",
    "--size",
    "3,4",
]
COMPARE = ["latin-square", "--order", "7,8", "--prior", "none", "--prior-temperature", "1,2"]


@pytest.mark.parametrize(
    ("kind", "request_made"),
    [
        (LearnRequest, learn.read_request(LEARN)[1]),
        (CompareRequest, compare.read_request(COMPARE)[1]),
        (MatchRequest, compare.read_request(MATCHES)[1]),
    ],
)
def test_requests_travel_as_json(kind: Any, request_made: Any) -> None:
    """A request read back from JSON asks for the same."""
    arrived = kind.of(json.loads(json.dumps(request_made.plain)))
    assert arrived.plain == request_made.plain
    if kind is not LearnRequest:
        planned(arrived)
    assert type(arrived) is type(request_made)


def test_a_request_is_complete() -> None:
    """Every default is chosen where the words are read, so that workers choose nothing."""
    _, request = compare.read_run_request(
        "rna", ["rna", "--algorithm", "gnrpa,sampling", "--instances", "2"]
    )
    (gnrpa, parameters), (sampling, dead_ends) = request.algorithms
    assert (gnrpa, sampling) == ("gnrpa", "sampling")
    assert parameters is not None
    assert parameters["level"] >= 2
    assert dead_ends == {"dead_ends": 0}
    assert request.options[0]["engine"] == "vienna2"
    assert request.playouts == compare.DEFAULT_PLAYOUTS


def test_files_are_found_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what is a file becomes a path: a prior may be called as a file is not."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.txt").write_text(". .\n. .\n")
    words = ["latin-square", "mine.txt", "--prior", "none", "--out", "runs"]
    request = compare.read_run_request("latin-square", words)[1].anywhere
    assert request.files == [str(tmp_path / "mine.txt")]
    assert request.priors == ["none"]
    assert request.out == str(tmp_path / "runs")
    assert request.subject == "latin-square"


def test_matches_are_the_same_from_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files get absolute names, a position travels as text; games have the same keys."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here.txt").write_text("o..\n.x.\n...\nx to move\n")
    argv = ["hex", "here.txt", "--algorithm", "uct,flat", "--playouts", "5,10", "--out", "games"]
    request = compare.read_request(argv)[1]
    far = MatchRequest.of(json.loads(json.dumps(request.anywhere.plain)))
    assert far.out == str(tmp_path / "games")
    (tmp_path / "here.txt").unlink()
    assert [job.key for job in planned(far).jobs] == [job.key for job in planned(request).jobs]
    assert planned(far).jobs[0].tournament.problem.name == "here.txt"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sead": 1}, "a LearnRequest has the unknown field 'sead': made by another version"),
        ({"seed": None}, "a LearnRequest lacks 'seed': made by another version"),
    ],
)
def test_requests_of_other_versions(change: dict[str, Any], message: str) -> None:
    """A worker with other sources says so in a line."""
    plain = {**learn.read_request(LEARN)[1].plain, **change}
    with pytest.raises(InputError) as error:
        LearnRequest.of({name: value for name, value in plain.items() if value is not None})
    assert str(error.value) == message
