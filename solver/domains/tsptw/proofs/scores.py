"""Proofs of tours for `solve`: scores in, scores out, see `solver.contract.gaps`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from solver.contract.domain import Problem
from solver.contract.gaps import Proof
from solver.domains.tsptw.penalty import scale_of
from solver.domains.tsptw.proofs.proving import Windows, prove

if TYPE_CHECKING:
    from solver.domains.tsptw.domain import TsptwDomain

#: Share of the customers that a proof has to come to, to be tried again with more room.
PROMISING = 0.25
#: Most nodes of instances of which proofs are tried: they take seconds before the first layer.
MOST_NODES = 400
NO_ORDER = "no order of the nodes keeps all windows"


def prove_tours(
    domain: TsptwDomain, problem: Problem, best: float, most: int, deadline: float
) -> Proof:
    """Prove the best tour known the best, or that none keeps all windows; or better it.

    As long as the best tour known is late, durations are what the dynamic program looks at: then
    one label for each set of customers and its last one is enough.
    """
    data = np.asarray(problem.data, np.float64)
    if len(data) > MOST_NODES:
        return Proof()
    windows = Windows.of(data)
    makespan = domain.chosen.objective == "makespan"
    scale = scale_of(data, makespan=makespan)
    is_late = best <= domain.feasible_above(problem)
    known = np.inf if is_late else -best - scale.origin
    verdict = prove(windows, known, by_time=makespan or is_late, most=most, deadline=deadline)
    promises = verdict.depth >= PROMISING
    if verdict.ended and is_late and verdict.tour is None:
        return Proof(ended=True, infeasible=NO_ORDER)
    bounds_score = (makespan or not is_late) and np.isfinite(verdict.bound)
    return Proof(
        ended=verdict.ended and (makespan or not is_late),
        answer=verdict.tour,
        promises=promises,
        bound=-verdict.bound - scale.origin if bounds_score else None,
    )
