"""Ctrl-C sets an event first and raises after that."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from solver.system.interrupt import raise_on_interrupt, stop_on_interrupt


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


def test_one_terminal_hangs_up_twice() -> None:
    """The shell tells of it and so does the system: neither is a second Ctrl-C, which raises."""
    before = signal.getsignal(signal.SIGHUP)
    stop = threading.Event()
    with stop_on_interrupt(stop):
        signal.raise_signal(signal.SIGHUP)
        assert stop.is_set()
        signal.raise_signal(signal.SIGHUP)
        with pytest.raises(KeyboardInterrupt):
            press()
    assert signal.getsignal(signal.SIGHUP) is before


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


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_work_that_looks_at_no_event_is_cut_short(number: signal.Signals) -> None:
    """Both signals raise inside the block, whatever they were to do outside of it."""
    before = signal.getsignal(signal.SIGALRM)
    stop = threading.Event()
    with stop_on_interrupt(stop), pytest.raises(KeyboardInterrupt), raise_on_interrupt():
        signal.raise_signal(number)
    assert not stop.is_set()
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_lost_exception_is_raised_again() -> None:
    """Code that swallows the exception, once and once more, does not keep it from coming."""
    lost = 0

    def swallow_two() -> None:
        nonlocal lost
        for _ in range(3):
            try:
                if not lost:
                    press()
                time.sleep(60)
            except KeyboardInterrupt:
                lost += 1
                if lost == 3:
                    raise

    with pytest.raises(KeyboardInterrupt), raise_on_interrupt():
        swallow_two()
    assert lost == 3


def test_an_exception_lost_at_the_end_is_raised_there() -> None:
    """Work that ends before the next try is not taken for finished."""
    with pytest.raises(KeyboardInterrupt), raise_on_interrupt(), suppress(KeyboardInterrupt):
        press()


def test_nothing_is_said_of_an_exception_that_a_callback_loses(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An interrupt lost in a C callback is raised again; other exceptions are told."""
    monkeypatch.setattr(sys, "unraisablehook", sys.__unraisablehook__)
    callback = ctypes.CFUNCTYPE(None)

    def fail() -> None:
        raise ValueError("of the callback")

    def lose_both() -> None:
        callback(fail)()
        callback(press)()
        time.sleep(60)

    with pytest.raises(KeyboardInterrupt), raise_on_interrupt():
        lose_both()
    said = capfd.readouterr().err
    assert "of the callback" in said
    assert "KeyboardInterrupt" not in said
    assert sys.unraisablehook is sys.__unraisablehook__


def fail(interrupted: bool) -> None:
    with raise_on_interrupt():
        if interrupted:
            with suppress(KeyboardInterrupt):
                press()
        raise RuntimeError("no compiled object yet")


def test_what_an_interrupt_breaks_is_not_told_of() -> None:
    """A compiler whose callback lost the interrupt may fail with an error of its own."""
    with pytest.raises(KeyboardInterrupt):
        fail(interrupted=True)
    with pytest.raises(RuntimeError):
        fail(interrupted=False)


CAUGHT = """
import sys, threading, time
from solver.system.interrupt import exit_by_status
threading.Thread(target=time.sleep, args=(30,), daemon=True).start()
try:
    exec("raise KeyboardInterrupt")
except KeyboardInterrupt:
    exit_by_status()
sys.exit(130)
"""


def test_an_interrupted_command_ends_with_its_status(tmp_path: Path) -> None:
    """Not by the signal, which a thread of a library would let in."""
    (tmp_path / "caught.py").write_text(CAUGHT)
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-m", "caught"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(root)}, check=False,
    )  # fmt: skip
    assert done.returncode == 130
