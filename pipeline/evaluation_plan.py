"""How a new prior is held against the one in use; light, for `learn --help`."""

from __future__ import annotations

import math
from dataclasses import dataclass

from solver.errors import InputError

#: Algorithms that search with a prior.
TAKE_PRIORS = ("sampling", "gnrpa")


@dataclass(frozen=True)
class EvaluationPlan:
    """How a candidate is held against the prior in use.

    Parameters
    ----------
    held_out : int
        Held-out instances.
    held_out_playouts : int
        Playouts of each search.
    held_out_algorithm : str
        Algorithm that searches with both priors.
    margin : float
        The candidate is not worse if the interval of its mean gain begins above minus this:
        in doublings of the playouts to a solution, or as a share of the score.

    Raises
    ------
    InputError
        If a number is out of range or there is no such algorithm.
    """

    held_out: int = 200
    held_out_playouts: int = 4096
    held_out_algorithm: str = "gnrpa"
    margin: float = 0.25

    def __post_init__(self) -> None:
        if self.held_out < 2:
            raise InputError(f"held-out is {self.held_out}, expected 2 or more")
        if self.held_out_playouts < 1:
            raise InputError(f"held-out-playouts is {self.held_out_playouts}, expected 1 or more")
        if self.held_out_algorithm not in TAKE_PRIORS:
            allowed = ", ".join(TAKE_PRIORS)
            raise InputError(
                f"held-out-algorithm is {self.held_out_algorithm!r}, expected one of: {allowed}"
            )
        if not 0 <= self.margin < math.inf:
            raise InputError(f"margin is {self.margin}, expected 0 or more")
