"""Plain Python versions, written from the papers alone, of what the kernels do.

Slow and simple on purpose: recursion, dictionaries, policies that are copied,
moves that are generated again by Adapt.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from solver.compiling.random import Stream
from solver.contract import rules as contract
from solver.contract.domain import Puzzle

MASK = (1 << 64) - 1

Weights = dict[int, float]


def rotate_left(x: int, bits: int) -> int:
    return ((x << bits) | (x >> (64 - bits))) & MASK


def xoshiro256pp(state: list[int]) -> int:
    """The next output of xoshiro256++, after the C code of Blackman and Vigna (2021)."""
    result = (rotate_left((state[0] + state[3]) & MASK, 23) + state[0]) & MASK
    t = (state[1] << 17) & MASK
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= t
    state[3] = rotate_left(state[3], 45)
    return result


def uniform(stream: Stream) -> float:
    """A number in [0, 1) from the 53 high bits; consumes `stream` (uint64[4])."""
    state = [int(word) for word in stream]
    bits = xoshiro256pp(state)
    stream[:] = state
    return (bits >> 11) * 2.0**-53


def choose(o: list[float], z: float, stream: Stream) -> int:
    """An index with probability o[index] / z; consumes `stream`."""
    left = uniform(stream) * z
    for index, mass in enumerate(o):
        left -= mass
        if left < 0.0:
            return index
    return len(o) - 1


class StopSearch(Exception):  # noqa: N818 - control flow, not an error
    """All playouts are made."""


class ReferenceGnrpa:
    """GNRPA from the pseudo-code of paper 'gnrpa': Algorithms 3, 4 and 5.

    `bias` gives β of a move. `dead_ends` is no part of the paper: so many terminal
    states below `target` are left again, for another move of the last decision
    that has one; twice as many as ever before each time that all so far are four times that.
    Nor are `playouts_per_adapt` (stabilized NRPA), `repetitions` (limited repetitions),
    `warm_start` and `shaping`. Before every playout, `watch` is called, with the
    policies and best sequences in `policies` and `best`, both by level.
    """

    def __init__(
        self,
        domain: Puzzle,
        instance: Any,
        stream: Stream,
        *,
        iterations: int,
        alpha: float,
        temperature: float,
        bias: Callable[[Any, int], float] = lambda state, move: 0.0,
        dead_ends: int = 0,
        target: float = math.inf,
        playouts_per_adapt: int = 1,
        repetitions: int = 0,
        warm_start: bool = False,
        shaping: bool = False,
    ) -> None:
        self.domain = domain
        self.instance = instance
        self.state = domain.new_state(instance)
        self.stream = stream
        self.iterations = iterations
        self.alpha = alpha
        self.temperature = temperature
        self.bias = bias
        self.dead_ends = dead_ends
        self.target = target
        self.playouts_per_adapt = playouts_per_adapt
        self.repetitions = repetitions
        self.warm_start = warm_start
        self.shaping = shaping
        self.buffer = np.zeros(domain.limits(instance).moves, np.int64)
        self.policies: dict[int, Weights] = {}
        self.best: dict[int, tuple[float, list[int]]] = {}
        self.overall: tuple[float, list[int]] = (-math.inf, [])  # of all playouts, by score
        self.start = self.overall  # the same, with the score that levels compare
        self.playouts: list[tuple[float, list[int]]] = []
        self.terminals = 0  # dead ends included
        self.longest = dead_ends

    def moves(self) -> list[int]:
        n = contract.legal_moves(self.instance, self.state, self.stream, self.buffer)
        return [int(move) for move in self.buffer[:n]]

    def code(self, move: int) -> int:
        return int(contract.code(self.instance, self.state, move))

    def o(self, policy: Weights, move: int) -> float:
        logit = policy.get(self.code(move), 0.0) / self.temperature
        return math.exp(logit + self.bias(self.state, move))

    def copied(self, source: Any) -> Any:
        target = self.domain.new_state(self.instance)
        contract.copy_state(self.instance, source, target)
        return target

    def pick(self, untried: Weights) -> int:
        """Take a move out of `untried`, with a probability proportional to its o."""
        z = 0.0
        for mass in untried.values():
            z += mass
        moves = list(untried)
        move = moves[choose(list(untried.values()), z, self.stream)]
        del untried[move]
        return move

    def playout(self, policy: Weights) -> tuple[float, list[int]]:
        """Algorithm 4; a state with one possible move leaves nothing to choose."""
        sequence: list[int] = []
        decisions: list[tuple[Any, int, Weights]] = []  # state, length of the sequence, untried
        met, allowed = 0, self.dead_ends
        if allowed and self.terminals >= 4 * 2 * self.longest:
            allowed = self.longest = 2 * self.longest
        contract.reset(self.instance, self.state)
        while True:
            moves = self.moves()
            if len(moves) > 1:
                untried = {move: self.o(policy, move) for move in moves}
                decisions.append((self.copied(self.state), len(sequence), untried))
                move = self.pick(untried)
            elif moves:
                move = moves[0]
            else:
                met += 1
                score = float(contract.score(self.instance, self.state))
                while decisions and not decisions[-1][2]:
                    decisions.pop()
                if met > allowed or score >= self.target or not decisions:
                    self.terminals += met
                    return self.note(score, sequence), sequence
                before, length, untried = decisions[-1]
                contract.copy_state(self.instance, before, self.state)
                del sequence[length:]
                move = self.pick(untried)
            contract.play(self.instance, self.state, move)
            sequence.append(move)

    def note(self, score: float, sequence: list[int]) -> float:
        """Keep a playout that ends in the state; returns the score that levels compare."""
        self.playouts.append((score, sequence))
        shaped = score
        if self.shaping:
            shaped = float(contract.shaped_score(self.instance, self.state, score))
        if score > self.overall[0]:
            self.overall = (score, sequence)
            self.start = (shaped, sequence)
        return shaped

    def adapt(self, policy: Weights, sequence: list[int]) -> Weights:
        """Algorithm 5, with the logit of section 4: w / τ + β (line 7 prints (w + β) / τ)."""
        polp = dict(policy)
        contract.reset(self.instance, self.state)
        for b in sequence:
            moves = self.moves()
            o = {move: self.o(policy, move) for move in moves}
            z = sum(o.values())
            for m in moves:
                delta = 1.0 if m == b else 0.0
                polp[self.code(m)] = polp.get(self.code(m), 0.0) - self.alpha / self.temperature * (
                    o[m] / z - delta
                )
            contract.play(self.instance, self.state, b)
        return polp

    def nested(
        self, level: int, policy: Weights, start: tuple[float, list[int]] = (-math.inf, [])
    ) -> tuple[float, list[int]]:
        """Algorithm 3, and what later papers added to it."""
        if level == 0:
            self.watch()
            return self.playout(policy)
        self.best[level] = start
        self.policies[level] = dict(policy)
        repeated = 0
        for _ in range(self.iterations):
            for _ in range(self.playouts_per_adapt if level == 1 else 1):
                result, new = self.nested(level - 1, self.policies[level])
                if (result, new) == self.best[level]:
                    repeated += 1
                elif result >= self.best[level][0]:
                    self.best[level] = (result, new)
                    repeated = 0
            self.policies[level] = self.adapt(self.policies[level], self.best[level][1])
            if self.repetitions and repeated >= self.repetitions:
                break
        return self.best[level]

    def watch(self) -> None:
        """Look at the search before a playout; raise `StopSearch` to end it."""

    def run(self, level: int, initial: Weights | None = None) -> None:
        """Restart `nested` until `watch` raises `StopSearch`."""
        with np.errstate(over="ignore"), contextlib.suppress(StopSearch):
            while True:
                start = self.start if self.warm_start else (-math.inf, [])
                self.nested(level, initial or {}, start)


def adapt_batch(
    policy: npt.NDArray[np.float64],
    decisions: list[tuple[list[int], list[float], int]],
    alpha: float,
    temperature: float,
) -> npt.NDArray[np.float64]:
    """Algorithm 5 on (codes of the possible moves, β of each, index played)."""
    polp = policy.copy()
    for codes, biases, b in decisions:
        pairs = zip(codes, biases, strict=True)
        o = [math.exp(policy[code] / temperature + bias) for code, bias in pairs]
        z = sum(o)
        for m, code in enumerate(codes):
            polp[code] -= alpha / temperature * (o[m] / z - (m == b))
    return polp
