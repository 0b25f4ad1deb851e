"""Fixtures shared by the tests of the commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from generators.latin_square import LatinSquareGenerator
from pipeline.learning.learn import LearnPlan, learn_counts, write_prior
from solver.domains.latin_square.domain import LatinSquareDomain
from solver.domains.latin_square.kernels import LatinSquareOptions
from tests.commands.shell import run
from tests.commands.squares import IMPOSSIBLE, SQUARE

__all__ = ["run"]


@pytest.fixture(scope="session")
def prior(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bias table of the dual code, learned from 40 squares of order 6."""
    folder = tmp_path_factory.mktemp("prior")
    domain = LatinSquareDomain()
    generator = LatinSquareGenerator(order=6, holes=0.8)
    plan = LearnPlan(generator, 40, 1, LatinSquareOptions(), domain.priors["dual"])
    out = folder / "dual.parquet"
    write_prior(learn_counts(domain, plan, work=folder / "work"), 1.0, 1.0, out)
    return out


@pytest.fixture
def square(tmp_path: Path) -> Path:
    path = tmp_path / "square.txt"
    path.write_text(SQUARE)
    return path


@pytest.fixture
def impossible(tmp_path: Path) -> Path:
    path = tmp_path / "impossible.txt"
    path.write_text(IMPOSSIBLE)
    return path


@pytest.fixture
def no_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the report, which other tests are about and which takes seconds."""

    def write_nothing(*_: Any) -> Path:
        return Path("report.html")

    monkeypatch.setattr("pipeline.reports.report.write_report", write_nothing)
    monkeypatch.setattr("pipeline.commands.terminal.print_summary", write_nothing)
