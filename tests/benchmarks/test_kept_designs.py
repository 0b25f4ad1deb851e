"""Designs of Eterna100 that are kept: their numbers are ViennaRNA's, the page's are theirs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.rna_published import measured, read_rows, summary
from solver.domains.rna.domain import RnaDomain

ROOT = Path(__file__).parents[2]
ROWS = read_rows(ROOT / "docs/results/eterna100/probability-60s.jsonl")
#: Puzzles of at most so many bases are computed again: a partition function of 400 takes a second.
LONGEST = 60


def test_designs_are_computed_again() -> None:
    """Probability, defect and fold of the short ones, by ViennaRNA alone."""
    problems = list(RnaDomain().benchmark("eterna100"))
    short = [row for row in ROWS if len(row["sequence"]) <= LONGEST]
    assert len(short) >= 20
    for row in short:
        found = measured(problems[row["number"] - 1].data.structure, row["sequence"])
        for name in ("probability", "defect"):
            assert row[name] == pytest.approx(found[name], rel=1e-4)
        assert (row["solved"], row["distance"]) == (found["solved"], found["distance"])


def test_the_page_has_their_means() -> None:
    """One design for each of the hundred puzzles, and the line of the table."""
    assert sorted(row["number"] for row in ROWS) == list(range(1, 101))
    rest = f"{sum(row['solved'] for row in ROWS)} of 100 | "
    rest += f"{np.mean([row['distance'] for row in ROWS]):.2f}"
    shares, defects = ([row[name] for row in ROWS] for name in ("probability", "defect"))
    line = summary("`solve rna --objective probability`, 60 s", shares, defects, rest)
    assert line in (ROOT / "docs/reproduction.md").read_text()
