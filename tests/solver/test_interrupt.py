"""Ctrl-C sets an event first and raises after that."""

from __future__ import annotations

import signal
import threading

import pytest

from solver.interrupt import stop_on_interrupt


def press() -> None:
    signal.raise_signal(signal.SIGINT)


def test_the_first_sets_the_event_the_second_raises() -> None:
    stop = threading.Event()
    with stop_on_interrupt(stop):
        assert not stop.is_set()
        press()
        assert stop.is_set()
        with pytest.raises(KeyboardInterrupt):
            press()


@pytest.mark.parametrize("pressed", [False, True])
def test_the_handler_before_comes_back(pressed: bool) -> None:
    before = signal.getsignal(signal.SIGINT)
    with stop_on_interrupt(threading.Event()):
        assert signal.getsignal(signal.SIGINT) is not before
        if pressed:
            press()
    assert signal.getsignal(signal.SIGINT) is before


def test_other_threads_leave_signals_alone() -> None:
    """Python lets only the main thread set handlers."""
    before = signal.getsignal(signal.SIGINT)
    seen = []

    def block() -> None:
        with stop_on_interrupt(threading.Event()):
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=block)
    thread.start()
    thread.join()
    assert seen == [before]
