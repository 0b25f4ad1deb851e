"""Peers in processes of their own: such as neither keep a time limit nor can be interrupted."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from solver.errors import InputError
from solver.system.interrupt import WAKE_SECONDS


def ask_process(
    script: Path, request: Any, deadline: float, stop: threading.Event
) -> dict[str, Any] | None:
    """Run a script on a JSON `request` and return its JSON answer; None if it did not end.

    Parameters
    ----------
    script : Path
        Run with the seconds left, if any, as its argument: an alarm then ends it.
    request : object
        Any object that JSON can write.
    deadline : float
        By `time.perf_counter`, in seconds.
    stop : threading.Event
        Set where nobody waits for the answer any more.

    Raises
    ------
    InputError
        With the last line of its errors, if the process failed.
    """
    with tempfile.TemporaryFile("w+") as text:
        json.dump(request, text)
        text.seek(0)
        seconds = deadline - time.perf_counter()
        if seconds <= 0:
            return None
        limit = [] if seconds == float("inf") else [str(seconds)]
        with subprocess.Popen(
            [sys.executable, "-P", str(script), *limit],
            stdin=text,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,  # Ctrl-C is for us, who end it
        ) as process:
            answered = _answer_of(process, stop)
    if answered is None or process.returncode == -signal.SIGALRM:
        return None
    out, err = answered
    if process.returncode:
        last = (err.strip().splitlines() or [f"status {process.returncode}"])[-1]
        raise InputError(f"{script.stem.removesuffix('_process')}: its process ended: {last}")
    found: dict[str, Any] = json.loads(out)
    return found


def _answer_of(process: subprocess.Popen[str], stop: threading.Event) -> tuple[str, str] | None:
    """Output and errors of `process` when it has ended; None if `stop` ended it."""
    try:
        while True:
            try:
                return process.communicate(timeout=WAKE_SECONDS)
            except subprocess.TimeoutExpired:
                if stop.is_set():
                    return None
    finally:
        process.kill()
