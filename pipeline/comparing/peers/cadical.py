"""CaDiCaL, a clause-learning SAT solver, from the package python-sat.

A. Biere et al., CaDiCaL, Kissat, Paracooba, Plingeling and Treengeling entering the SAT
Competition 2020. There it neither keeps a time limit nor can be interrupted, and it holds the
lock of the interpreter: it runs in a process of its own, which can be ended.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pipeline.comparing.peers.exactly_one import ExactlyOne, exactly_one
from pipeline.comparing.peers.peer import PeerResult
from pipeline.comparing.peers.process import ask_process
from solver.contract.domain import Problem
from solver.kernels.complete.cadical import exactly_one_clauses

PROCESS = Path(__file__).with_name("cadical_process.py")


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
    found = ask_process(PROCESS, clauses, begin + seconds, stop)
    if found is None:
        elapsed = time.perf_counter() - begin
        return PeerResult(None, elapsed, interrupted=stop.is_set())
    if found["model"] is None:
        return PeerResult(None, encoding + found["seconds"], proved_infeasible=True)
    true = np.isin(literals, found["model"])
    return PeerResult(encoded.square(np.flatnonzero(true)), encoding + found["seconds"])


def _clauses(encoded: ExactlyOne, literals: npt.NDArray[np.int64]) -> list[list[int]]:
    """Clauses of the sets; `literals`, int64[variables], are the variables' numbers from 1."""
    sets = [literals[group].tolist() if group else [] for group in encoded.groups]
    return list(exactly_one_clauses(sets, len(literals)))
