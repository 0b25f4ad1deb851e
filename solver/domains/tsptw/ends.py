"""Tours that end elsewhere than at the depot, as instances in which the way back is free.

An open tour ends at any customer. Where it must end at a certain node, all legs that would make it
end at another take longer than there is time. In both cases the depot's window is that of the end.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from solver.errors import InputError

Floats = npt.NDArray[np.float64]
#: Due times of so many times as long as the longest tour are cut.
FAR = 1e6


def open_ended(data: Floats) -> Floats:
    """Return the instance float64[n, n + 2 + 2 g] with free ways back from all customers."""
    opened = data.copy()
    opened[1:, 0] = 0.0
    return opened


def ending_at(data: Floats, last: int, source: str) -> Floats:
    """Return the instance in which tours in time end at node `last`.

    Raises
    ------
    InputError
        If there is no such customer.
    """
    n = len(data)
    if not 1 <= last < n:
        expected = f"expected 1 ... {n - 1}" if n > 1 else "the depot is the only node"
        raise InputError(f"{source}: no node {last} to end at, {expected}")
    ended = data.copy()
    latest = _latest(data, last)
    if _beyond(data) > FAR * (latest - data[0, n]):
        ended[:, n + 1 :] = np.minimum(data[:, n + 1 :], latest)
    too_long = _beyond(ended)
    ended[1:, 0] = ended[last, :n] = too_long
    ended[last, [0, last]] = 0.0
    return ended


def _latest(data: Floats, last: int) -> float:
    """Time by which every tour to node `last` has ended: no one waits beyond the last opening.

    A later due time changes nothing; one far later would make forbidden legs so long that sums
    with them are inexact.
    """
    n = len(data)
    legs = data[:, :n] - np.diag(data.diagonal())
    legs[1:, 0] = legs[last] = 0.0  # forbidden, or the free way back
    closes, opens = data[:, n + 2 :: 2], data[:, n + 3 :: 2]
    openings = np.hstack([data[:, n], opens[opens > closes]])
    return float(np.ceil(openings.max() + legs.max(axis=1).sum())) + 1.0


def _beyond(data: Floats) -> float:
    """Time of a leg that is late at every node."""
    n = len(data)
    return max(float(np.ceil(data[:, n + 1].max() - data[0, n])), 0.0) + 1.0


def is_open(data: Floats) -> bool:
    """Return whether the tours of an instance end elsewhere than at the depot."""
    return end_of(data) is not None


def end_of(data: Floats) -> int | None:
    """Node where the tours of an instance end, 0 for any customer; None for the depot."""
    n = len(data)
    free = np.flatnonzero(data[1:, 0] == 0) + 1
    if n > 1 and len(free) == n - 1:
        return 0
    if len(free) != 1:
        return None
    last, other = int(free[0]), np.arange(1, n) != free[0]
    too_long = np.concatenate([data[1:, 0][other], data[last, 1:n][other]]) == _beyond(data)
    return last if too_long.all() else None
