"""Fit of a prior to the decisions of replayed solutions; light, for `learn --help`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from solver.errors import InputError
from solver.system.fields import Range, check_fields

#: Default of options that another choice gives a value.
CHOSEN = {"default": "chosen on held-out instances"}


@dataclass(frozen=True)
class FitPlan:
    """Fit of the weights of a table, in place of the logarithms of its frequencies.

    Parameters
    ----------
    fit : bool
        Fit the weights of all codes together to the decisions (a conditional logit); always with
        several codes.
    l2 : float
        Penalty of the fit: weight w adds l2 / 2 w^2 to minus the log-likelihood.
    fit_from : str
        Bias table of the same codes whose weights the fit begins with.

    Raises
    ------
    InputError
        If a number is out of range, or there is a parameter of a fit without one.
    """

    fit: bool = False
    l2: Annotated[float, Range(0.0, above=True)] | None = field(default=None, metadata=CHOSEN)
    fit_from: str = ""

    def __post_init__(self) -> None:
        check_fields(self)
        if not self.fit:
            for name, given in (("l2", self.l2 is not None), ("fit-from", self.fit_from != "")):
                if given:
                    raise InputError(f"--{name} has no effect without --fit, or several codes")
