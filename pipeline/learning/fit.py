"""Fit of a prior's weights to decisions: a conditional logit with an L2 penalty.

The sum over decisions is one of integers, so that the weights are the same bytes whatever the cut
into files, their order and the number of threads.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pipeline.learning.blocks import Blocks
from pipeline.learning.minimum import minimum
from solver.kernels.likelihood import ONE, Block, add_gradient
from solver.system.files import replacing

Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]

#: Curvature of a row for each time it was possible, about p (1 - p).
CURVATURE = 0.2
#: A fit ends when the gradient in each weight, in units of its curvature's root, is less than this
#: share of the root of the number of decisions: far below what chance does to it.
TOLERANCE = 1e-5
#: Passes over the decisions after which it ends in any case.
MOST_PASSES = 1000
#: Bound of the logarithm of a move's odds while weights are sought.
MAX_LOG = 300.0


class Fitted(NamedTuple):
    """Weights of the rows seen, and the way to them."""

    weights: Floats
    """float64[rows seen]."""
    passes: int
    """Passes over the decisions."""
    converged: bool


@dataclass(frozen=True)
class Fit:
    """Fits of one prior to one set of decisions.

    Parameters
    ----------
    folder : Path, optional
        Where finished fits are kept, under names of what they depend on: a run that was cut short
        does not make them again.
    """

    blocks: Blocks
    threads: int = 1
    folder: Path | None = None

    def weights(
        self,
        parts: Sequence[str],
        l2: float,
        start: Floats | None = None,
        free: npt.NDArray[np.bool_] | None = None,
    ) -> Fitted:
        """Fit to the decisions of some parts of the instances.

        Parameters
        ----------
        l2 : float
            Weight w adds l2 / 2 w^2 to minus the log-likelihood, more than 0.
        start : float64[rows seen], optional
            Weights to begin with.
        free : bool[rows seen], optional
            Weights to fit, the others are 0; by default all.
        """
        n_rows = self.blocks.n_rows
        start = np.zeros(n_rows) if start is None else start
        free = np.ones(n_rows, np.bool_) if free is None else free
        name = _digest(repr((sorted(parts), l2)).encode(), start.tobytes(), free.tobytes())
        path = None if self.folder is None else self.folder / f"{name}.npz"
        if path is not None and path.exists():
            with np.load(path) as kept:
                return Fitted(kept["weights"], int(kept["passes"]), bool(kept["converged"]))
        fitted = self._fit(parts, l2, start, free)
        if path is not None:
            with replacing(path) as temporary, temporary.open("wb") as file:
                np.savez_compressed(file, **fitted._asdict())
        return fitted

    def _fit(
        self, parts: Sequence[str], l2: float, start: Floats, free: npt.NDArray[np.bool_]
    ) -> Fitted:
        decisions, possible = self._times(parts)
        # Rows that are met often have a large curvature: in these units all are of one size.
        unit = 1.0 / np.sqrt(l2 + CURVATURE * possible[free])

        def weights_of(scaled: Floats) -> Floats:
            weights = np.zeros(len(free))
            weights[free] = unit * scaled
            return weights

        def value_and_gradient(scaled: Floats) -> tuple[float, Floats]:
            weights = weights_of(scaled)
            loss, gradient = self.one_pass(parts, weights)
            penalty = 0.5 * l2 * float(np.sum(weights * weights))
            return loss + penalty, unit * (gradient + l2 * weights)[free]

        tolerance = TOLERANCE * float(np.sqrt(max(decisions, 1)))
        found = minimum(value_and_gradient, start[free] / unit, tolerance, MOST_PASSES)
        return Fitted(weights_of(found.x), found.evaluations, found.converged)

    def _times(self, parts: Sequence[str]) -> tuple[int, Floats]:
        """Number of decisions, and how often each row was possible, float64[rows seen]."""
        decisions, possible = 0, np.zeros(self.blocks.n_rows, np.int64)
        for block in self.blocks.of(parts):
            decisions += int(block.times.sum())
            times = np.repeat(block.times, np.diff(block.end))
            for rows in block.rows.T:
                np.add.at(possible, rows, times)
        return decisions, possible.astype(np.float64)

    def one_pass(self, parts: Sequence[str], weights: Floats) -> tuple[float, Floats]:
        """Minus the log-likelihood of `weights`, and its gradient, float64[rows seen]."""
        loss, gradient = 0, np.zeros(len(weights), np.int64)
        odds = odds_of(weights, len(self.blocks.code.singles))
        for some_loss, some_gradient in _mapped(self.blocks.of(parts), odds, self.threads):
            loss += some_loss
            gradient += some_gradient
        return loss / ONE, gradient / ONE


def odds_of(weights: Floats, codes: int) -> Floats:
    """Odds of rows, of which a move has one for each of `codes`."""
    return np.exp(np.clip(weights, -MAX_LOG / codes, MAX_LOG / codes))


def _mapped(blocks: Iterable[Block], odds: Floats, threads: int) -> Iterable[tuple[int, Int64s]]:
    """Sums over each block, a few blocks ahead: they may be read from files."""

    def sums(block: Block) -> tuple[int, Int64s]:
        loss, gradient = np.zeros(1, np.int64), np.zeros(len(odds), np.int64)
        add_gradient(block, odds, new_scratch(block), loss, gradient)
        return int(loss[0]), gradient

    if threads == 1:
        yield from map(sums, blocks)
        return
    with ThreadPoolExecutor(threads) as pool:
        waiting = []
        for block in blocks:
            waiting.append(pool.submit(sums, block))
            if len(waiting) > threads:
                yield waiting.pop(0).result()
        for future in waiting:
            yield future.result()


def new_scratch(block: Block) -> Floats:
    """Room for the moves of any decision of `block`."""
    return np.zeros(int(np.diff(block.end).max(initial=1)))


def _digest(*contents: bytes) -> str:
    return hashlib.sha256(b"\n".join(contents)).hexdigest()[:16]
