"""Playouts per second (see protocol.md); `make bench`."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.workloads import SEARCHES, Case, Workload, table

INSTANCES = 5
ORDER_20 = [
    Case(mode, search, prior)
    for mode in ("forward", "channeling")
    for prior in ("none", "dual", "triple")
    for search in SEARCHES
]
LARGE = [
    Case("channeling", "sampling", order=order, dead_ends=dead_ends)
    for order in (30, 40, 50)
    for dead_ends in (0, 30)
]


@pytest.fixture(scope="session", autouse=True)
def _tables() -> None:
    """Load or learn the tables before anything is timed."""
    for prior in ("dual", "triple"):
        table(prior)


@pytest.mark.parametrize("case", ORDER_20, ids=str)
def test_order_20(benchmark: Any, case: Case) -> None:
    _measure(benchmark, Workload(case, INSTANCES, playouts=1000))


@pytest.mark.parametrize("case", LARGE, ids=str)
def test_large_orders(benchmark: Any, case: Case) -> None:
    _measure(benchmark, Workload(case, INSTANCES, playouts=200))


def _measure(benchmark: Any, workload: Workload) -> None:
    """Time repetitions of the same playouts; the first one, which compiles, does not count."""
    benchmark.group = f"{workload.case.mode}, order {workload.case.order}"
    playouts = benchmark.pedantic(workload.repeat, rounds=5, warmup_rounds=1)
    if benchmark.stats is None:  # --benchmark-disable
        return
    stats = benchmark.stats.stats
    benchmark.extra_info["playouts_per_second"] = round(playouts / stats.median)
    benchmark.extra_info["playouts_per_second_best"] = round(playouts / stats.min)
