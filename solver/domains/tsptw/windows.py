"""Windows of places, several of one as gaps inside the first and the last: sorted intervals.

An instance has a row for each node: the start of its first window, the end of its last, and the
gaps in between, each where a window ends and where the next starts. A visitor who arrives in a
gap waits for its end, as one does who arrives before the start; so bounds that know of no gaps
stay bounds.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from solver.errors import InputError

Floats = npt.NDArray[np.float64]
Intervals = Sequence[tuple[float, float]]

#: Share of a time that rounding may add to it: each leg of a tour adds 1e-16.
ROUNDING = 1e-12
#: Most that is added, for long times: legs that are to be late are so by a unit.
MOST_ROUNDING = 0.5
#: Multiples of it are added up without rounding.
EXACT_UNIT = 2.0**-20


def pack_windows(windows: Sequence[Intervals], wheres: Sequence[str]) -> Floats:
    """Return the rows of nodes whose windows are given in any order, float64[n, 2 + 2 g].

    Windows that overlap or touch are one. Nodes with fewer gaps than others have empty ones at
    their end.

    Parameters
    ----------
    windows : sequence of sequences of pairs
        Start and end of the windows of each node, one at least.
    wheres : sequence of str
        File and line of each node, for messages.

    Raises
    ------
    InputError
        If a window ends before it starts, or the depot, the first node, has several.
    """
    rows = []
    for node, (given, where) in enumerate(zip(windows, wheres, strict=True)):
        for start, end in given:
            if end < start:
                raise InputError(f"{where}: the window of node {node} ends before it starts")
        joined = _joined(sorted(given))
        if node == 0 and len(joined) > 1:
            raise InputError(f"{where}: {len(joined)} windows of the depot, expected 1")
        gaps = [bound for one, other in itertools.pairwise(joined) for bound in (one[1], other[0])]
        rows.append([joined[0][0], joined[-1][1], *gaps])
    most = max(map(len, rows), default=2)
    return np.array([row + [row[1]] * (most - len(row)) for row in rows])


def _joined(windows: Intervals) -> list[tuple[float, float]]:
    """Join sorted windows that overlap or touch."""
    joined = [windows[0]]
    for start, end in windows[1:]:
        if start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], end)
        else:
            joined.append((start, end))
    return joined


def windows_of(row: Floats) -> list[tuple[float, float]]:
    """Windows of a node from its row, float64[2 + 2 g], in order."""
    gaps = [(float(a), float(b)) for a, b in row[2:].reshape(-1, 2) if b > a]
    starts = [float(row[0]), *(end for _, end in gaps)]
    ends = [*(start for start, _ in gaps), float(row[1])]
    return list(zip(starts, ends, strict=True))


def times_of(data: Floats) -> Floats:
    """Return the windows of an instance, counted from the start of the depot's.

    Times of tours are sums of floating-point numbers: 0.1 + 0.2 is later than 0.3. So windows end
    later by what rounding may add to such a sum, unless sums are exact: of whole numbers, halves,
    quarters ...

    Parameters
    ----------
    data : float64[n, n + 2 + 2 g]
        Costs to every node, then its windows.

    Returns
    -------
    float64[n, 2 + 2 g]
        Start, end and gaps of each node.
    """
    n = len(data)
    begin = float(data[0, n])
    times: Floats = data[:, n:] - begin
    units = data / EXACT_UNIT
    if (units != np.rint(units)).any():
        ends = [1, *range(2, times.shape[1], 2)]
        of_begin = 4 * np.finfo(np.float64).eps * abs(begin)
        times[:, ends] += np.minimum(ROUNDING * np.abs(times[:, ends]) + of_begin, MOST_ROUNDING)
    return times


def opening(row: Sequence[float], time: float) -> float:
    """Return when a visitor who arrives at `time` is served, lateness left out."""
    time = max(time, row[0])
    for index in range(2, len(row), 2):
        if row[index] < time < row[index + 1]:
            time = row[index + 1]
    return time
