"""GNRPA with bias weights against plain Python written from the formula, and against GNRPA."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pytest

from solver.algorithms import AS_PUBLISHED, BiasGnrpa, Gnrpa
from solver.compiling.random import new_stream
from solver.contract import rules as contract
from solver.domains import load_domain
from solver.errors import InputError
from solver.kernels.monitor import PLAYOUTS
from solver.priors.priors import NoPrior
from solver.searching.driver import Budget, search
from solver.testing import check_algorithm
from tests.helpers import (
    advance,
    begun,
    moves_of_record,
    playouts_of,
    random_prior,
    same_search,
    toy,
    weights_of_codes,
)
from tests.instances import problems
from tests.reference import ReferenceGnrpa, StopSearch, Weights
from tests.toys.sequence import LAST, Sequence, SequenceDomain, SequenceState

DOMAIN = SequenceDomain()
TEXT = "..3...0.1"


class StepPrior(NamedTuple):
    """A prior made by hand: values near the one before."""

    scale: float


@contract.odds.register(StepPrior)
def _step_odds(prior: StepPrior, instance: Sequence, state: SequenceState, move: int) -> float:
    return math.exp(-prior.scale * abs(move - state.scalars[LAST]))


PAIRS = random_prior(DOMAIN.priors["pair"], seed=1)
OTHERS = random_prior(DOMAIN.priors["pair"], seed=2, scale=0.5)
PRIORS = {
    "table": [PAIRS],
    "handmade": [StepPrior(0.3)],
    "two": [PAIRS, OTHERS],
    "three": [PAIRS, StepPrior(0.2), OTHERS],
}


def joint(parts: list[Any]) -> Any:
    return parts[0] if len(parts) == 1 else contract.Product(parts[0], joint(parts[1:]))


class ReferenceBiasGnrpa(ReferenceGnrpa):
    """The formula as it is printed: the weight of bias number j is that of code -1 - j."""

    def __init__(
        self, algorithm: BiasGnrpa, instance: Any, parts: list[Any], seed: int, playouts: int
    ) -> None:
        super().__init__(
            DOMAIN, instance, new_stream(seed), iterations=algorithm.iterations,
            alpha=algorithm.alpha, temperature=algorithm.temperature,
            dead_ends=algorithm.dead_ends, playouts_per_adapt=algorithm.playouts_per_adapt,
            repetitions=algorithm.repetitions, warm_start=algorithm.warm_start,
            shaping=algorithm.shaping,
        )  # fmt: skip
        self.rate, self.parts, self.limit = algorithm.bias_rate, parts, playouts
        self.seen: dict[int, dict[int, Weights]] = {}
        self.run(algorithm.level, {-1 - j: 1.0 for j in range(len(parts))})

    def watch(self) -> None:
        self.seen[self.terminals] = self.policies.copy()
        if self.terminals >= self.limit:
            raise StopSearch

    def biases(self, move: int) -> list[float]:
        return [math.log(contract.odds(p, self.instance, self.state, move)) for p in self.parts]

    def o(self, policy: Weights, move: int) -> float:
        biased = sum(policy[-1 - j] * beta for j, beta in enumerate(self.biases(move)))
        return math.exp(policy.get(self.code(move), 0.0) / self.temperature + biased)

    def adapt(self, policy: Weights, sequence: list[int]) -> Weights:
        polp = super().adapt(policy, sequence)
        gain, spread = np.zeros(len(self.parts)), np.zeros(len(self.parts))
        contract.reset(self.instance, self.state)
        for b in sequence:
            moves = self.moves()
            o = np.array([self.o(policy, move) for move in moves])
            beta = np.array([self.biases(move) for move in moves])
            gain += beta[moves.index(b)] - o @ beta / o.sum()
            spread += beta.var(axis=0)
            contract.play(self.instance, self.state, b)
        for j, step in enumerate(self.rate * gain / spread):
            polp[-1 - j] += step
        return polp


def algorithm_of(**given: Any) -> BiasGnrpa:
    defaults = {"level": 2, "iterations": 6, "bias_rate": 0.2, **AS_PUBLISHED}
    return BiasGnrpa(**{**defaults, **given})


def assert_equals_reference(algorithm: BiasGnrpa, instance: Any, parts: list[Any]) -> None:
    """Every playout, the policy and the weights of biases of each level are the reference's."""
    reference = ReferenceBiasGnrpa(algorithm, instance, parts, seed=4, playouts=80)
    run = begun(algorithm, DOMAIN, instance, joint(parts), seed=4)
    for _, moves in reference.playouts:
        written = run.row_of[0]
        policies = reference.seen[int(run.monitor.counters[PLAYOUTS])]
        for level in range(1, algorithm.level + 1) if run.levels.done[1] >= 0 else ():
            for code, weight in weights_of_codes(run.policy.plain, level).items():
                assert weight == pytest.approx(policies[level][code], rel=1e-9, abs=1e-9)
            biased = [policies[level][-1 - j] for j in range(len(parts))]
            assert run.policy.weight[level].tolist() == pytest.approx(biased, rel=1e-9)
        advance(run, int(run.monitor.counters[PLAYOUTS]) + 1)
        assert moves_of_record(run, written) == moves
    assert abs(run.policy.weight[1] - 1.0).max() > 0.01  # they have moved


@pytest.mark.parametrize("hashed", [False, True], ids=["dense", "hashed"])
@pytest.mark.parametrize("prior", PRIORS)
def test_priors_of_parts_equal_reference(prior: str, hashed: bool) -> None:
    """Tables of one code and of several and a prior made by hand, with restarts."""
    algorithm = algorithm_of(temperature=0.8)
    assert_equals_reference(algorithm, toy(TEXT, hashed=hashed), PRIORS[prior])


@pytest.mark.parametrize(
    "options",
    [
        {"level": 1, "iterations": 22},
        {"level": 3, "iterations": 4},
        {"alpha": 0.5, "temperature": 1.4, "bias_rate": 1.0},
        {"playouts_per_adapt": 3, "repetitions": 2},
        {"warm_start": True, "repetitions": 3, "shaping": True},
        {"dead_ends": 3},
    ],
    ids=str,
)
def test_options_equal_reference(options: dict[str, Any]) -> None:
    """The options of GNRPA mean what they mean there."""
    assert_equals_reference(algorithm_of(**options), toy(TEXT), PRIORS["two"])


@pytest.mark.parametrize("prior", [joint(PRIORS["two"]), NoPrior()], ids=["prior", "none"])
def test_nothing_to_learn_is_gnrpa(prior: Any) -> None:
    """At rate 0, and without a prior at any rate, it is GNRPA byte for byte."""
    plain = Gnrpa(level=2, iterations=20, **AS_PUBLISHED)
    rates = [0.0, 0.3] if isinstance(prior, NoPrior) else [0.0]
    for rate in rates:
        biased = BiasGnrpa(level=2, iterations=20, bias_rate=rate, **AS_PUBLISHED)
        one, other = (
            search(DOMAIN, toy(TEXT), algorithm, Budget(playouts=900), seed=3, prior=prior)
            for algorithm in (plain, biased)
        )
        assert same_search(one, other)


def test_the_scale_of_a_bias_does_not_matter_to_its_steps() -> None:
    """A table of twice the bias with half the weight plays the same, before and after a step."""
    parts = [PAIRS, OTHERS]
    one = begun(algorithm_of(iterations=30), DOMAIN, toy(TEXT), joint(parts), seed=1)
    squared = [type(PAIRS)(table.table**2) for table in parts]
    two = begun(algorithm_of(iterations=30), DOMAIN, toy(TEXT), joint(squared), seed=1)
    two.policy.weight[:] = 0.5
    assert playouts_of(one, 25) == playouts_of(two, 25)
    assert two.policy.weight[:3] * 2 == pytest.approx(one.policy.weight[:3])


def test_pauses_and_threads_change_nothing() -> None:
    """Also on Latin squares, which back out of dead ends, with a prior of several codes."""
    squares = load_domain("latin-square")
    square = problems("latin-square")["order-05-stuck"]
    check_algorithm(algorithm_of(iterations=9), squares, [square])
    instance = squares.instance(square, squares.options())
    prior = joint([random_prior(squares.priors[name], seed=1) for name in ("triple", "belief")])
    algorithm = algorithm_of(iterations=9, dead_ends=30)
    alone, beside = (
        search(squares, instance, algorithm, Budget(playouts=500), seed=2, threads=n, prior=prior)
        for n in (1, 2)
    )
    assert same_search(alone, beside)
    at_once, one_by_one = (
        begun(algorithm, DOMAIN, toy(TEXT), joint(PRIORS["two"]), seed=2) for _ in range(2)
    )
    advance(at_once, 200)
    for playouts in range(1, 201):
        advance(one_by_one, playouts)
    assert np.array_equal(at_once.policy.weight, one_by_one.policy.weight)
    assert np.array_equal(at_once.policy.plain.weight, one_by_one.policy.plain.weight)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"bias_rate": -1.0}, "bias_rate is -1.0, expected 0 or more"),
        ({"layered": True}, "bias-gnrpa has no layered, use gnrpa"),
        ({"local_search": True}, "bias-gnrpa has no local search, use gnrpa"),
    ],
)
def test_parameters_are_validated(parameters: dict[str, Any], message: str) -> None:
    """A parameter out of range is refused with its name and value."""
    with pytest.raises(InputError, match=f"^{message}$"):
        BiasGnrpa(**parameters)
