"""CaDiCaL, a clause-learning SAT solver, from the package python-sat.

A. Biere et al., CaDiCaL, Kissat, Paracooba, Plingeling and Treengeling entering the SAT
Competition 2020. There it neither keeps a time limit nor can be interrupted, and it holds the
lock of the interpreter: it runs in a process of its own, which can be ended.
"""

from __future__ import annotations

import itertools
import json
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pipeline.comparing.peers.exactly_one import ExactlyOne, exactly_one
from pipeline.comparing.peers.peer import PeerResult
from solver.domain import Problem
from solver.errors import InputError
from solver.system.interrupt import WAKE_SECONDS

PROCESS = Path(__file__).with_name("cadical_process.py")
#: Sets up to this size have a clause for every pair; larger ones a chain of new variables.
PAIRWISE = 40

Clauses = list[list[int]]


def complete_latin_square_cadical(
    problem: Problem, seconds: float, seed: int, stop: threading.Event
) -> PeerResult:
    """Complete a Latin square; the seed, which the solver has none of, numbers the variables.

    Seconds to an answer are those of encoding and solving, without the start of the process.
    """
    begin = time.perf_counter()
    encoded = exactly_one(problem.data)
    literals = np.random.default_rng(seed).permutation(len(encoded.places)) + 1
    clauses = _clauses(encoded, literals)
    encoding = time.perf_counter() - begin
    found = _solve(clauses, begin + seconds, stop)
    if found is None:
        elapsed = time.perf_counter() - begin
        return PeerResult(None, elapsed, interrupted=stop.is_set())
    if found["model"] is None:
        return PeerResult(None, encoding + found["seconds"], proved_infeasible=True)
    true = np.isin(literals, found["model"])
    return PeerResult(encoded.square(np.flatnonzero(true)), encoding + found["seconds"])


def _clauses(encoded: ExactlyOne, literals: npt.NDArray[np.int64]) -> Clauses:
    """Clauses of the sets; `literals`, int64[variables], are the variables' numbers from 1."""
    clauses: Clauses = []
    last = len(literals)
    for group in encoded.groups:
        names = literals[group].tolist() if group else []
        clauses.append(names)
        if len(names) <= PAIRWISE:
            clauses += [[-one, -other] for one, other in itertools.combinations(names, 2)]
            continue
        # chain[i]: one of names[0] ... names[i] is true (C. Sinz, CP 2005)
        chain = range(last + 1, last + len(names))
        last += len(chain)
        for i, done in enumerate(chain):
            clauses += [[-names[i], done], [-done, -names[i + 1]]]
        clauses += [[-done, after] for done, after in itertools.pairwise(chain)]
    return clauses


def _solve(clauses: Clauses, deadline: float, stop: threading.Event) -> dict[str, Any] | None:
    """What the process says of `clauses`; None at `deadline`, by `perf_counter`, or at `stop`."""
    with tempfile.TemporaryFile("w+") as request:
        json.dump(clauses, request)
        request.seek(0)
        seconds = deadline - time.perf_counter()
        if seconds <= 0:
            return None
        limit = [] if seconds == float("inf") else [str(seconds)]
        with subprocess.Popen(
            [sys.executable, "-P", str(PROCESS), *limit],
            stdin=request,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,  # Ctrl-C is for us, who end it
        ) as process:
            answered = _answer_of(process, stop)
    if answered is None:
        return None
    out, err = answered
    if process.returncode == -signal.SIGALRM:
        return None
    if process.returncode:
        last = (err.strip().splitlines() or [f"status {process.returncode}"])[-1]
        raise InputError(f"cadical: its process ended: {last}")
    found: dict[str, Any] = json.loads(out)
    return found


def _answer_of(process: subprocess.Popen[str], stop: threading.Event) -> tuple[str, str] | None:
    """Output and errors of `process` when it has ended; None if `stop` ended it."""
    try:
        while True:
            try:
                return process.communicate(timeout=WAKE_SECONDS)
            except subprocess.TimeoutExpired:
                if stop.is_set():
                    return None
    finally:
        process.kill()
