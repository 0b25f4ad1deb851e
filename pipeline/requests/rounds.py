"""Rounds of learning, each from what the table of the last one solves; light, for `learn`."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated

from solver.algorithms import known_algorithms
from solver.errors import FieldError, InputError, quoted
from solver.system.fields import Range, check_fields


@dataclass(frozen=True)
class RoundsPlan:
    """Rounds of learning.

    Parameters
    ----------
    rounds : int
        Rounds in all; from the second one on, problems are solved by a search with the table of the
        last round, the table is learned from all answers so far, and the rounds end with the first
        table that is not better, or not worse.
    round_sets : str
        Kinds of problems from easy to hard, as in "order=25 order=30,holes=0.42": each round takes
        the hardest of which the search solves half. By default those of the first round.
    round_instances : int
        Problems of each round.
    round_algorithm : str
        Search that solves them.
    round_playouts : int
        Its playouts on each.

    Raises
    ------
    InputError
        If a number is out of range, or there is no such search.
    """

    rounds: Annotated[int, Range(1, 100)] = 1
    round_sets: str = ""
    round_instances: Annotated[int, Range(1)] = 500
    round_algorithm: str = "gnrpa"
    round_playouts: Annotated[int, Range(1)] = 20_000

    def __post_init__(self) -> None:
        check_fields(self)
        take_priors = [name for name, one in known_algorithms().items() if one.takes_prior]
        if self.round_algorithm not in take_priors:
            given, allowed = quoted(self.round_algorithm), ", ".join(take_priors)
            raise FieldError("round_algorithm", f"is {given}, expected one of: {allowed}")
        if self.rounds == 1:
            usual = {field.name: field.default for field in fields(self)}
            for name in (name for name, value in usual.items() if getattr(self, name) != value):
                raise InputError(f"--{name.replace('_', '-')} has no effect without --rounds")

    @property
    def kinds(self) -> list[str]:
        """Kinds of problems, from easy to hard; one that changes nothing if none are given."""
        return self.round_sets.split() or [""]
