"""Processes of jobs: copies of one that has imported everything, where a system forks safely."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext

#: Module that the process to be copied imports before the first job.
PRELOADED = "solver.design_page.preloaded"
#: On macOS libraries of the system may not be used in a copy of a process.
FORKS = sys.platform == "linux"


class JobProcess(Protocol):
    """Process of a job, as the queue handles it."""

    def lines(self) -> Iterator[bytes]:
        """Yield what it prints, until its end."""
        ...

    def poll(self) -> int | None:
        """Return the exit status, None while it runs."""
        ...

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit status at its end; `subprocess.TimeoutExpired` if that takes longer."""
        ...

    def terminate(self) -> None:
        """Ask it to end."""
        ...

    def kill(self) -> None:
        """End it."""
        ...


def begin() -> None:
    """Import for the processes to come, in the background."""
    if FORKS:
        _context()
        threading.Thread(target=_preload, daemon=True).start()


def _preload() -> None:
    """Start the process to be copied; Ctrl-C would print a traceback of what it imports."""
    from multiprocessing.forkserver import ensure_running

    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    ensure_running()


def launch(folder: Path) -> JobProcess:
    """Start the process of the job in a folder; it ends when this process does."""
    return _Copied(folder) if FORKS else Started([sys.executable, "-m", *_worker(folder)], folder)


def _worker(folder: Path) -> list[str]:
    return ["solver.design_page.worker", str(folder)]


def _context() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([PRELOADED])
    return context


class Started:
    """Process of its own from the start; it ends when nobody holds its standard input any more."""

    def __init__(self, command: list[str], folder: Path) -> None:
        with (folder / "log.txt").open("wb") as log:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,  # Ctrl-C is ours
                cwd=Path(__file__).parents[2],
            )
        self.poll, self.wait = self._process.poll, self._process.wait
        self.terminate, self.kill = self._process.terminate, self._process.kill

    def lines(self) -> Iterator[bytes]:
        """Yield what it prints, until its end."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with self._process.stdin, self._process.stdout:
            yield from self._process.stdout
            self._process.wait()


#: Copies are started and waited for by one thread at a time: multiprocessing is not safe there.
_lock = threading.Lock()


class _Copied:
    """Copy of the process that has imported; two pipes lead to it and to no other copy."""

    def __init__(self, folder: Path) -> None:
        context = _context()
        self._printed, printing = context.Pipe(duplex=False)
        held, self._holding = context.Pipe(duplex=False)
        self._ended = threading.Event()
        self._status: int | None = None
        self._process = context.Process(target=_run, args=(folder, held, printing))
        with printing, held, _lock:
            self._process.start()
        self.terminate, self.kill = self._process.terminate, self._process.kill

    def lines(self) -> Iterator[bytes]:
        """Yield what it prints, until its end."""
        with (
            self._holding,
            self._printed,
            open(self._printed.fileno(), "rb", closefd=False) as file,
        ):
            yield from file
            with _lock:
                self._process.join()
                self._status = self._process.exitcode
        self._ended.set()

    def poll(self) -> int | None:
        """Return the exit status, None while its lines are read."""
        return self._status

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit status at the end of its lines, which another thread reads."""
        if not self._ended.wait(timeout):
            raise subprocess.TimeoutExpired(PRELOADED, timeout or 0.0)
        assert self._status is not None
        return self._status


def _run(folder: Path, held: Connection, printing: Connection) -> None:
    """Work at a job with the input, output and log of a process of its own."""
    with (folder / "log.txt").open("wb") as log, held, printing:
        for standard, descriptor in enumerate((held.fileno(), printing.fileno(), log.fileno())):
            os.dup2(descriptor, standard)
    from solver.design_page.worker import main
    from solver.domains.rna.refold import end_refolding

    try:
        status = main(folder)
    finally:
        end_refolding()  # a copy does not come to what is registered for the end
    sys.exit(status)
