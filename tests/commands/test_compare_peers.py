"""`compare` with other solvers: their rows, what they prove, and what becomes of their errors."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from pipeline.comparing.peers import LATIN_SQUARE, Peer, PeerResult
from solver.contract.domain import Problem
from solver.domains.latin_square.domain import LatinSquareDomain
from solver.errors import InputError
from tests.commands.shell import Run, rows_of

DOMAIN = LatinSquareDomain()
CP_SAT = ["latin-square", "--algorithm", "cp-sat"]

pytestmark = pytest.mark.usefixtures("no_report")


def cp_sat_reason() -> None:
    pytest.importorskip("ortools", reason="ortools, the peer to compare with, is not installed")


def test_rows_of_cp_sat(run: Run, tmp_path: Path) -> None:
    """The peer's rows are solved, verified, and have neither playouts nor a prior."""
    cp_sat_reason()
    command = [*CP_SAT, "--order", 8, "--instances", 2, "--seconds", 30]
    finished = run("compare", *command, "--out", tmp_path)
    assert (finished.status, finished.err) == (0, "")
    generator = __import__("generators").generator_named("latin-square")(order=8)
    for row in rows_of(tmp_path):
        assert (row["algorithm"], row["prior"]) == ("cp-sat", "")
        assert json.loads(row["settings"]) == {"encoding": "exactly one"}
        assert (row["solved"], row["status"], row["score"]) == (True, "solved", 0.0)
        assert (row["playouts"], row["budget_playouts"]) == (None, None)
        assert row["budget_seconds"] == 30
        assert row["trace_playouts"] == row["trace_score"] == row["trace_seconds"] == []
        problem, _ = generator.generate(0, int(row["instance"].partition("-")[2]))
        DOMAIN.verify(problem, DOMAIN.parse_answer(problem, row["solution"], "row"))


def test_cp_sat_proves_that_there_is_no_answer() -> None:
    """An impossible square is told apart from one that took too long."""
    cp_sat_reason()
    (impossible,) = DOMAIN.parse("1 2 .\n. . 3\n. . .\n", "impossible")
    result = LATIN_SQUARE["cp-sat"].solve(impossible, 30.0, 0, threading.Event())
    assert result.answer is None
    assert result.proved_infeasible


def as_cp_sat(monkeypatch: pytest.MonkeyPatch, solve: Callable[..., PeerResult]) -> None:
    """Let `solve` stand for CP-SAT."""
    monkeypatch.setitem(LATIN_SQUARE, "cp-sat", Peer(solve, "json", "json"))


def test_peers_that_lie_are_caught(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer that the verifier rejects is an error, and costs no other run."""

    def liar(problem: Problem, seconds: float, seed: int, stop: threading.Event) -> PeerResult:
        return PeerResult(np.zeros_like(problem.data), 0.1)

    as_cp_sat(monkeypatch, liar)
    base = ["latin-square", "--algorithm", "cp-sat,sampling", "--order", 5, "--instances", 2]
    finished = run("compare", *base, "--out", tmp_path)
    assert finished.status == 2
    lines = finished.err.splitlines()
    assert len(lines) == 2
    assert all("a given was changed" in line for line in lines)
    assert lines[0].startswith("compare: latin-5-10-random-0-0, cp-sat: cp-sat on latin-5-10-")
    rows = rows_of(tmp_path)
    assert sorted((row["algorithm"], row["status"], row["solved"]) for row in rows) == [
        ("cp-sat", "error", False),
        ("cp-sat", "error", False),
        ("sampling", "solved", True),
        ("sampling", "solved", True),
    ]
    assert all((row["message"] is None) == row["solved"] for row in rows)


def test_what_failed_is_tried_again(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once the cause of an error is gone, the same command runs what failed, and that only."""
    solved: list[str] = []

    def no_liar(problem: Problem, seconds: float, seed: int, stop: threading.Event) -> PeerResult:
        if problem.name.endswith("-1") and not broken.is_set():
            broken.set()
            raise InputError("broken for now")
        solved.append(problem.name)
        return PeerResult(None, 0.1)

    broken = threading.Event()
    as_cp_sat(monkeypatch, no_liar)
    command = ["compare", *CP_SAT, "--order", 5, "--instances", 3, "--out", tmp_path]
    first = run(*command)
    assert (first.status, first.err) == (
        2,
        "compare: latin-5-10-random-0-1, cp-sat: broken for now\n",
    )
    assert len(solved) == 2
    second = run(*command)
    assert (second.status, second.err) == (0, "")
    assert len(solved) == 3
    assert [row["status"] for row in rows_of(tmp_path)] == ["budget"] * 3


def test_peers_without_an_answer(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No answer is a row too: out of budget, or proved impossible."""

    def honest(problem: Problem, seconds: float, seed: int, stop: threading.Event) -> PeerResult:
        assert seconds == np.inf
        return PeerResult(None, 0.1, problem.name.endswith("-1"))

    as_cp_sat(monkeypatch, honest)
    finished = run("compare", *CP_SAT, "--order", 5, "--instances", 2, "--out", tmp_path)
    assert (finished.status, finished.err) == (0, "")
    rows = sorted(rows_of(tmp_path), key=lambda row: str(row["instance"]))
    assert [(row["solved"], row["status"]) for row in rows] == [
        (False, "budget"),
        (False, "infeasible"),
    ]
    assert {row["score"] for row in rows} == {row["solution"] for row in rows} == {None}


def test_a_trace_of_a_peer_is_kept(run: Run, tmp_path: Path) -> None:
    """PyVRP's trace is kept: its last score is that of the tour, by any objective."""
    pytest.importorskip("pyvrp", reason="pyvrp is not installed")
    command = ["tsptw", "--algorithm", "pyvrp", "--customers", 30, "--instances", 1]
    objectives = ["--objective", "cost,makespan", "--seconds", 0.3]
    finished = run("compare", *command, *objectives, "--out", tmp_path)
    assert (finished.status, finished.err) == (0, "")
    rows = rows_of(tmp_path)
    assert len(rows) == 2
    for row in rows:
        assert row["trace_playouts"] == []
        times, scores = row["trace_seconds"], row["trace_score"]
        assert 0 < times[0] <= times[-1] <= row["seconds"]
        assert scores == sorted(set(scores))
        assert scores[-1] == pytest.approx(row["score"])
