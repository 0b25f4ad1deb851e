"""A child of a trial: it is waited for, told to end, and killed."""

from __future__ import annotations

import os
import signal
import time


def status_of(child: int, patience: float) -> int | None:
    """Status that the process `child` ends with; None if it hangs and was killed.

    It is told to end after `patience` seconds and hangs after as many again.
    """
    begin, told = time.monotonic(), False
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        late = time.monotonic() - begin
        if late > patience and not told:
            os.kill(child, signal.SIGTERM)
            told = True
        if late > 2 * patience:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return None
        time.sleep(0.002)
