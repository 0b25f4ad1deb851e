"""Designs of Eterna100 that are kept: their numbers are ViennaRNA's, the page's are theirs."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.rna_published import measured, read_rows, summary
from solver.domains.rna.designs import RnaDesign
from solver.domains.rna.domain import RnaDomain

ROOT = Path(__file__).parents[2]
KEPT = ("probability", 10), ("probability", 60), ("defect", 10), ("defect", 60), ("both", 10)
#: Puzzles of at most so many bases are computed again: a partition function of 400 takes a second.
LONGEST = 60


def rows_of(objective: str, seconds: int) -> list[dict[str, Any]]:
    return read_rows(ROOT / f"docs/results/eterna100/{objective}-{seconds}s.jsonl")


@pytest.mark.parametrize(("objective", "seconds"), KEPT)
def test_designs_are_computed_again(objective: str, seconds: int) -> None:
    """Probability, defect and fold of the short ones, by ViennaRNA alone."""
    problems = list(RnaDomain().benchmark("eterna100"))
    short = [row for row in rows_of(objective, seconds) if len(row["sequence"]) <= LONGEST]
    assert len(short) >= 20
    for row in short:
        found = measured(problems[row["number"] - 1].data.structure, row["sequence"])
        for name in ("probability", "defect"):
            assert row[name] == pytest.approx(found[name], rel=1e-4)
        assert (row["solved"], row["distance"]) == (found["solved"], found["distance"])


@pytest.mark.parametrize(("objective", "seconds"), KEPT)
def test_the_page_has_their_means(objective: str, seconds: int) -> None:
    """One design for each of the hundred puzzles, and the line of the table."""
    rows = rows_of(objective, seconds)
    assert sorted(row["number"] for row in rows) == list(range(1, 101))
    rest = f"{sum(row['solved'] for row in rows)} of 100 | "
    rest += f"{np.mean([row['distance'] for row in rows]):.2f}"
    shares, defects = ([row[name] for row in rows] for name in ("probability", "defect"))
    named = f"`solve rna --objective {objective}`, {seconds} s"
    line = summary(named, shares, defects, rest)
    assert line in (ROOT / "docs/results/rna.md").read_text()


@pytest.mark.parametrize(
    ("method", "named"),
    [
        ("probability", "`solve rna --objective probability`"),
        ("both", "`solve rna --objective both`"),
        ("samfeo-probability", "SAMFEO's loop"),
    ],
)
def test_designs_of_the_second_set(method: str, named: str) -> None:
    """Numbers of the short ones by ViennaRNA alone, and the line of the table."""
    problems = list(RnaDomain().benchmark("eterna100-v2"))
    rows = read_rows(ROOT / f"docs/results/eterna100/eterna100-v2-{method}-10s.jsonl")
    assert sorted(row["number"] for row in rows) == list(range(1, 101))
    short = [row for row in rows if len(row["sequence"]) <= LONGEST]
    assert len(short) >= 20
    for row in short:
        found = measured(problems[row["number"] - 1].data.structure, row["sequence"])
        assert {name: row[name] for name in found} == pytest.approx(found, rel=1e-4)
    rest = f"{sum(row['solved'] for row in rows)} of 100 | "
    rest += f"{np.mean([row['distance'] for row in rows]):.2f}"
    shares, defects = ([row[name] for row in rows] for name in ("probability", "defect"))
    line = summary(f"V2, {named}, 10 s", shares, defects, rest)
    assert line in (ROOT / "docs/results/rna.md").read_text()


@pytest.mark.parametrize(
    ("method", "named"),
    [
        ("probability", "`solve rna --objective probability`"),
        ("defect", "`solve rna --objective defect`"),
        ("samfeo-probability", "SAMFEO's loop"),
    ],
)
def test_natural_targets(method: str, named: str) -> None:
    """One design for each of thirty folds, and the line of the table."""
    rows = read_rows(ROOT / f"docs/results/natural/natural-{method}-10s.jsonl")
    assert sorted(row["number"] for row in rows) == list(range(1, 31))
    rest = f"{sum(row['solved'] for row in rows)} of 30 | "
    rest += f"{np.mean([row['distance'] for row in rows]):.2f}"
    shares, defects = ([row[name] for row in rows] for name in ("probability", "defect"))
    line = summary(f"natural, {named}", shares, defects, rest)
    assert line in (ROOT / "docs/results/rna.md").read_text()


def test_designs_of_the_hardest_puzzles_fold() -> None:
    """ViennaRNA folds each into its target, in another process; the page names it."""
    page = (ROOT / "docs/results/rna.md").read_text()
    versions = {"eterna100": "V1", "eterna100-v2": "V2"}
    text = (ROOT / "docs/results/eterna100/hardest.csv").read_text()
    kept = list(csv.DictReader(text.splitlines()))
    assert kept
    for row in kept:
        problem = RnaDomain().benchmark(row["set"])[int(row["number"]) - 1]
        RnaDomain().verify(problem, RnaDesign(row["sequence"], row["engine"]))
        assert f"{versions[row['set']]} {row['number']}" in page
