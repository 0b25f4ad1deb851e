"""Budget of a search."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from solver.algorithms.run import MAX_RUN_PLAYOUTS
from solver.errors import FieldError, quoted


@dataclass(frozen=True)
class Budget:
    """Limits of a search; the first that is reached ends it. None means no limit.

    One playout is made however short the time is.

    Parameters
    ----------
    playouts : int, optional
        Playouts of all runs and threads together, 2^62 at most.
    seconds : float, optional
        Seconds of the wall clock.

    Raises
    ------
    InputError
        If a limit is no number, or not positive, or more playouts than kernels count.
    """

    playouts: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        kinds: dict[str, tuple[Any, str]]
        kinds = {"playouts": (Integral, "a whole number"), "seconds": (Real, "a number")}
        for name, (kind, expected) in kinds.items():
            limit = getattr(self, name)
            if limit is not None and (not isinstance(limit, kind) or isinstance(limit, bool)):
                raise FieldError(name, f"is {quoted(limit)}, expected {expected}")
            if limit is not None and not limit > 0:
                raise FieldError(name, f"is {quoted(limit)}, expected more than 0")
        longest, most = sys.float_info.max, MAX_RUN_PLAYOUTS
        if self.seconds is not None and longest < self.seconds < np.inf:  # a whole number
            raise FieldError("seconds", f"is {quoted(self.seconds)}, expected {longest} at most")
        if self.playouts is not None and self.playouts > most:
            raise FieldError("playouts", f"is {quoted(self.playouts)}, expected {most} at most")

    def limits(self) -> dict[str, float | None]:
        """Return the limits by name, for JSON: None for no limit and for infinite seconds."""
        seconds = None if self.seconds == np.inf else self.seconds
        return {"playouts": self.playouts, "seconds": seconds}
