"""Beam NRPA in plain Python, from paper 'beam-nrpa', Algorithm 3."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tests.reference import ReferenceGnrpa, StopSearch, Weights


class Kept(NamedTuple):
    """A sequence in a beam."""

    score: float
    moves: list[int]
    policy: Weights
    new: bool = False


NOTHING: tuple[float, list[int]] = (-math.inf, [])


def apart(one: list[int], other: list[int]) -> int:
    """Steps at which two sequences differ."""
    pairs = zip(one, other, strict=False)
    return sum(a != b for a, b in pairs) + abs(len(one) - len(other))


class ReferenceBeam(ReferenceGnrpa):
    """Algorithm 3, with the additions of `ReferenceGnrpa`; `alike` rejects for diversity."""

    def __init__(
        self,
        *given: Any,
        widths: tuple[int, ...],
        alike: Callable[[Kept, Kept], bool],
        keep_adapting: bool,
        limit: int,
        **parameters: Any,
    ) -> None:
        super().__init__(*given, **parameters)
        self.widths = widths
        self.alike = alike
        self.keep_adapting = keep_adapting
        self.limit = limit

    def watch(self) -> None:
        if self.terminals >= self.limit:
            raise StopSearch

    def below(self, level: int, policy: Weights) -> list[tuple[float, list[int]]]:
        """Return the sequences of the level below, the best last."""
        if level == 1:
            results = []
            for _ in range(self.playouts_per_adapt):
                self.watch()
                results.append(self.playout(policy))
            return results
        kept = self.beam(level - 1, policy)
        return [(k.score, k.moves) for k in reversed(kept) if k.score > -math.inf]

    def beam(
        self, level: int, policy: Weights, start: tuple[float, list[int]] = NOTHING
    ) -> list[Kept]:
        """Sequences of a search of `level`, the best first."""
        beam = [Kept(*start, policy)]
        best, repeated = start, 0
        for _ in range(self.iterations):
            pool = list(beam)
            for member in beam:
                results = self.below(level, member.policy)
                for result in results:
                    if result == best:
                        repeated += 1
                    elif result[0] >= best[0]:
                        repeated = 0
                    if result[0] >= best[0]:
                        best = result
                if level == 1:  # of the playouts with one policy the best
                    results = [max(reversed(results), key=lambda result: result[0])]
                pool += [Kept(*result, member.policy, new=True) for result in results]
            beam = self.chosen(level, pool)
            if self.repetitions and repeated >= self.repetitions:
                break
        return beam

    def chosen(self, level: int, pool: list[Kept]) -> list[Kept]:
        """The best of the pool that are not alike, of equal ones the newest; adapted."""
        best = sorted(enumerate(pool), key=lambda item: (item[1].score, item[0]), reverse=True)
        beam: list[Kept] = []
        for _, kept in best:
            if len(beam) < self.widths[level - 1] and not any(self.alike(kept, k) for k in beam):
                beam.append(kept)
        return [
            Kept(k.score, k.moves, self.adapt(k.policy, k.moves))
            if k.new or self.keep_adapting
            else k
            for k in beam
        ]

    def run(self, level: int, initial: Weights | None = None) -> None:
        with np.errstate(over="ignore"), contextlib.suppress(StopSearch):
            while True:
                start = self.overall if self.warm_start else NOTHING
                self.beam(level, initial or {}, start)
