"""The equivalences of paper 'gnrpa', section 4.2, as exact tests."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from solver.priors.priors import NoPrior
from tests.helpers import begun, gnrpa, playouts_of, random_prior, toy
from tests.toys.sequence import WIDTH, SequenceDomain

PLAYOUTS = 130
TEXT = "..3....0"


def run_of(alpha: float, temperature: float, prior: Any, seed: int) -> Any:
    algorithm = gnrpa(2, 8, alpha, temperature)
    return begun(algorithm, SequenceDomain(), toy(TEXT), prior, seed)


def set_initial(run: Any, weights: Any, temperature: float) -> None:
    """Set the policy that every search starts from, w0 in the paper."""
    top = run.parameters.levels.level + 1
    run.policy.weight[top] = weights
    run.policy.odds[top, :-1] = np.exp(weights / temperature)


def w0() -> Any:
    return np.random.default_rng(8).normal(0.0, 0.5, len(TEXT) * (WIDTH + 1) * WIDTH)


def bias_by_code(prior: Any) -> Any:
    """β by dense policy code: the toy's prior depends on the value before and the value."""
    return np.tile(np.log(prior.table), len(TEXT))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("tau1", "tau2"), [(1.0, 1.4), (2.0, 0.7), (1.0, 0.5)])
def test_temperature_and_learning_rate_replace_each_other(
    tau1: float, tau2: float, seed: int
) -> None:
    """(α1, τ1) with α1 = (τ1/τ2)² α2 and w0 scaled by τ1/τ2 plays as (α2, τ2)."""
    alpha2 = 0.9
    prior = random_prior(SequenceDomain.priors["pair"], seed=3)
    one = run_of((tau1 / tau2) ** 2 * alpha2, tau1, prior, seed)
    two = run_of(alpha2, tau2, prior, seed)
    set_initial(one, tau1 / tau2 * w0(), tau1)
    set_initial(two, w0(), tau2)
    assert playouts_of(one, PLAYOUTS) == playouts_of(two, PLAYOUTS)
    assert one.policy.weight == pytest.approx(tau1 / tau2 * two.policy.weight, abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("tau", [1.0, 0.6, 1.4])
def test_bias_equals_initial_weights(tau: float, seed: int) -> None:
    """Without bias but with w0 = τβ the same sequences are played; weights differ by τβ."""
    prior = random_prior(SequenceDomain.priors["pair"], seed=5)
    biased = run_of(1.1, tau, prior, seed)
    weighted = run_of(1.1, tau, NoPrior(), seed)
    bias = bias_by_code(prior)
    set_initial(weighted, tau * bias, tau)
    assert playouts_of(biased, PLAYOUTS) == playouts_of(weighted, PLAYOUTS)
    assert weighted.policy.weight[1:] == pytest.approx(
        biased.policy.weight[1:] + tau * bias, abs=1e-9
    )


def test_the_equivalences_are_not_trivial() -> None:
    """Another learning rate, another temperature or no bias plays other sequences."""
    prior = random_prior(SequenceDomain.priors["pair"], seed=5)
    played = [
        playouts_of(run_of(alpha, tau, given, seed=0), PLAYOUTS)
        for alpha, tau, given in [
            (1.0, 1.0, prior), (2.0, 1.0, prior), (1.0, 1.4, prior), (1.0, 1.0, NoPrior()),
        ]
    ]  # fmt: skip
    assert all(one != two for i, one in enumerate(played) for two in played[:i])


def test_a_constant_bias_changes_nothing() -> None:
    """The softmax only sees differences between biases."""
    rows = SequenceDomain.priors["pair"].rows
    constant = SequenceDomain.priors["pair"].table_class(np.full(rows, math.exp(2.5)))
    one, two = run_of(1.0, 1.0, constant, seed=1), run_of(1.0, 1.0, NoPrior(), seed=1)
    assert playouts_of(one, PLAYOUTS) == playouts_of(two, PLAYOUTS)
    assert one.policy.weight == pytest.approx(two.policy.weight, abs=1e-9)
