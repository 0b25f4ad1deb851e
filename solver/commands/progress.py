"""Progress on stderr: lines, and bars where stderr is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Update = Callable[[float, str], None]
"""Called with the amount done and a short text on the progress."""


_quiet = False


def be_quiet(quiet: bool = True) -> None:
    """Show no bars and `say` nothing, or do so again."""
    global _quiet
    _quiet = quiet


def is_quiet() -> bool:
    """Return whether nothing but errors is said."""
    return _quiet


def shows_bars() -> bool:
    """Return whether progress bars have a terminal to appear on."""
    return not _quiet and sys.stderr is not None and sys.stderr.isatty()


def say(text: str, *, is_error: bool = False) -> None:
    """Print a line on stderr on how the work goes; if told to be quiet, errors only."""
    if (is_error or not _quiet) and sys.stderr is not None:
        print(text, file=sys.stderr, flush=True)


@contextmanager
def progress_bar(title: str, total: float | None) -> Iterator[Update]:
    """Show a bar while the block runs; `total` is None where the end is not known."""
    if not shows_bars():
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
