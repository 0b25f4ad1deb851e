"""Moves are drawn with the probabilities of the softmax."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy import stats

from solver.algorithms import Sampling
from solver.compiling.random import new_stream
from solver.contract.domain import Limits
from solver.kernels.choices import Choices, choose, new_choices, weight_left
from solver.priors.priors import NoPrior
from tests.helpers import begun, gnrpa, playouts_of, random_prior, toy
from tests.reference import uniform
from tests.toys.sequence import WIDTH, SequenceDomain

PLAYOUTS = 8_000
LIKELY = 1e-4  # of a correct sampler, one test of 10,000 fails; the seeds are fixed
#: Too small to move a weight: a search whose policy stays as it is.
FROZEN = 1e-300


def expected_pairs(logits: Any) -> dict[tuple[int, int], float]:
    """Probability of every pair of values of the toy `..`, from logits by value before."""
    odds = np.exp(logits)
    probability = {}
    for first in range(WIDTH):
        p = odds[WIDTH, first] / odds[WIDTH].sum()
        for second in range(WIDTH):
            if second != first:
                others = odds[first].sum() - odds[first, first]
                probability[first, second] = p * odds[first, second] / others
    return probability


def p_value(run: Any, logits: Any) -> float:
    """Chi-square test of the pairs that `run` plays against those expected from `logits`."""
    counts = Counter((first, second) for first, second in playouts_of(run, PLAYOUTS))
    expected = expected_pairs(logits)
    assert set(counts) <= set(expected)
    pairs = [pair for pair, p in expected.items() if p * PLAYOUTS >= 5]
    observed = [counts[pair] for pair in pairs]
    wanted = [expected[pair] * PLAYOUTS for pair in pairs]
    rest = PLAYOUTS - sum(wanted)
    if rest > 1e-6:
        observed.append(PLAYOUTS - sum(observed))
        wanted.append(rest)
    return float(stats.chisquare(observed, wanted).pvalue)


def biases(prior: Any) -> Any:
    return np.log(prior.table).reshape(WIDTH + 1, WIDTH)


PRIOR = random_prior(SequenceDomain.priors["pair"], seed=6)


@pytest.mark.parametrize("prior", [NoPrior(), PRIOR], ids=["no-prior", "prior"])
def test_sampling_follows_the_prior(prior: Any) -> None:
    """Sampling plays moves in proportion to exp(β)."""
    run = begun(Sampling(), SequenceDomain(), toy(".."), prior, seed=11)
    logits = biases(prior) if prior is PRIOR else np.zeros((WIDTH + 1, WIDTH))
    assert p_value(run, logits) > LIKELY


@pytest.mark.parametrize("temperature", [1.0, 1.6])
def test_search_follows_policy_and_prior(temperature: float) -> None:
    """A search plays moves in proportion to exp(w/τ + β)."""
    run = begun(gnrpa(1, 10**6, FROZEN, temperature), SequenceDomain(), toy(".."), PRIOR, seed=12)
    weights = np.random.default_rng(13).normal(0.0, 1.0, (2, WIDTH + 1, WIDTH))
    run.policy.weight[2] = weights.ravel()
    run.policy.odds[2, :-1] = np.exp(weights.ravel() / temperature)
    logits = biases(PRIOR)
    logits[WIDTH] += weights[0, WIDTH] / temperature
    logits[:WIDTH] += weights[1, :WIDTH] / temperature
    assert p_value(run, logits) > LIKELY
    assert np.array_equal(run.policy.weight[1], weights.ravel())


def test_a_wrong_distribution_is_noticed() -> None:
    """The chi-square test tells the prior from a prior of half its biases."""
    run = begun(Sampling(), SequenceDomain(), toy(".."), PRIOR, seed=11)
    assert p_value(run, biases(PRIOR) / 2) < 1e-12


def test_a_step_without_alternative_draws_nothing() -> None:
    """A sequence of givens leaves the stream as it was; one hole consumes one step."""
    for algorithm in (Sampling(), gnrpa(2, 5)):
        for text, draws in (("0123", 0), ("0.23", 1)):
            run = begun(algorithm, SequenceDomain(), toy(text), NoPrior(), seed=4)
            playouts_of(run, 3)
            assert draws_between(new_stream(4), run.stream) == 3 * draws


def draws_between(stream: Any, later: Any) -> int:
    """Count the numbers drawn from `stream` until it was `later`."""
    for count in range(100):
        if np.array_equal(stream, later):
            return count
        uniform(stream)
    raise AssertionError("more than 100 draws")


def opened(weights: list[float]) -> Choices:
    """Choices with one decision between moves of these weights."""
    choices = new_choices(Limits(1, len(weights), len(weights), 0))
    choices.weight[:] = weights
    choices.end[1] = choices.left[0] = len(weights)
    return choices


def drawn(choices: Choices, stream: Any) -> int:
    """Index of a move of the first decision that is drawn."""
    return choose(choices, 0, weight_left(choices, 0), stream)


def test_choose_splits_the_unit_interval() -> None:
    """`choose` returns the index whose share of the total holds the uniform number."""
    stream = new_stream(21)
    seen = set()
    with np.errstate(over="ignore"):
        for _ in range(300):
            u = uniform(stream.copy())
            index = drawn(opened([1.0, 0.0, 2.0, 5.0]), stream)
            assert index == (0 if u < 1 / 8 else 2 if u < 3 / 8 else 3)
            seen.add(index)
    assert seen == {0, 2, 3}


def test_choosing_again_takes_another_move() -> None:
    """Every move of a decision is chosen once, whatever the weights."""
    with np.errstate(over="ignore"):
        for seed in range(50):
            choices = opened([1.0, 1e-300, 1e300, 3.0])
            stream = new_stream(seed)
            assert sorted(drawn(choices, stream) for _ in range(4)) == [0, 1, 2, 3]
            assert choices.left[0] == 0
