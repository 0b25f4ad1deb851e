"""Bounds of what rules return, looked at by kernels before it is an index.

A kernel notes the first value beyond its bound, gives the playout up and goes on within its arrays;
`refuse_broken` says it afterwards. Arrays that rules write are checked under `NESTOR_CHECK=1` only.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import called
from solver.compiling.memory import unshared_zeros
from solver.contract.domain import Limits
from solver.contract.rules import Moves
from solver.errors import LimitsError

Broken = npt.NDArray[np.int64]
"""int64[3]: which bound is broken, 0 for none, the value that breaks it, and the bound."""

BOUND, VALUE, MOST = range(3)
NONE_BROKEN, MOVES, STEPS, CHOICES, CODES, PLAYERS, ROWS, FAR_CODES = range(8)
_COMPLAINTS = {
    MOVES: "legal_moves returned {value} moves, Limits.moves is {most}",
    STEPS: "a playout had {value} steps or more, Limits.steps is {most}",
    CHOICES: "a playout had {value} moves to choose from, Limits.choices is {most}",
    CODES: "code returned {value}, Limits.codes is {most}",
    FAR_CODES: "code returned a number below 0 or far beyond Limits.codes, which is {most}",
    PLAYERS: "player returned {value}, there are {most} players, from 0",
    ROWS: "prior_code returned {value}, the prior has {most} rows",
}
#: Moves that fit behind those of a state: few rules list so many more than they may.
MOVES_BEYOND = 4096


def new_broken() -> Broken:
    """Allocate a note of a bound that is not broken."""
    return unshared_zeros((3,), np.int64)


def new_moves(limits: Limits) -> Moves:
    """Allocate the array that `legal_moves` writes, int64[moves].

    Memory behind it is free for `MOVES_BEYOND` more, so that rules that list too many are still
    there to be told so.
    """
    moves = max(limits.moves, 1)
    return unshared_zeros((moves + MOVES_BEYOND,), np.int64)[:moves]


@called
def note_broken(broken: Broken, bound: int, value: int, most: int) -> None:
    """Note `value`, which is beyond `most`, unless something was noted before."""
    if broken[BOUND] == NONE_BROKEN:
        broken[BOUND] = bound
        broken[VALUE] = value
        broken[MOST] = most


def refuse_broken(broken: Broken) -> None:
    """Raise a `LimitsError` if a bound is broken, which is then forgotten."""
    bound, value, most = broken.tolist()
    broken[:] = 0
    if bound != NONE_BROKEN:
        raise LimitsError(_COMPLAINTS[bound].format(value=value, most=most))
