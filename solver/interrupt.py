"""Ctrl-C that lets work end in order instead of anywhere."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

T = TypeVar("T")

#: Python handles a signal between two steps of the main thread. One that comes right before
#: that thread begins to wait is seen only when the wait ends, so waits are cut into these seconds.
WAKE_SECONDS = 0.1


@contextmanager
def stop_on_interrupt(stop: threading.Event) -> Iterator[None]:
    """Set `stop` at the first Ctrl-C inside the block; a second raises `KeyboardInterrupt`.

    An exception could strike anywhere, between an answer and its printing or in
    the middle of a line of a file. In other threads than the main one, which get
    no signals, this does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)

    def handle(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        stop.set()

    signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def result_of(future: Future[T]) -> T:
    """Wait for the result of `future`, with signals handled while it is not there."""
    while not wait([future], timeout=WAKE_SECONDS).done:
        pass
    return future.result()
