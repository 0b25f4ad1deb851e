"""Progress bars on stderr, silent when it is not a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Update = Callable[[float, str], None]
"""Called with how much is done and a short text on how it goes."""


@contextmanager
def progress_bar(title: str, total: float | None) -> Iterator[Update]:
    """Show a bar while the block runs; `total` is None where the end is not known."""
    if not sys.stderr.isatty():
        yield lambda done, text: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[text]}"),
        TimeElapsedColumn(),
    )
    console = Console(stderr=True)
    # Output is printed above the bar where both are on the terminal; it stays on stdout if not.
    above = sys.stdout.isatty()
    with Progress(*columns, console=console, transient=True, redirect_stdout=above) as progress:
        task = progress.add_task(title, total=total, text="")
        yield lambda done, text: progress.update(task, completed=done, text=text)
