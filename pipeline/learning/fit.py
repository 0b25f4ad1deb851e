"""Fit of a prior's weights to decisions: a conditional logit with an L2 penalty.

The sum over decisions is one of integers, so that the weights are the same bytes whatever the cut
into files, their order and the number of threads or workers.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pipeline.learning.minimum import minimum
from pipeline.learning.passes import Passes
from solver.kernels.likelihood import ONE
from solver.system.files import replacing

Floats = npt.NDArray[np.float64]

#: Curvature of a row for each time it was possible, about p (1 - p).
CURVATURE = 0.2
#: A fit ends when the gradient in each weight, in units of its curvature's root, is less than this
#: share of the root of the number of decisions: far below what chance does to it.
TOLERANCE = 1e-5
#: Passes over the decisions after which it ends in any case.
MOST_PASSES = 1000
#: Decisions from which on each pass is kept until its fit is finished: it takes a second or more.
KEPT_PASSES = 1 << 20
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
        Where finished fits, and passes of unfinished ones over many decisions, are kept under names
        of what they depend on: a run that was cut short does not make them again.
    """

    passes: Passes
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
        n_rows = self.passes.n_rows
        start = np.zeros(n_rows) if start is None else start
        free = np.ones(n_rows, np.bool_) if free is None else free
        name = _digest(repr((sorted(parts), l2)).encode(), start.tobytes(), free.tobytes())
        path = None if self.folder is None else self.folder / f"{name}.npz"
        if path is not None and path.exists():
            # Damage raises whatever a part of the file can: then it is made again.
            with suppress(Exception), path.open("rb") as file, np.load(file) as kept:
                return Fitted(kept["weights"], int(kept["passes"]), bool(kept["converged"]))
        fitted = self._fit(parts, l2, start, free, name)
        if path is not None:
            with replacing(path) as temporary, temporary.open("wb") as made:
                np.savez_compressed(made, **fitted._asdict())
            for passed in path.parent.glob(f"{name}-*.npy"):
                passed.unlink()
        return fitted

    def _fit(
        self, parts: Sequence[str], l2: float, start: Floats, free: npt.NDArray[np.bool_], name: str
    ) -> Fitted:
        met = self.passes.occurrences(parts)
        # Rows that are met often have a large curvature: in these units all are of one size.
        unit = 1.0 / np.sqrt(l2 + CURVATURE * met.possible[free])

        def weights_of(scaled: Floats) -> Floats:
            weights = np.zeros(len(free))
            weights[free] = unit * scaled
            return weights

        keep = None if met.decisions < KEPT_PASSES else self.folder
        numbers = itertools.count()

        def value_and_gradient(scaled: Floats) -> tuple[float, Floats]:
            weights = weights_of(scaled)
            # The same fit asks for the same passes in the same order.
            path = None if keep is None else keep / f"{name}-{next(numbers):04d}.npy"
            loss, gradient = self._kept_pass(parts, weights, path)
            penalty = 0.5 * l2 * float(np.sum(weights * weights))
            return loss + penalty, unit * (gradient + l2 * weights)[free]

        tolerance = TOLERANCE * float(np.sqrt(max(met.decisions, 1)))
        found = minimum(value_and_gradient, start[free] / unit, tolerance, MOST_PASSES)
        return Fitted(weights_of(found.x), found.evaluations, found.converged)

    def _kept_pass(
        self, parts: Sequence[str], weights: Floats, path: Path | None
    ) -> tuple[float, Floats]:
        """`one_pass`, or what is kept of it in `path`."""
        if path is not None and path.exists():
            with suppress(Exception), path.open("rb") as file:
                kept = np.load(file)
                return float(kept[0]), kept[1:]
        loss, gradient = self.one_pass(parts, weights)
        if path is not None:
            with replacing(path) as temporary, temporary.open("wb") as file:
                np.save(file, np.append(loss, gradient))
        return loss, gradient

    def one_pass(self, parts: Sequence[str], weights: Floats) -> tuple[float, Floats]:
        """Minus the log-likelihood of `weights`, and its gradient, float64[rows seen]."""
        loss, gradient = self.passes.slope(parts, odds_of(weights, len(self.passes.code.singles)))
        return loss / ONE, gradient / ONE


def odds_of(weights: Floats, codes: int) -> Floats:
    """Odds of rows, of which a move has one for each of `codes`."""
    return np.exp(np.clip(weights, -MAX_LOG / codes, MAX_LOG / codes))


def _digest(*contents: bytes) -> str:
    return hashlib.sha256(b"\n".join(contents)).hexdigest()[:16]
