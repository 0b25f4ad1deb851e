"""Start of a command: while its modules are loaded, a signal ends it in a line.

Nothing is imported here that takes time, and nothing is written yet that could be half-written.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from types import FrameType

#: Exit status after a signal, as in `solver.commands.options`.
INTERRUPTED = 130


def start(command: str, module: str) -> None:
    """Run `main` of `module`, which handles signals itself from its first step on."""

    def end(number: int, frame: FrameType | None) -> None:
        if sys.stderr is not None:
            os.write(2, f"{command}: interrupted\n".encode())
        os._exit(INTERRUPTED)

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, end)
    importlib.import_module(module).main()


def solve() -> None:
    """Start `solve`."""
    start("solve", "solver.commands.solve")
