"""Plain Python, written from the paper alone, of nested Monte Carlo search."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from solver.compiling.random import Stream
from solver.contract import rules as contract
from solver.contract.domain import Puzzle
from tests.reference import StopSearch, choose

Result = tuple[float, list[int]]


class ReferenceNmcs:
    """Algorithm 1 of paper 'beam-nrpa', for scores to raise.

    `bias` gives β of a move. A search that begins at the end returns its score. Not in the paper:
    without `memorise` a search forgets its best sequence at every step; `shaping`; the search
    stops at `playouts`, or at the target.
    """

    def __init__(
        self,
        domain: Puzzle,
        instance: Any,
        stream: Stream,
        *,
        playouts: int,
        memorise: bool = True,
        shaping: bool = False,
        bias: Callable[[Any, int], float] = lambda state, move: 0.0,
    ) -> None:
        self.domain = domain
        self.instance = instance
        self.stream = stream
        self.most = playouts
        self.memorise = memorise
        self.shaping = shaping
        self.bias = bias
        self.target = math.inf if domain.target is None else domain.target
        self.buffer = np.zeros(domain.limits(instance).moves, np.int64)
        self.playouts: list[Result] = []
        self.finished = 0  # searches of the highest level

    def children(self, node: Any) -> list[int]:
        n = contract.legal_moves(self.instance, node, self.stream, self.buffer)
        return [int(move) for move in self.buffer[:n]]

    def child(self, node: Any, move: int) -> Any:
        made = self.domain.new_state(self.instance)
        contract.copy_state(self.instance, node, made)
        contract.play(self.instance, made, move)
        return made

    def playout(self, node: Any, before: list[int]) -> Result:
        if len(self.playouts) == self.most:
            raise StopSearch
        node, sequence = self.copied(node), []
        while moves := self.children(node):
            move = moves[0]
            if len(moves) > 1:
                o = [math.exp(self.bias(node, one)) for one in moves]
                z = 0.0
                for mass in o:
                    z += mass
                move = moves[choose(o, z, self.stream)]
            contract.play(self.instance, node, move)
            sequence.append(move)
        score = float(contract.score(self.instance, node))
        self.playouts.append((score, before + sequence))
        if score >= self.target:
            raise StopSearch
        if self.shaping:
            score = float(contract.shaped_score(self.instance, node, score))
        return score, sequence

    def copied(self, node: Any) -> Any:
        made = self.domain.new_state(self.instance)
        contract.copy_state(self.instance, node, made)
        return made

    def nested(self, level: int, node: Any, before: list[int]) -> Result:
        if level == 0:
            return self.playout(node, before)
        moves = self.children(node)
        if not moves:
            return self.playout(node, before)
        best, sequence, ply = -math.inf, [0] * 0, 0
        while moves:
            if not self.memorise:
                best = -math.inf
            for move in moves:
                path = [*before, *sequence[:ply], move]
                score, new = self.nested(level - 1, self.child(node, move), path)
                if score > best:
                    best = score
                    sequence = [*sequence[:ply], move, *new]
            node = self.child(node, sequence[ply])
            ply += 1
            moves = self.children(node)
        return best, sequence

    def run(self, level: int) -> None:
        with np.errstate(over="ignore"), contextlib.suppress(StopSearch):
            while True:
                root = self.domain.new_state(self.instance)
                contract.reset(self.instance, root)
                self.nested(level, root, [])
                self.finished += 1

    def improvements(self) -> list[tuple[int, float]]:
        """Number, from 1, and score of every playout better than all before it."""
        found: list[tuple[int, float]] = []
        for number, (score, _) in enumerate(self.playouts, start=1):
            if not found or score > found[-1][1]:
                found.append((number, score))
        return found
