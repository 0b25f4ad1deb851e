"""Rows of means that other commands keep, made again in part with other seeds, and compared.

A module of benchmarks that a table names as `again` has `repeat(sample, out)`, which makes one
run of `sample` of its rows, in the folder `out`.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pipeline.results.statistics import Estimate, Floats, holm

#: Seeds of repeated runs begin here, apart from those of the kept ones.
FIRST_SEED = 1000
#: Width of a 95 % interval in standard errors.
WIDTH = 2 * 1.96
#: Below this p-value, corrected by Holm's method, a row has another mean than the kept one.
DIFFERENT = 0.01
HEADER = ["row", "kept", "runs", "again", "runs", "p", "p, Holm"]


class Repeated(NamedTuple):
    """A kept mean and the values of new runs."""

    label: str
    kept: Estimate
    runs: int
    """Runs that the kept mean is of."""
    values: Floats
    """float64[new runs]"""

    @property
    def p_value(self) -> float:
        """p-value of the z-test with the deviation of the kept runs, by their interval.

        Kept runs without a spread differ if the new ones have another mean, which has then at
        most the probability of being the one run of all that is not like the others.
        """
        difference = abs(float(self.values.mean()) - self.kept.value)
        error = (self.kept.high - self.kept.low) / WIDTH
        if error == 0:
            return 1.0 if difference == 0 else 1 / (self.runs + 1)
        error *= math.sqrt(1 + self.runs / len(self.values))
        return math.erfc(difference / error / math.sqrt(2))


def kept_mean(row: dict[str, str], column: str = "mean") -> Estimate:
    """Mean of a row and its interval."""
    return Estimate(float(row[column]), float(row["low"]), float(row["high"]))


def seeds_of(runs: int, sample: int) -> range:
    """Seeds of one run of `sample`."""
    return range(FIRST_SEED, FIRST_SEED + max(1, -(-runs // sample)))


def repeated(module: str, sample: int, out: Path) -> list[Repeated]:
    """Make runs of the rows of `benchmarks.MODULE` again."""
    repeat: Callable[[int, Path], Iterator[Repeated]]
    repeat = importlib.import_module(f"benchmarks.{module}").repeat
    return list(repeat(sample, out))


def beside(rows: Iterable[Repeated]) -> tuple[list[list[str]], bool]:
    """Compare new runs with kept means.

    Returns
    -------
    cells : list of list of str
        A line for each row, below `HEADER`.
    same : bool
        False if a mean differs.
    """
    found = list(rows)
    corrected = holm(np.array([row.p_value for row in found]))
    cells = [
        [
            row.label,
            f"{row.kept.value:,g} ({row.kept.low:,g} to {row.kept.high:,g})",
            str(row.runs),
            f"{row.values.mean():,.2f}",
            str(len(row.values)),
            f"{row.p_value:.2g}",
            f"{p:.2g}",
        ]
        for row, p in zip(found, corrected.tolist(), strict=True)
    ]
    return cells, bool((corrected >= DIFFERENT).all())
