"""Gaps of scores to the best known, and proofs of what no score exceeds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from solver.contract.problems import Problem

Floats = npt.NDArray[np.float64]


def relative_gap(score: Floats | float, best: Floats | float) -> Floats:
    """Share of the best known score that is missing, (best - score) / |best|.

    For a tour, whose score is minus its cost: excess of the cost over the least one. An answer
    that is not feasible has no gap: leave its score out, or take the gap as infinite.

    Parameters
    ----------
    score, best : float or float64[n]
        On the same scale, higher is better.

    Returns
    -------
    float64 or float64[n]
        Negative where `score` is above `best`. If `best` is 0: 0 for the same score, else
        infinite, with the sign of what is missing.
    """
    missing = np.asarray(best, np.float64) - score
    size = np.abs(np.asarray(best, np.float64))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(missing == 0, 0.0, missing / size)


@dataclass(frozen=True)
class Proof:
    """Finding of a proof search: what no answer can be better than, and perhaps an answer."""

    ended: bool = False
    """True if nothing is left to prove: the best answer is known, or there is none."""
    answer: Any = None
    """A feasible answer better than the best one known before; None without one."""
    promises: bool = False
    """True if more room for states may well end it."""
    infeasible: str = ""
    """Reason why no answer is feasible."""
    bound: float | None = None
    """Score that no feasible answer exceeds; None where nothing is known."""


class Prove(Protocol):
    """Search for a proof, see `Puzzle.prover`."""

    def __call__(
        self, domain: Any, problem: Problem, best: float, most: int, deadline: float
    ) -> Proof:
        """Look for a proof.

        Parameters
        ----------
        domain : Puzzle
            Under its options.
        problem : Problem
        best : float
            Score of the best answer known, feasible or not.
        most : int
            Room for states, on which the proof depends.
        deadline : float
            Of `time.perf_counter`, infinite where the result must not depend on the clock.
        """
