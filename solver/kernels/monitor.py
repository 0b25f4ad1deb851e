"""Monitor of a running search: its progress, and every improvement."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import inlined
from solver.kernels.bounds import Broken, new_broken

PLAYOUTS, IMPROVEMENTS, LONGEST = 0, 1, 2  # counters of a monitor
TRACE_LENGTH = 1024


class Monitor(NamedTuple):
    """Progress of one run; kernels write it, Python reads it between calls."""

    counters: npt.NDArray[np.int64]
    """int64[3]: playouts so far, improvements so far, dead ends allowed in a longer playout."""
    trace_playouts: npt.NDArray[np.int64]
    """int64[TRACE_LENGTH]: number of the playout of each improvement, from 1."""
    trace_score: npt.NDArray[np.float64]
    """float64[TRACE_LENGTH]: its score. A full trace replaces its last entry."""
    broken: Broken
    """int64[3]: a bound that the rules broke."""


def new_monitor() -> Monitor:
    """Allocate a monitor of a run that has not begun."""
    playouts, scores = np.zeros(TRACE_LENGTH, np.int64), np.zeros(TRACE_LENGTH)
    return Monitor(np.zeros(3, np.int64), playouts, scores, new_broken())


@inlined
def best_score(monitor: Monitor) -> float:
    """Best score so far, -inf before the first playout."""
    improvements = monitor.counters[IMPROVEMENTS]
    return float(monitor.trace_score[improvements - 1]) if improvements > 0 else -np.inf


@inlined
def note_improvement(monitor: Monitor, score: float) -> None:
    """Add the score of the playout just made to the trace."""
    place = min(monitor.counters[IMPROVEMENTS], TRACE_LENGTH - 1)
    monitor.trace_playouts[place] = monitor.counters[PLAYOUTS]
    monitor.trace_score[place] = score
    monitor.counters[IMPROVEMENTS] = place + 1
