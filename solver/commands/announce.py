"""Saying that machine code is being made, which takes long and happens once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from numba.core import event

from solver.commands.progress import progress_bar, say, shows_bars
from solver.system.interrupt import raise_on_interrupt

#: Measured on cold caches: 13 to 19 s, and half of that for a second algorithm.
USUAL = "usually 5 to 30 s, the first time only"


class _Listener(event.Listener):
    """Opens `shown` at the first kernel that has to be compiled; those on disk are no event."""

    def __init__(self, shown: ExitStack, title: str) -> None:
        self._shown = shown
        self._title = title
        self._compiling = False

    def on_start(self, event: event.Event) -> None:
        """Tell, once."""
        if self._compiling or threading.current_thread() is not threading.main_thread():
            return
        self._compiling = True
        if shows_bars():
            update = self._shown.enter_context(progress_bar(self._title, None))
            update(0, USUAL)
        else:
            say(f"{self._title}: {USUAL}")

    def on_end(self, event: event.Event) -> None:
        """Do nothing at the end of the event."""


@contextmanager
def compilation_of(what: str) -> Iterator[None]:
    """Say on stderr, if machine code is made inside the block, that it is, and for `what`.

    Ctrl-C there raises `KeyboardInterrupt`: a compiler does not look at events.
    """
    with ExitStack() as shown, raise_on_interrupt():
        listener = _Listener(shown, f"compiling for {what}")
        with event.install_listener("numba:compile", listener):
            yield
