"""Rows of runs: what is kept of a long trace, and what becomes of a run that is cut short."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pipeline.comparing.peers import Peer
from pipeline.comparing.peers.peer import PeerResult
from pipeline.comparing.run_job import MAX_TRACE, _run_peer, _run_search, _thinned
from pipeline.tables.runs import SOLVED
from solver.algorithms import Sampling
from solver.contract.domain import Problem
from solver.searching.driver import Budget
from solver.system.interrupt import INTERRUPTED_STATUS
from tests.helpers import FOREVER
from tests.toys.sequence import WIDTH, SequenceDomain, SequenceOptions, TargetDomain

PROBLEM = Problem("toy", np.full(4, -1))


class ScoredDomain(SequenceDomain):
    """The toy with scores of answers from the rules alone."""

    def objective(self, problem: Problem, answer: Any) -> float:
        """Sum of the rewards."""
        reward = self.instance(problem, SequenceOptions()).reward
        before = [WIDTH, *answer[:-1]]
        return float(sum(reward[step, before[step], answer[step]] for step in range(len(answer))))


class LateStop(threading.Event):
    """Ctrl-C that comes when the search has looked for it twenty times: after some playouts."""

    looks = 0

    def is_set(self) -> bool:
        self.looks += 1
        return self.looks > 20


def job(peer: Peer | None = None) -> Any:
    """A job, as far as a run of it goes."""
    method = SimpleNamespace(algorithm=Sampling(), prior=None, peer=peer, name="peer")
    return SimpleNamespace(method=method, family=SimpleNamespace(options=SequenceOptions()), seed=0)


def test_an_answer_that_was_cut_short_is_no_result() -> None:
    """A problem without a target has an answer at once: the run is made again."""
    row = _run_search(job(), ScoredDomain(), PROBLEM, Budget(playouts=FOREVER), LateStop())
    assert row["status"] == INTERRUPTED_STATUS
    assert 0 < row["playouts"] < FOREVER
    row = _run_search(job(), ScoredDomain(), PROBLEM, Budget(playouts=50), threading.Event())
    assert (row["status"], row["playouts"]) == (SOLVED, 50)


@pytest.mark.parametrize(
    ("domain", "interrupted", "status"),
    [
        (ScoredDomain(), True, INTERRUPTED_STATUS),
        (ScoredDomain(), False, SOLVED),
        (TargetDomain(), True, SOLVED),
    ],
)
def test_an_answer_of_a_peer_that_was_cut_short(
    domain: SequenceDomain, interrupted: bool, status: str
) -> None:
    """It is no result if a better one may have come; an answer that solves a problem is."""
    found = PeerResult(np.array([0, 1, 0, 1]), 0.5, interrupted=interrupted)
    peer = Peer(lambda *_, **__: found, "numpy", "numpy")
    budget = Budget(seconds=9.0)
    row = _run_peer(job(peer), peer, domain, PROBLEM, budget, threading.Event())
    assert row["status"] == status


@pytest.mark.parametrize("length", [0, 1, MAX_TRACE])
def test_a_short_trace_is_kept(length: int) -> None:
    """As it is."""
    assert _thinned(np.arange(length)) == list(range(length))


@pytest.mark.parametrize("length", [MAX_TRACE + 1, 1024, 100_000])
def test_of_a_long_trace_values_of_all_parts_are_kept(length: int) -> None:
    """From the first to the last, none of them twice."""
    kept = np.array(_thinned(np.arange(length)))
    assert (len(kept), kept[0], kept[-1]) == (MAX_TRACE, 0, length - 1)
    gaps = np.diff(kept)
    assert gaps.min() >= 1
    assert gaps.max() - gaps.min() <= 1
