"""Policies: a weight per code, and the exponential of it that playouts multiply.

Codes are interned once per search to dense slots, so that a policy is a row of
floats that one copy duplicates, and all levels share one look-up. Dense codes
are their own slots; 64-bit hashes go through an open-addressing table that
`grow_policy` enlarges between playouts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import inlined, kernel

EMPTY = np.int32(-1)
PLAYED = 1  # row of the policy of level 1, that of playouts
#: Weights beyond it count as this: exp stays finite, products with a bias too.
MAX_EXPONENT = 300.0
#: Recorded for codes below 0 and all above it.
NO_SLOT = np.uint64(0xFFFFFFFF)
#: Slots from here on are recorded for codes below 0, or far beyond all.
FAR = np.uint32(1 << 31)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


class NoPolicy(NamedTuple):
    """Absence of a policy: moves are weighed by the prior alone."""

    unused: int = 0


class Policy(NamedTuple):
    """One policy per row, for dense codes or hashed ones."""

    weight: npt.NDArray[np.float64]
    """float64[rows, slots]."""
    odds: npt.NDArray[np.float64]
    """float64[rows, slots]: exp(weight / temperature). With dense codes float64[rows, slots + 1]:
    the last is nan, where codes beyond all are looked up."""
    key: npt.NDArray[np.int64]
    """int64[2**k]: interned codes by hash; empty array for dense codes."""
    slot: npt.NDArray[np.int32]
    """int32[2**k]: their slots, `EMPTY` where there is none."""
    code: npt.NDArray[np.int64]
    """int64[slots]: interned codes by slot; empty array for dense codes."""
    used: npt.NDArray[np.int64]
    """int64[1]: slots in use."""
    first: npt.NDArray[np.int32]
    """int32[slots]: scratch of adapt, `EMPTY` between two of them."""


def new_policy(rows: int, codes: int, room: int) -> Policy:
    """Allocate policies of weight 0.

    Parameters
    ----------
    rows : int
        Number of policies.
    codes : int
        Number of dense codes, 0 if codes are hashes.
    room : int
        Slots that must be free before a playout of hashed codes.
    """
    slots = codes or 4 * room
    table = 0 if codes else 1 << (2 * slots - 1).bit_length()
    odds = np.ones((rows, slots + (codes > 0)))
    odds[:, slots:] = np.nan
    return Policy(
        weight=np.zeros((rows, slots)),
        odds=odds,
        key=np.zeros(table, np.int64),
        slot=np.full(table, EMPTY, np.int32),
        code=np.zeros(0 if codes else slots, np.int64),
        used=np.array([codes], np.int64),
        first=np.full(slots, EMPTY, np.int32),
    )


@inlined
def _hash(code: int, mask: int) -> int:
    mixed = np.uint64(np.int64(code)) * _GOLDEN
    return int(mixed >> np.uint64(20)) & mask


@inlined
def intern(policy: Policy, code: int) -> int:
    """Slot of `code`, a new one if it was never seen; whether it is one is for `breaks_codes`."""
    if len(policy.key) == 0:
        return int(np.int64(min(np.uint64(np.int64(code)), NO_SLOT)))
    mask = len(policy.key) - 1
    place = _hash(code, mask)
    while policy.slot[place] != EMPTY:
        if policy.key[place] == code:
            return int(policy.slot[place])
        place = (place + 1) & mask
    slot = policy.used[0]
    policy.key[place] = code
    policy.slot[place] = slot
    policy.code[slot] = code
    policy.used[0] = slot + 1
    return int(slot)


@inlined
def has_room(policy: Policy, room: int) -> bool:
    """Return whether the policy has room for a playout that meets `room` new codes."""
    return len(policy.key) == 0 or policy.used[0] + room <= policy.weight.shape[1]


@kernel
def _intern_all(policy: Policy, codes: npt.NDArray[np.int64]) -> None:
    for code in codes:
        intern(policy, code)


def grow_policy(policy: Policy) -> Policy:
    """Return the same policies with room for twice as many hashed codes."""
    rows, slots = policy.weight.shape
    bigger = new_policy(rows, 0, slots // 2)
    bigger.weight[:, :slots] = policy.weight
    bigger.odds[:, :slots] = policy.odds
    _intern_all(bigger, policy.code[: policy.used[0]])
    return bigger


@inlined
def copy_policy(policy: Policy, source: int, target: int) -> None:
    """Copy the slots in use of row `source` to row `target`."""
    for slot in range(policy.used[0]):
        policy.weight[target, slot] = policy.weight[source, slot]
        policy.odds[target, slot] = policy.odds[source, slot]


@inlined
def odds_of_weight(weight: float, temperature: float) -> float:
    """exp(weight / temperature), kept within exp(+-`MAX_EXPONENT`)."""
    return float(np.exp(min(max(weight / temperature, -MAX_EXPONENT), MAX_EXPONENT)))
