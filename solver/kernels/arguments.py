"""Arguments of every kernel, in four tuples: a task, parameters, a workspace and a course.

The parameters, and what a workspace holds besides, are a kernel's own. A part of a search that
can be left out has a class for each case: kernels are compiled for the classes of their
arguments, so what is `Off` is not compiled at all.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from solver.compiling.random import Stream
from solver.contract.rules import odds
from solver.kernels.monitor import Monitor


class Off(NamedTuple):
    """A part of a search that is left out."""

    unused: int = 0


@odds.register(Off)
def _all_alike(prior: Off, instance: Any, state: Any, move: int) -> float:
    return 1.0


class On(NamedTuple):
    """A part of a search that is compiled in."""

    unused: int = 0


class Task(NamedTuple):
    """Search problem of a kernel: instance, state and prior."""

    instance: Any
    state: Any
    """Scratch: where the search is."""
    prior: Any


class Course(NamedTuple):
    """Stream, monitor and limits of a search."""

    stream: Stream
    """uint64[4], consumed."""
    monitor: Monitor
    target: float
    """Score at which a search ends, inf for none."""
    max_playouts: int
    """Looked at between playouts, the count of `monitor` beyond which a kernel returns."""
    run_playouts: int
    """Never exceeded: one playout that backs out of dead ends may count several."""
