"""Helpers of several test modules: inspected runs, and streams."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import numpy.typing as npt
import pytest

from solver.algorithms import AS_PUBLISHED, Gnrpa, suited
from solver.compiling.random import new_stream
from solver.contract.codes import PriorCode
from solver.contract.domain import Puzzle
from solver.kernels.monitor import PLAYOUTS
from solver.kernels.policy import Policy
from solver.kernels.replay import replay_moves
from solver.kernels.status import REACHED
from solver.searching.driver import SearchResult
from tests.toys.sequence import Sequence, SequenceDomain, SequenceOptions

FOREVER = 10**15  # playouts

needs_jit = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT),  # type: ignore[attr-defined]
    reason="nothing is compiled",
)


def toy(text: str, **options: Any) -> Sequence:
    """Return the toy instance of one line of digits and dots."""
    domain = SequenceDomain()
    return domain.instance(domain.parse(text, "toy")[0], SequenceOptions(**options))


def begun(algorithm: Any, domain: Puzzle, instance: Any, prior: Any, seed: int) -> Any:
    """Return a run that has made no playout yet, with all its arrays to look at."""
    run = suited(algorithm, domain).new_run(domain, instance, prior)
    run.begin(new_stream(seed))
    return run


def random_prior(code: PriorCode, seed: int, scale: float = 1.0) -> Any:
    """Return a table prior of `code` with normally distributed biases."""
    return code.new_table(np.exp(np.random.default_rng(seed).normal(0.0, scale, code.rows)))


def slots_of_codes(policy: Policy) -> dict[int, int]:
    """Slot of every interned code of a policy of hashed codes."""
    taken = policy.slot >= 0
    return dict(zip(policy.key[taken].tolist(), policy.slot[taken].tolist(), strict=True))


def weights_of_codes(policy: Policy, row: int) -> dict[int, float]:
    """Weights that are not 0, by code."""
    if len(policy.key):
        weights = {c: float(policy.weight[row, s]) for c, s in slots_of_codes(policy).items()}
    else:
        weights = dict(enumerate(policy.weight[row].tolist()))
    return {code: weight for code, weight in weights.items() if weight}


def moves_of_record(run: Any, row: int) -> list[int]:
    """Moves of record `row`."""
    moves: npt.NDArray[np.int64] = run.records.move[row, : run.records.steps[row]]
    return [int(move) for move in moves]


def advance(run: Any, playouts: int) -> bool:
    """Go on until `run` counts `playouts`, as a slice of a run that is much longer."""
    return bool(run.advance(playouts, FOREVER) == REACHED)


def playouts_of(run: Any, playouts: int) -> list[list[int]]:
    """Make one playout after the other; return the moves of each."""
    made = []
    for _ in range(playouts):
        written = run.row_of[0]
        advance(run, int(run.monitor.counters[PLAYOUTS]) + 1)
        made.append(moves_of_record(run, written))
    return made


def same_search(one: SearchResult, two: SearchResult) -> bool:
    """True if two searches found the same in the same playouts."""
    return (
        (one.score, one.reached, one.playouts, one.moves.tolist())
        == (two.score, two.reached, two.playouts, two.moves.tolist())
        and one.trace.playouts.tolist() == two.trace.playouts.tolist()
        and one.trace.score.tolist() == two.trace.score.tolist()
    )  # fmt: skip


def assert_consistent(result: SearchResult, domain: Puzzle, instance: Any) -> None:
    """The parts of a result agree with each other and with the moves played again."""
    assert replay_moves(instance, domain.new_state(instance), result.moves) == result.score
    trace = result.trace
    assert trace.score[-1] == result.score
    assert (np.diff(trace.score) > 0).all()
    assert (np.diff(trace.playouts) > 0).all()
    assert (np.diff(trace.seconds) >= 0).all()
    assert 1 <= trace.playouts[0] <= trace.playouts[-1] <= result.playouts
    assert result.reached == (domain.target is not None and result.score >= domain.target)
    if result.reached:
        assert trace.playouts[-1] == result.playouts
        assert trace.seconds[-1] == result.seconds


def gnrpa(level: int, iterations: int, alpha: float = 1.0, temperature: float = 1.0) -> Gnrpa:
    """Shorthand."""
    return Gnrpa(level, iterations, alpha, temperature, **AS_PUBLISHED)
