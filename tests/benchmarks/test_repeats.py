"""Rows of means made again: a test that finds differences, and every command that names it."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest

from benchmarks import parallel_tables
from benchmarks.results.plan import read_plan
from benchmarks.results.repeats import FIRST_SEED, Repeated, beside, seeds_of
from pipeline.results.statistics import Estimate


def repeated(values: list[float], low: float = 8.0, high: float = 12.0) -> Repeated:
    return Repeated("row", Estimate(10.0, low, high), 30, np.array(values))


def test_other_means_are_found_and_equal_ones_pass() -> None:
    _, same = beside([repeated([9.0, 12.0]), repeated([10.0])])
    assert same
    cells, same = beside([repeated([9.0, 12.0]), repeated([40.0, 42.0])])
    assert not same
    assert [float(line[-1]) < 0.01 for line in cells] == [False, True]


def test_deviation_is_that_of_the_kept_runs() -> None:
    """30 runs with an interval of 4: a single one deviates by 5.6, its difference by 5.7."""
    assert repeated([10 + 1.96 * 5.68]).p_value == pytest.approx(0.05, abs=2e-3)


def test_rows_without_spread_differ_by_their_mean() -> None:
    assert repeated([10.0, 10.0], 10, 10).p_value == 1
    assert repeated([10.0, 11.0], 10, 10).p_value == pytest.approx(1 / 31)


def test_seeds_are_apart_from_the_kept_ones() -> None:
    assert list(seeds_of(20, 10)) == [FIRST_SEED, FIRST_SEED + 1]
    assert len(seeds_of(3, 10)) == 1


def test_tables_name_modules_that_make_rows_again() -> None:
    modules = {table.again for table in read_plan().values() if table.again is not None}
    assert {"beam_figures", "mcps_tables", "parallel_tables"} <= modules
    for module in modules:
        assert callable(importlib.import_module(f"benchmarks.{module}").repeat)


def test_repeated_rows_are_beside_the_kept_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search of one figure: whole and at four times, with as many runs as asked for."""
    rows = [row for row in parallel_tables.all_rows() if row.label == "sequential"]
    monkeypatch.setattr(parallel_tables, "all_rows", lambda: iter(rows))
    found = list(parallel_tables.repeat(20, tmp_path))
    assert [row.label.partition(", at ")[2] for row in found] == [
        "32,768", "256", "512", "1,024", "2,048",
    ]  # fmt: skip
    assert all(len(row.values) == 1 for row in found)
    assert found[1].values <= found[2].values <= found[3].values <= found[0].values
