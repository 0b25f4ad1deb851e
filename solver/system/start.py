"""Start of a command: while its modules are loaded, a signal ends it in a line.

Nothing is imported here that takes time, and nothing is written yet that could be half-written.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from types import FrameType
from typing import NoReturn

#: Exit status after a signal, as in `solver.commands.options`.
INTERRUPTED = 130
#: Commands that this process runs: what its end frees may wait for it.
COMMANDS: list[str] = []


def start(command: str, module: str) -> None:
    """Run `main` of `module`, which handles signals itself from its first step on."""

    def end(number: int, frame: FrameType | None) -> None:
        end_in_a_line(command)

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, end)
    COMMANDS.append(command)
    importlib.import_module(module).main()


def end_in_a_line(command: str) -> NoReturn:
    """End the process at once, with a line and the status of an interruption."""
    if sys.stderr is not None:
        os.write(2, f"{command}: interrupted\n".encode())
    os._exit(INTERRUPTED)


def solve() -> None:
    """Start `solve`."""
    start("solve", "solver.commands.solve")


def check() -> None:
    """Start `check`."""
    start("check", "solver.commands.check.command")
