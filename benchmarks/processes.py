"""A command as a process of its own, with its time and memory."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Collection, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent


def run_measured(
    command: Sequence[str], statuses: Collection[int] = (0,)
) -> tuple[float, float, float]:
    """Run `command`; its wall and processor time in seconds and its own peak memory in MB.

    Raises
    ------
    subprocess.CalledProcessError
        If its exit status is not one of `statuses`.
    """
    begin = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in statuses:
        raise subprocess.CalledProcessError(process.returncode, command)
    return seconds, used.ru_utime + used.ru_stime, megabytes(used.ru_maxrss)


def megabytes(maxrss: int) -> float:
    """Peak memory as the system tells it: in bytes on macOS, in kilobytes elsewhere."""
    return maxrss / 1e6 if sys.platform == "darwin" else maxrss * 1024 / 1e6
