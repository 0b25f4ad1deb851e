"""Choices of a decision: each once, by weight, also those of weight 0."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from solver.compiling.jit import kernel
from solver.compiling.random import new_stream
from solver.contract.domain import Limits
from solver.kernels.choices import choose, new_choices, open_decision, weight_left
from solver.kernels.nested.adapt import share_of


@kernel
def choose_all(choices: Any, weights: Any, stream: Any, chosen: Any) -> None:
    """Open a decision of these weights and choose until nothing is left."""
    open_decision(choices, 0, len(weights))
    for index in range(len(weights)):
        choices.weight[index] = weights[index]
    for index in range(len(weights)):
        chosen[index] = choose(choices, 0, weight_left(choices, 0), stream)


@pytest.mark.parametrize("weights", [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0, 0.0], [0.5, 0.0, 2.0, 0.0]])
def test_each_move_is_chosen_once(weights: list[float]) -> None:
    """Those of weight 0 come last: a prior that gives odds of 0 proves nothing impossible."""
    n = len(weights)
    choices = new_choices(Limits(steps=1, moves=n, choices=n, codes=n))
    chosen = np.full(n, -1, np.int64)
    for seed in range(20):
        choose_all(choices, np.array(weights), new_stream(seed), chosen)
        assert sorted(chosen.tolist()) == list(range(n))
        positive = sum(weight > 0.0 for weight in weights)
        assert all(weights[index] > 0.0 for index in chosen[:positive].tolist())
        assert choices.left[0] == 0


def test_shares_of_nothing_are_alike() -> None:
    """No weight becomes nan if all odds are 0; else a share is odds by total."""
    assert share_of(0.0, 0.0, 4) == 0.25
    assert share_of(1.0, 4.0, 3) == 0.25
    assert np.isnan(share_of(np.nan, np.nan, 2))
