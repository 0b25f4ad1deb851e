"""The summary of a comparison for the terminal."""

from __future__ import annotations

import sys
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from pipeline.reports import result_tables
from pipeline.reports.headline import headline
from pipeline.results.reading import read_report_data


def print_summary(runs_folder: Path) -> None:
    """Print a table per family of the runs in `runs_folder`, and the conclusions."""
    console = Console(width=None if sys.stdout.isatty() else 110)
    families = read_report_data([runs_folder]).families
    for family in families:
        if family.infeasible:
            proved = max(proofs.proved for proofs in family.proofs)
            console.print(f"{family.name}: {proved:,} proved infeasible", markup=False)
    for family in (family for family in families if family.methods):
        summary = result_tables.summary([family], grouped=False)
        table = Table(title=family.name, title_justify="left", title_style="bold", box=box.SIMPLE)
        for number, name in enumerate(summary.header):
            table.add_column(name, justify="left" if number < summary.words else "right")
        for row in summary.rows:
            # Only the share has its interval here: a terminal is narrow, the report has all.
            cells = [(c.text, c.small if c.share is not None else "") for c in row.cells]
            table.add_row(*(f"{text} ({small})" if small else text for text, small in cells))
        console.print(table)
        console.print(headline(family), highlight=False)
