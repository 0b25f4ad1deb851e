"""How a new prior is held against the one in use; light, for `learn --help`."""

from __future__ import annotations

import math
from dataclasses import dataclass

from solver.algorithms import known_algorithms
from solver.errors import InputError, quoted

#: Margins that fit doublings of the playouts, and shares of the score.
DOUBLINGS_MARGIN, SHARE_MARGIN = 0.25, 0.02


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
    held_out_set : str
        Further held-out instances: what differs from those learned from, as order=40,holes=0.42.
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
    held_out_set: str = ""
    margin: float = DOUBLINGS_MARGIN

    def __post_init__(self) -> None:
        if self.held_out < 2:
            raise InputError(f"held-out is {self.held_out}, expected 2 or more")
        if self.held_out_playouts < 1:
            raise InputError(f"held-out-playouts is {self.held_out_playouts}, expected 1 or more")
        take_priors = [name for name, one in known_algorithms().items() if one.takes_prior]
        if self.held_out_algorithm not in take_priors:
            allowed = ", ".join(take_priors)
            raise InputError(
                f"held-out-algorithm is {quoted(self.held_out_algorithm)}, "
                f"expected one of: {allowed}"
            )
        if self.margin != DOUBLINGS_MARGIN and not 0 <= self.margin < math.inf:
            raise InputError(f"margin is {self.margin}, expected 0 or more")
        self.held_out_parameters()

    def held_out_parameters(self) -> dict[str, str]:
        """Return the parameters in `held_out_set`, by name.

        Raises
        ------
        InputError
            If it is no list of such.
        """
        found: dict[str, str] = {}
        for word in filter(None, self.held_out_set.split(",")):
            name, equals, value = word.partition("=")
            if not (name and equals and value) or name in found:
                raise InputError(
                    f"held-out-set is {quoted(self.held_out_set)}, expected NAME=VALUE,... , "
                    "each name once"
                )
            found[name] = value
        return found
