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
    """Run `main` of `module`, which handles signals itself from its first step on.

    Signals after its work change nothing: Python takes a while to end a process.
    """

    def end(number: int, frame: FrameType | None) -> None:
        end_in_a_line(command)

    names = ("SIGINT", "SIGTERM", "SIGHUP")
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    for number in numbers:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, end)
    COMMANDS.append(command)
    try:
        importlib.import_module(module).main()
    except SystemExit as ended:
        if ended.code != INTERRUPTED:  # threads that were interrupted twice may have to be killed
            for number in numbers:
                signal.signal(number, signal.SIG_IGN)
        raise


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
