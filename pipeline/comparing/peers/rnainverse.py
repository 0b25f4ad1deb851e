"""RNAinverse, from the package ViennaRNA.

I. L. Hofacker, W. Fontana, P. F. Stadler, L. S. Bonhoeffer, M. Tacker, P. Schuster: Fast folding
and comparison of RNA secondary structures, Monatshefte für Chemie 125, 1994. An adaptive walk
over parts of the target, begun again from other sequences until one folds.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path

from pipeline.comparing.peers.peer import PeerResult
from pipeline.comparing.peers.process import ask_process
from solver.contract.domain import Problem
from solver.domains.rna.designs import RnaDesign
from solver.domains.rna.engines import ENGINES, Engine, engine_at
from solver.domains.rna.text import RnaTarget
from solver.errors import InputError

PROCESS = Path(__file__).with_name("rnainverse_process.py")


def design_rnainverse(
    problem: Problem,
    seconds: float,
    seed: int,
    stop: threading.Event,
    engine: str = "vienna2",
    celsius: float = Engine.celsius,
    dangles: int | None = None,
) -> PeerResult:
    """Design a sequence for a target; fixed bases are kept.

    Raises
    ------
    InputError
        If a constraint is no base and not N, or there is no engine.
    """
    begin = time.perf_counter()
    target: RnaTarget = problem.data
    if not target.is_simple:
        raise InputError(f"{problem.name}: rnainverse designs one structure of one strand")
    fixed = target.bases
    if other := set(fixed) - set("ACGUN"):
        raise InputError(
            f"{problem.name}: rnainverse fixes bases only, the constraint has {min(other)}"
        )
    if engine not in ENGINES:
        raise InputError(f"engine is {engine}, expected one that folds, for rnainverse")
    chosen = ENGINES[engine]
    request = {
        "parameters": chosen.parameters,
        "dangles": chosen.dangles if dangles is None else dangles,
        "celsius": celsius,
        "target": target.structure,
        "fixed": fixed,
        "seed": seed,
    }
    found = ask_process(PROCESS, request, begin + seconds, stop)
    if found is None:
        return PeerResult(None, time.perf_counter() - begin, interrupted=stop.is_set())
    judge = engine_at(engine, celsius, dangles)
    return PeerResult(RnaDesign(found["sequence"], judge), found["seconds"])
