"""Evaluation of a new prior against the current one; light, for `learn --help`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from solver.algorithms import known_algorithms
from solver.errors import FieldError, quoted
from solver.system.fields import Range, check_fields

#: Margins that fit doublings of the playouts, and shares of the score.
DOUBLINGS_MARGIN, SHARE_MARGIN = 0.25, 0.02
#: The same for points of a game.
POINTS_MARGIN = 0.05
#: Larger ones would let any table pass.
MOST_DOUBLINGS, MOST_SHARE = 1.0, 0.1


@dataclass(frozen=True)
class EvaluationPlan:
    """Evaluation of a candidate against the prior in use.

    Parameters
    ----------
    held_out : int
        Held-out instances, or games.
    held_out_playouts : int
        Playouts of each search, of games of each move.
    held_out_algorithm : str
        Algorithm that searches with both priors.
    held_out_set : str
        Further held-out instances: what differs from those learned from, as order=40,holes=0.42.
    margin : float
        The candidate is not worse if the interval of its mean gain begins above minus this:
        in doublings of the playouts to a solution, at most 1, as a share of the score, at most
        0.1, or in points of a game.

    Raises
    ------
    InputError
        If a number is out of range or there is no such algorithm.
    """

    held_out: Annotated[int, Range(2)] = 200
    held_out_playouts: Annotated[int, Range(1)] = 4096
    held_out_algorithm: str = "gnrpa"
    held_out_set: str = ""
    margin: Annotated[float, Range(0, MOST_DOUBLINGS)] = DOUBLINGS_MARGIN

    def __post_init__(self) -> None:
        check_fields(self)
        take_priors = [name for name, one in known_algorithms().items() if one.takes_prior]
        if self.held_out_algorithm not in take_priors:
            allowed = ", ".join(take_priors)
            given = quoted(self.held_out_algorithm)
            raise FieldError("held_out_algorithm", f"is {given}, expected one of: {allowed}")
        self.held_out_parameters()

    def held_out_parameters(self) -> dict[str, str]:
        """Return the parameters in `held_out_set`, by name.

        Raises
        ------
        InputError
            If it is no list of such.
        """
        return parameters_in(self.held_out_set, "held-out-set")


def parameters_in(changes: str, option: str) -> dict[str, str]:
    """Return the parameters in `changes`, by name, which `option` has given.

    Raises
    ------
    InputError
        If it is no list of such.
    """
    found: dict[str, str] = {}
    for word in filter(None, changes.split(",")):
        name, equals, value = word.partition("=")
        if not (name and equals and value) or name in found:
            expected = "expected NAME=VALUE,... , each name once"
            raise FieldError(option.replace("-", "_"), f"is {quoted(changes)}, {expected}")
        found[name] = value
    return found
