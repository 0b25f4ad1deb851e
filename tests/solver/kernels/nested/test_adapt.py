from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.compiling.jit import kernel
from solver.contract.domain import Limits
from solver.kernels.nested.adapt import adapt, adapt_layers
from solver.kernels.policy import Policy, new_policy
from solver.kernels.records import Records, new_records
from tests.reference import adapt_batch

CODES = 6
LEVEL, ROW = 1, 2

adapt_kernel, adapt_layers_kernel = kernel(adapt), kernel(adapt_layers)

Decisions = list[tuple[list[int], list[float], int]]


@st.composite
def decisions(draw: st.DrawFn) -> Decisions:
    """Decisions whose moves share codes, within a decision and between decisions."""
    made = []
    for _ in range(draw(st.integers(0, 6))):
        codes = draw(st.lists(st.integers(0, CODES - 1), min_size=2, max_size=5))
        biases = draw(st.lists(st.floats(-5.0, 5.0), min_size=len(codes), max_size=len(codes)))
        made.append((codes, biases, draw(st.integers(0, len(codes) - 1))))
    return made


def recorded(made: Decisions) -> Records:
    """The record of a playout that met these decisions."""
    choices = sum(len(codes) for codes, _, _ in made)
    records = new_records(3, Limits(len(made), 5, choices, CODES))
    end = 0
    for number, (codes, biases, played) in enumerate(made):
        records.slot[ROW, end : end + len(codes)] = codes
        records.odds[ROW, end : end + len(codes)] = np.exp(biases)
        records.chosen[ROW, number] = played
        end += len(codes)
        records.end[ROW, number + 1] = end
    records.decisions[ROW] = len(made)
    return records


def policy_of(weights: list[float], temperature: float) -> Policy:
    policy = new_policy(3, CODES, 1)
    policy.weight[LEVEL] = weights
    policy.odds[LEVEL, :CODES] = np.exp(policy.weight[LEVEL] / temperature)
    return policy


@given(
    made=decisions(),
    weights=st.lists(st.floats(-3.0, 3.0), min_size=CODES, max_size=CODES),
    alpha=st.floats(0.01, 4.0),
    temperature=st.floats(0.3, 3.0),
)
def test_optimised_adapt_equals_plain_adapt(
    made: Decisions, weights: list[float], alpha: float, temperature: float
) -> None:
    """Algorithm 6, without a copy of the policy, gives the weights of Algorithm 5."""
    policy = policy_of(weights, temperature)
    records = recorded(made)
    probability = np.zeros(records.slot.shape[1])
    adapt_kernel(policy, LEVEL, records, ROW, alpha, temperature, probability)
    expected = adapt_batch(np.array(weights), made, alpha, temperature)
    assert policy.weight[LEVEL] == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert policy.odds[LEVEL, :CODES] == pytest.approx(np.exp(policy.weight[LEVEL] / temperature))
    others = [row for row in range(3) if row != LEVEL]
    assert not policy.weight[others].any()
    assert (policy.odds[others, :CODES] == 1.0).all()


@given(
    made=decisions(),
    weights=st.lists(st.floats(-3.0, 3.0), min_size=CODES, max_size=CODES),
    temperature=st.floats(0.3, 3.0),
)
def test_layers_are_decisions_made_as_soon_as_they_can_be(
    made: Decisions, weights: list[float], temperature: float
) -> None:
    """A step for each layer is one for each decision, made where its code was listed first."""
    earlier = []
    for codes, _, played in made:
        code = codes[played]
        first = next(decision for decision in made if code in decision[0])
        earlier.append((first[0], first[1], first[0].index(code)))
    policy = policy_of(weights, temperature)
    records = recorded(made)
    probability, layer = np.zeros(records.slot.shape[1]), np.zeros(len(made), np.int64)
    adapt_layers_kernel(policy, LEVEL, records, ROW, 0.7, temperature, probability, layer)
    expected = adapt_batch(np.array(weights), earlier, 0.7, temperature)
    assert policy.weight[LEVEL] == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert policy.odds[LEVEL, :CODES] == pytest.approx(np.exp(policy.weight[LEVEL] / temperature))
    assert (policy.first < 0).all()


@given(made=decisions(), alpha=st.floats(0.01, 4.0), temperature=st.floats(0.3, 3.0))
def test_adapt_keeps_the_sum_of_weights(made: Decisions, alpha: float, temperature: float) -> None:
    """A gradient step moves weight from move to move: its sum over all moves is zero."""
    policy = policy_of([0.5] * CODES, temperature)
    records = recorded(made)
    probability = np.zeros(records.slot.shape[1])
    adapt_kernel(policy, LEVEL, records, ROW, alpha, temperature, probability)
    assert policy.weight[LEVEL].sum() == pytest.approx(0.5 * CODES)


def test_one_step_by_hand() -> None:
    """Two moves of odds 1 and 3, the first played, α = 1, τ = 2: ±(1 - 1/4) / 2."""
    policy = policy_of([0.0] * CODES, 2.0)
    records = recorded([([4, 1], [0.0, float(np.log(3.0))], 0)])
    adapt_kernel(policy, LEVEL, records, ROW, 1.0, 2.0, np.zeros(2))
    assert policy.weight[LEVEL] == pytest.approx([0.0, -0.375, 0.0, 0.0, 0.375, 0.0])
    assert policy.odds[LEVEL, 4] == pytest.approx(np.exp(0.375 / 2))
