"""Ctrl-C that lets work end in order instead of anywhere; SIGTERM and SIGHUP are treated alike."""

from __future__ import annotations

import os
import signal
import stat
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TypeVar

from solver.system.start import end_in_a_line

T = TypeVar("T")

#: Status of a search that was told to stop, in answers and files.
INTERRUPTED_STATUS = "interrupted"
#: Signals that end a command in order.
SIGNALS = (signal.SIGINT, signal.SIGTERM)
#: The signal of a terminal that is closed, where there is one: not on Windows.
HANG_UP = (signal.SIGHUP,) if hasattr(signal, "SIGHUP") else ()
#: The signal of a timer, where there is one: not on Windows.
TIMER = (signal.SIGALRM,) if hasattr(signal, "SIGALRM") else ()
#: Libraries that take long to import.
LIBRARIES = ("numpy", "llvmlite", "numba", "scipy", "pandas", "pyarrow", "matplotlib")
#: After so many seconds an exception that had no effect is raised again.
AGAIN_SECONDS = 0.5
#: Python handles a signal between two steps of the main thread. One that comes right before
#: that thread begins to wait is seen only when the wait ends, so waits are cut into these seconds.
WAKE_SECONDS = 0.1


def raise_on_signals(command: str) -> None:
    """Let `SIGNALS` and `HANG_UP` raise `KeyboardInterrupt` in the main thread, from now on.

    While a large library is imported they end `command` in a line instead: code of others lost
    the exception, or printed a traceback of its own.
    """

    def handle(number: int, frame: FrameType | None) -> None:
        if _is_loading():
            end_in_a_line(command)
        raise KeyboardInterrupt

    def handle_hang_up(number: int, frame: FrameType | None) -> None:
        _leave_terminal()
        handle(number, frame)

    for number in SIGNALS:
        signal.signal(number, handle)
    for number in _hang_up_handled():
        signal.signal(number, handle_hang_up)


def _is_loading() -> bool:
    """Return whether one of `LIBRARIES` is being imported."""
    modules = map(sys.modules.get, LIBRARIES)
    specs = (getattr(module, "__spec__", None) for module in modules)
    return any(getattr(spec, "_initializing", False) for spec in specs)


def _hang_up_handled() -> tuple[signal.Signals, ...]:
    """Return `HANG_UP`, nothing where it is ignored, as under `nohup`."""
    return tuple(number for number in HANG_UP if signal.getsignal(number) is not signal.SIG_IGN)


def _leave_terminal() -> None:
    """Redirect output for a terminal that is gone, where writing would be an error.

    Shell and system may both tell of one terminal: what comes after the first time is ignored.
    """
    for number in HANG_UP:
        signal.signal(number, signal.SIG_IGN)
    for descriptor in (0, 1, 2):
        with suppress(OSError):
            if not stat.S_ISCHR(os.fstat(descriptor).st_mode) or os.isatty(descriptor):
                continue
            nowhere = os.open(os.devnull, os.O_RDWR)
            os.dup2(nowhere, descriptor)
            os.close(nowhere)


def exit_by_status() -> None:
    """Let this process end with the status that it names, not by the signal that interrupted it.

    CPython remembers that a `KeyboardInterrupt` ended a text in `exec`, as Numba has many, though
    it was caught, and `python -m` then kills itself by SIGINT after all else: unless another text
    has ended well since. Blocking the signal does not help, as threads of libraries let it in.
    """
    exec("")


@contextmanager
def _handling(
    handle: Callable[[int, FrameType | None], object], numbers: Sequence[signal.Signals] = SIGNALS
) -> Iterator[None]:
    """Handle signals inside the block, in the main thread: others get none."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handle_hang_up(number: int, frame: FrameType | None) -> None:
        _leave_terminal()
        handle(number, frame)

    handlers = dict.fromkeys(numbers, handle) | dict.fromkeys(_hang_up_handled(), handle_hang_up)
    before = [(number, signal.signal(number, handler)) for number, handler in handlers.items()]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)


@contextmanager
def stop_on_interrupt(stop: threading.Event) -> Iterator[None]:
    """Set `stop` at the first Ctrl-C inside the block; a second raises `KeyboardInterrupt`.

    An exception could strike anywhere, between an answer and its printing or in
    the middle of a line of a file. In other threads than the main one, which get
    no signals, this does nothing.
    """

    def handle(number: int, frame: FrameType | None) -> None:
        for again in SIGNALS:
            signal.signal(again, signal.default_int_handler)
        for ignored in HANG_UP:
            signal.signal(ignored, signal.SIG_IGN)
        stop.set()

    with _handling(handle):
        yield


@contextmanager
def raise_on_interrupt() -> Iterator[None]:
    """Raise `KeyboardInterrupt` at Ctrl-C inside the block, for work that looks at no event.

    If Python cannot raise, as in code that it runs while it frees memory or that a library calls
    back, the exception is lost: it is raised again until it is through, and nothing is said of it,
    nor of what fails in the block because of it.
    """
    pressed = threading.Event()
    report = sys.unraisablehook

    def report_others(lost: sys.UnraisableHookArgs) -> None:
        if not issubclass(lost.exc_type, KeyboardInterrupt):
            report(lost)

    def handle(number: int, frame: FrameType | None) -> None:
        pressed.set()
        if TIMER:
            signal.setitimer(signal.ITIMER_REAL, AGAIN_SECONDS)
        raise KeyboardInterrupt

    with _handling(handle, (*SIGNALS, *TIMER)):
        sys.unraisablehook = report_others
        try:
            yield
        except Exception:  # what came of a compiler that was interrupted is no news
            if not pressed.is_set():
                raise
        finally:
            sys.unraisablehook = report
            if pressed.is_set() and TIMER:
                signal.setitimer(signal.ITIMER_REAL, 0)
        if pressed.is_set():
            raise KeyboardInterrupt


def result_of(future: Future[T]) -> T:
    """Wait for the result of `future`, with signals handled while it is not there."""
    while not wait([future], timeout=WAKE_SECONDS).done:
        pass
    return future.result()
