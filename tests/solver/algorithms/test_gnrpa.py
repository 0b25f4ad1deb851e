"""GNRPA against a plain reference written from the pseudo-code of paper 'gnrpa'."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pytest

from solver.algorithms import Gnrpa, Sampling
from solver.compiling.random import new_stream
from solver.contract import rules as contract
from solver.contract.domain import Puzzle
from solver.domains.latin_square.domain import LatinSquareDomain
from solver.domains.latin_square.kernels import LatinSquareOptions
from solver.kernels.monitor import IMPROVEMENTS, PLAYOUTS
from solver.kernels.policy import MAX_EXPONENT
from solver.priors.priors import NoPrior
from tests.helpers import (
    advance,
    begun,
    gnrpa,
    moves_of_record,
    playouts_of,
    random_prior,
    toy,
    weights_of_codes,
)
from tests.instances import problems
from tests.reference import ReferenceGnrpa, StopSearch, Weights
from tests.toys.sequence import SequenceDomain, hash_of

Best = dict[int, tuple[float, list[int]]]


@dataclass
class Setting:
    """Settings shared by a search of the kernel and one of the reference."""

    domain: Puzzle
    instance: Any
    prior: Any
    level: int
    iterations: int
    alpha: float = 1.0
    temperature: float = 1.0
    seed: int = 0
    dead_ends: int = 0
    playouts_per_adapt: int = 1
    repetitions: int = 0
    warm_start: bool = False
    local_search: bool = False
    shaping: bool = False


class Watched(ReferenceGnrpa):
    """A reference that ends after `playouts` and keeps what it looked like before each."""

    def __init__(self, setting: Setting, playouts: int) -> None:
        def bias(state: Any, move: int) -> float:
            return math.log(contract.odds(setting.prior, setting.instance, state, move))

        super().__init__(
            setting.domain, setting.instance, new_stream(setting.seed),
            iterations=setting.iterations, alpha=setting.alpha,
            temperature=setting.temperature, bias=bias, dead_ends=setting.dead_ends,
            playouts_per_adapt=setting.playouts_per_adapt, repetitions=setting.repetitions,
            warm_start=setting.warm_start, shaping=setting.shaping,
        )  # fmt: skip
        self.limit = playouts
        self.seen: dict[int, tuple[dict[int, Weights], Best]] = {}
        self.run(setting.level)

    def watch(self) -> None:
        self.seen[self.terminals] = (self.policies.copy(), self.best.copy())
        if self.terminals >= self.limit:
            raise StopSearch


def kernel_run(setting: Setting) -> Any:
    known = {field.name for field in fields(Setting)}
    names = [field.name for field in fields(Gnrpa) if field.name in known]
    parameters = {name: getattr(setting, name) for name in names}
    algorithm = Gnrpa(**parameters)
    return begun(algorithm, setting.domain, setting.instance, setting.prior, setting.seed)


def best_of(run: Any, level: int) -> tuple[float, list[int]]:
    """Score that counts, and moves, of the best of `level`, none if it has just begun."""
    row = run.row_of[level]
    score = float(run.records.shaped[row])
    return score, [] if score == -math.inf else moves_of_record(run, row)


def pauses(playouts: int) -> Iterator[int]:
    """Odd slices: 1, 3, 5, 1, 3, 5, ... playouts further each time."""
    at = 0
    while at < playouts:
        at = min(at + (1, 3, 5)[at % 3], playouts)
        yield at


def assert_equals_reference(setting: Setting, playouts: int) -> Watched:
    """Pause the kernel again and again: policies, bests and the trace are the reference's."""
    reference = Watched(setting, playouts)
    run = kernel_run(setting)
    run.target = np.inf  # a solved Latin square ends a search; here more is compared
    for pause in pauses(playouts):
        advance(run, pause)
        at = int(run.monitor.counters[PLAYOUTS])
        assert at == pause or setting.dead_ends
        policies, best = reference.seen[at]
        for level in range(1, setting.level + 1):
            assert best_of(run, level) == best[level], f"level {level} after {at} playouts"
            expected = {code: weight for code, weight in policies[level].items() if weight}
            weights = weights_of_codes(run.policy, level)
            for code in {*expected, *weights}:
                assert weights.get(code, 0.0) == pytest.approx(
                    expected.get(code, 0.0), rel=1e-9, abs=1e-9
                ), f"code {code} of level {level} after {at} playouts"
    scores = np.array([score for score, _ in reference.playouts])
    best_so_far = np.maximum.accumulate(scores)
    improvements = np.flatnonzero(np.diff(best_so_far, prepend=-np.inf) > 0)
    length = len(improvements)
    assert run.monitor.counters[IMPROVEMENTS] == length
    assert run.monitor.trace_score[:length].tolist() == scores[improvements].tolist()
    if not setting.dead_ends:
        assert run.monitor.trace_playouts[:length].tolist() == (improvements + 1).tolist()
    assert run.best()[0] == scores.max()
    assert (run.best()[0], run.best()[1].tolist()) in reference.playouts
    return reference


def toy_setting(hashed: bool = False, prior: bool = True, **given: Any) -> Setting:
    domain = SequenceDomain()
    table = random_prior(domain.priors["pair"], seed=1) if prior else NoPrior()
    return Setting(domain, toy("..3...0.1", hashed=hashed), table, **given)


@pytest.mark.parametrize("prior", [False, True], ids=["no-prior", "prior"])
@pytest.mark.parametrize("hashed", [False, True], ids=["dense", "hashed"])
@pytest.mark.parametrize(("level", "iterations"), [(1, 30), (2, 8), (3, 4)])
def test_nested_search_equals_reference(
    level: int, iterations: int, hashed: bool, prior: bool
) -> None:
    """Counters instead of recursion, paused anywhere, with restarts: same bests and weights."""
    setting = toy_setting(hashed, prior, level=level, iterations=iterations, temperature=0.8)
    reference = assert_equals_reference(setting, int(2.4 * iterations**level))
    scores = [score for score, _ in reference.playouts]
    assert min(scores) < 0 < max(scores)  # dead ends and complete sequences were met


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("alpha", "temperature"), [(0.3, 1.0), (1.0, 1.4), (3.0, 0.5)])
def test_learning_rate_and_temperature(alpha: float, temperature: float, seed: int) -> None:
    """The reference is followed for other learning rates, temperatures and seeds."""
    setting = toy_setting(level=2, iterations=6, alpha=alpha, temperature=temperature, seed=seed)
    assert_equals_reference(setting, 80)


@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize(
    "added",
    [
        {"playouts_per_adapt": 3},
        {"repetitions": 1},
        {"repetitions": 3, "alpha": 3.0},
        {"warm_start": True},
        {"shaping": True},
        {"shaping": True, "warm_start": True},
        {"playouts_per_adapt": 2, "repetitions": 2, "warm_start": True, "alpha": 2.0},
    ],
    ids=str,
)
def test_what_later_papers_added_equals_reference(level: int, added: dict[str, Any]) -> None:
    """Several playouts an adapt, limited repetitions, warm starts and shaped scores."""
    iterations = 6 if level < 3 else 5
    setting = toy_setting(level=level, iterations=iterations, **added)
    plain = toy_setting(level=level, iterations=iterations, alpha=setting.alpha)
    playouts = (7 if level < 3 else 2) * iterations**level
    reference = assert_equals_reference(setting, playouts)
    assert reference.playouts != Watched(plain, playouts).playouts  # it matters here


@pytest.mark.parametrize("propagation", ["channeling", "forward"])
@pytest.mark.parametrize("prior", ["none", "belief"])
def test_latin_square_equals_reference(propagation: Any, prior: str) -> None:
    """The reference is followed on a domain with propagation and moves of many sets."""
    domain = LatinSquareDomain()
    problem = domain.parse("\n".join([". . . . . ."] * 6), "empty")[0]
    options = LatinSquareOptions(propagation=propagation, ties="first")
    table = NoPrior() if prior == "none" else random_prior(domain.priors[prior], seed=2)
    setting = Setting(domain, domain.instance(problem, options), table, level=2, iterations=4)
    assert_equals_reference(setting, 24)


@pytest.mark.parametrize("dead_ends", [1, 3, 1000])
def test_backing_out_equals_reference(dead_ends: int) -> None:
    """Playouts that back out of dead ends go on as if from a copy of the state."""
    setting = toy_setting(level=2, iterations=5, dead_ends=dead_ends)
    reference = assert_equals_reference(setting, 120)
    assert reference.terminals > len(reference.playouts)


def test_backing_out_of_latin_squares_equals_reference() -> None:
    """Undoing moves of an unsolvable square leads to the states that were copied."""
    domain = LatinSquareDomain()
    problem = problems("latin-square")["order-05-stuck"]
    instance = domain.instance(problem, LatinSquareOptions(ties="first"))
    setting = Setting(domain, instance, NoPrior(), level=2, iterations=4, dead_ends=3)
    reference = assert_equals_reference(setting, 40)
    assert reference.terminals > len(reference.playouts)


def test_playouts_equal_reference() -> None:
    """Every single playout, not only the best ones, has the moves of the reference."""
    setting = toy_setting(level=2, iterations=9)
    made = playouts_of(kernel_run(setting), 100)
    assert made == [moves for _, moves in Watched(setting, 100).playouts]


def test_sampling_equals_playouts_with_a_policy_of_zeros() -> None:
    """Sampling makes the playouts that a search with N = 1 makes before it has adapted."""
    setting = toy_setting(level=1, iterations=1)
    run = begun(Sampling(), setting.domain, setting.instance, setting.prior, seed=0)
    assert playouts_of(run, 50) == [moves for _, moves in Watched(setting, 50).playouts]


@pytest.mark.parametrize("level", [1, 2, 3])
def test_pauses_change_nothing(level: int) -> None:
    """One call, a call per playout, and repeated calls without work lead to the same arrays."""
    playouts = 70
    at_once, one_by_one = (kernel_run(toy_setting(level=level, iterations=4)) for _ in range(2))
    advance(at_once, playouts)
    for at in range(playouts + 1):
        advance(one_by_one, at)
        advance(one_by_one, at)
    assert at_once.monitor.counters.tolist() == one_by_one.monitor.counters.tolist()
    for name in ("row_of", "stream"):
        assert np.array_equal(getattr(at_once, name), getattr(one_by_one, name)), name
    assert np.array_equal(at_once.levels.done, one_by_one.levels.done)
    assert np.array_equal(at_once.policy.weight, one_by_one.policy.weight)
    assert np.array_equal(at_once.records.score, one_by_one.records.score)


def test_a_run_begins_afresh() -> None:
    """A run that was used makes the same playouts as a new one when it begins again."""
    for hashed in (False, True):
        setting = toy_setting(hashed, level=2, iterations=5)
        used, new = kernel_run(setting), kernel_run(setting)
        used.begin(new_stream(99))
        advance(used, 61)
        used.begin(new_stream(setting.seed))
        assert playouts_of(used, 61) == playouts_of(new, 61)
        assert used.best()[0] == new.best()[0]
        assert used.best()[1].tolist() == new.best()[1].tolist()


def test_dense_and_hashed_codes_search_alike() -> None:
    """Interning changes nothing: same playouts and weights while the hashed table grows."""
    long = "." * 40
    domain = SequenceDomain()
    settings = [
        Setting(domain, toy(long, hashed=hashed), NoPrior(), level=2, iterations=20)
        for hashed in (False, True)
    ]
    dense, hashed = (kernel_run(setting) for setting in settings)
    slots = hashed.policy.weight.shape[1]
    assert playouts_of(dense, 1000) == playouts_of(hashed, 1000)
    assert hashed.policy.weight.shape[1] >= 2 * slots
    for level in (1, 2):
        weights = weights_of_codes(dense.policy, level)
        assert len(weights) > 100
        assert weights_of_codes(hashed.policy, level) == {
            hash_of(code): weight for code, weight in weights.items()
        }


def test_extreme_weights_stay_finite() -> None:
    """A huge learning rate over a tiny temperature gives no infinity and no nan."""
    run = kernel_run(toy_setting(level=2, iterations=50, alpha=1000.0, temperature=0.01))
    advance(run, 400)
    assert np.abs(run.policy.weight).max() / 0.01 > MAX_EXPONENT
    assert np.isfinite(run.policy.weight).all()
    assert np.isfinite(run.policy.odds[:, :-1]).all()
    assert run.policy.odds[:, :-1].min() > 0.0


def test_search_learns() -> None:
    """GNRPA finds the known best sequence of a toy, sampling does not."""
    domain = SequenceDomain()
    instance = toy("." * 12, seed=4, rewards=10)
    best = np.full(9, 0.0)
    for step in range(11, -1, -1):
        value = instance.reward[step] + best[None, :8]
        value[np.arange(8), np.arange(8)] = -np.inf  # neighbours differ
        best = np.append(value.max(axis=1), 0.0)[:9]
    optimum = best[8]
    scores = {}
    for algorithm in (gnrpa(2, 60), Sampling()):
        run = begun(algorithm, domain, instance, NoPrior(), seed=0)
        advance(run, 3600)
        scores[algorithm.name] = run.best()[0]
    assert scores["sampling"] < scores["gnrpa"] <= optimum
    assert scores["gnrpa"] >= 0.95 * optimum
