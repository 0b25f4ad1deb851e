from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from solver.compiling.jit import kernel
from solver.kernels.policy import (
    MAX_EXPONENT,
    copy_policy,
    grow_policy,
    has_room,
    intern,
    new_policy,
    odds_of_weight,
)
from tests.helpers import slots_of_codes

CODE = st.integers(-(2**63), 2**63 - 1)


@kernel
def intern_all(policy: Any, codes: Any, slots: Any) -> None:
    for index in range(len(codes)):
        slots[index] = intern(policy, codes[index])


def interned(policy: Any, codes: list[int]) -> list[int]:
    slots = np.full(len(codes), -1, np.int64)
    intern_all(policy, np.array(codes, np.int64), slots)
    return [int(slot) for slot in slots]


@given(st.lists(CODE | st.integers(-3, 3), max_size=200))
def test_codes_get_slots_in_the_order_they_are_seen(codes: list[int]) -> None:
    """Equal codes share a slot, different ones do not; 0 and negative codes are codes."""
    policy = new_policy(2, 0, 50)
    first_seen = {code: slot for slot, code in enumerate(dict.fromkeys(codes))}
    assert interned(policy, codes) == [first_seen[code] for code in codes]
    assert int(policy.used[0]) == len(first_seen)
    assert slots_of_codes(policy) == first_seen


def test_codes_that_collide_stay_apart() -> None:
    """Codes that all hash to the same place are told apart, around the end of the table too."""
    policy = new_policy(1, 0, 4)
    assert len(policy.key) == 32
    inverse = pow(0x9E3779B97F4A7C15, -1, 2**64)
    # The place is bits 20 ... 24 of code * factor: all ones, the last of the table.
    products = [(31 << 20) | (high << 25) for high in range(16)]
    codes = [(product * inverse + 2**63) % 2**64 - 2**63 for product in products]
    assert interned(policy, codes * 2) == list(range(16)) * 2
    assert (policy.slot[31], policy.slot[0]) == (0, 1)


def test_dense_codes_are_slots() -> None:
    """Dense codes are not interned, there is room for them; the odds of no code are nan."""
    policy = new_policy(2, 10, 1000)
    assert interned(policy, [7, 0, 9]) == [7, 0, 9]
    assert policy.weight.shape == (2, 10)
    assert np.isnan(policy.odds).tolist() == [[False] * 10 + [True]] * 2
    assert int(policy.used[0]) == 10
    assert has_room(policy, 1000)


def test_room_runs_out() -> None:
    """There is room for a playout until fewer slots are free than it may need."""
    policy = new_policy(1, 0, 5)
    free = policy.weight.shape[1]
    interned(policy, list(range(free - 5)))
    assert has_room(policy, 5)
    interned(policy, [free])
    assert not has_room(policy, 5)


@given(
    codes=st.lists(CODE, min_size=1, max_size=20, unique=True),
    others=st.lists(CODE, min_size=1, max_size=20),
)
def test_growing_keeps_codes_and_weights(codes: list[int], others: list[int]) -> None:
    """A policy that has grown has the same slots and weights, zeros beyond, and twice the room."""
    policy = new_policy(3, 0, 5)
    slots = interned(policy, codes)
    policy.weight[:, slots] = np.arange(3 * len(slots)).reshape(3, -1)
    policy.odds[:, slots] = np.exp(policy.weight[:, slots] / 10)
    bigger = grow_policy(policy)
    assert bigger.weight.shape == (3, 2 * policy.weight.shape[1])
    assert int(bigger.used[0]) == len(codes)
    assert len(bigger.key) >= 2 * bigger.weight.shape[1]
    assert interned(bigger, codes) == slots
    assert np.array_equal(bigger.weight[:, slots], policy.weight[:, slots])
    assert np.array_equal(bigger.odds[:, slots], policy.odds[:, slots])
    new = [slot for slot in interned(bigger, others) if slot >= len(codes)]
    assert not bigger.weight[:, new].any()
    assert (bigger.odds[:, new] == 1.0).all()


def test_copy_is_of_the_slots_in_use() -> None:
    """Copying takes weights and odds of the codes seen so far and leaves other rows alone."""
    policy = new_policy(3, 0, 5)
    slots = interned(policy, [11, 22, 33])
    policy.weight[1, slots], policy.odds[1, slots] = [1.0, 2.0, 3.0], [4.0, 5.0, 6.0]
    copy_policy(policy, 1, 2)
    assert policy.weight[2, slots].tolist() == [1.0, 2.0, 3.0]
    assert policy.odds[2, slots].tolist() == [4.0, 5.0, 6.0]
    assert not policy.weight[0].any()
    assert (policy.odds[0] == 1.0).all()


def test_odds_are_capped() -> None:
    """exp(weight / temperature) is finite and positive for every weight."""
    assert odds_of_weight(3.0, 2.0) == np.exp(1.5)
    assert odds_of_weight(1e9, 0.1) == np.exp(MAX_EXPONENT) < np.inf
    assert odds_of_weight(-1e9, 0.1) == np.exp(-MAX_EXPONENT) > 0.0
