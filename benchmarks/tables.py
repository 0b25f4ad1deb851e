"""Tables of what `compare` left in a folder, for the benchmarks that read one."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from pipeline.report_data import MethodRuns
from pipeline.report_tables import DASH


def playouts_per_second(runs: MethodRuns) -> str:
    """Playouts a second over all runs, as a cell; a dash for peers, which play none."""
    return DASH if runs.method.is_peer else f"{runs.spent.sum() / runs.seconds.sum():,.0f}"


def write_markdown(header: Sequence[str], rows: Sequence[Sequence[str]], texts: int) -> None:
    """Write a table to the standard output; the first `texts` columns are aligned to the left."""
    line = ["---"] * texts + ["--:"] * (len(header) - texts)
    for cells in (header, line, *rows):
        sys.stdout.write(f"| {' | '.join(cells)} |\n")
