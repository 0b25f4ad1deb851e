"""Designs of Eterna100 that are kept: their numbers are ViennaRNA's."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from benchmarks.rna_published import measured, published, read_rows, shown
from solver.domains.rna.designs import RnaDesign
from solver.domains.rna.domain import RnaDomain

ROOT = Path(__file__).parents[2]
KEPT = (
    ("probability", 10),
    ("probability", 60),
    ("defect", 10),
    ("defect", 60),
    ("both", 10),
    ("both", 60),
)
#: Puzzles of at most so many bases are computed again: a partition function of 400 takes a second.
LONGEST = 60


def rows_of(objective: str, seconds: int) -> list[dict[str, Any]]:
    return read_rows(ROOT / f"docs/results/eterna100/{objective}-{seconds}s.jsonl")


@pytest.mark.parametrize(("objective", "seconds"), KEPT)
def test_designs_are_computed_again(objective: str, seconds: int) -> None:
    """One for each puzzle; probability, defect and fold of the short ones by ViennaRNA alone."""
    problems = list(RnaDomain().benchmark("eterna100"))
    rows = rows_of(objective, seconds)
    assert sorted(row["number"] for row in rows) == list(range(1, 101))
    short = [row for row in rows if len(row["sequence"]) <= LONGEST]
    assert len(short) >= 20
    for row in short:
        found = measured(problems[row["number"] - 1].data.structure, row["sequence"])
        for name in ("probability", "defect"):
            assert row[name] == pytest.approx(found[name], rel=1e-4)
        assert (row["solved"], row["distance"]) == (found["solved"], found["distance"])


@pytest.mark.parametrize("method", ["probability", "both", "samfeo-probability"])
def test_designs_of_the_second_set(method: str) -> None:
    """One design for each puzzle; numbers of the short ones by ViennaRNA alone."""
    problems = list(RnaDomain().benchmark("eterna100-v2"))
    rows = read_rows(ROOT / f"docs/results/eterna100/eterna100-v2-{method}-10s.jsonl")
    assert sorted(row["number"] for row in rows) == list(range(1, 101))
    short = [row for row in rows if len(row["sequence"]) <= LONGEST]
    assert len(short) >= 20
    for row in short:
        found = measured(problems[row["number"] - 1].data.structure, row["sequence"])
        assert {name: row[name] for name in found} == pytest.approx(found, rel=1e-4)


@pytest.mark.parametrize("method", ["probability", "defect", "samfeo-probability"])
def test_natural_targets(method: str) -> None:
    """One design for each of thirty folds."""
    rows = read_rows(ROOT / f"docs/results/natural/natural-{method}-10s.jsonl")
    assert sorted(row["number"] for row in rows) == list(range(1, 31))


def test_published_numbers() -> None:
    """One row for each puzzle, and the page says how many designs are ahead of the better."""
    known = published()
    assert list(known) == list(range(1, 101))
    rows = rows_of("probability", 60)
    ahead = next(line for line in shown(rows, known) if "Beside the more probable" in line)
    assert ahead.strip().partition(": ")[2] in (ROOT / "docs/results/rna.md").read_text()


def test_designs_of_the_hardest_puzzles_fold() -> None:
    """ViennaRNA folds each into its target, in another process; the page names it."""
    page = " ".join((ROOT / "docs/results/rna.md").read_text().split())
    versions = {"eterna100": "V1", "eterna100-v2": "V2"}
    text = (ROOT / "docs/results/eterna100/hardest.csv").read_text()
    kept = list(csv.DictReader(text.splitlines()))
    assert kept
    for row in kept:
        problem = RnaDomain().benchmark(row["set"])[int(row["number"]) - 1]
        RnaDomain().verify(problem, RnaDesign(row["sequence"], row["engine"]))
        assert f"{versions[row['set']]} {row['number']}" in page
