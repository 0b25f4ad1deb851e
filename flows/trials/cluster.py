"""A Dask cluster of processes that can be killed, each in a folder of its own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from flows.trials.common import free_port, stop, wait_for


class Cluster:
    """A scheduler, and workers without a nanny: a killed one stays away.

    Parameters
    ----------
    folder : Path
        Folder of what the processes write.
    env : mapping
        Their environment.
    own_caches : bool
        True if each worker compiles for itself, as on a machine of its own.
    """

    def __init__(self, folder: Path, env: Mapping[str, str], *, own_caches: bool) -> None:
        self.folder, self.env, self.own_caches = folder, env, own_caches
        self.processes: list[subprocess.Popen[bytes]] = []
        port = free_port()
        self.address = f"tcp://127.0.0.1:{port}"
        scheduler = self._start("dask_scheduler", "--port", port)
        wait_for(lambda: _listens(port), scheduler)

    @property
    def runner(self) -> str:
        """Word of `--runner` for this cluster."""
        return self.address.replace("tcp:", "dask:")

    def worker(self) -> subprocess.Popen[bytes]:
        """Start a worker of one thread."""
        place = self.folder / "dask"
        return self._start(
            "dask_worker", self.address, "--nthreads", 1, "--no-nanny", "--local-directory", place
        )

    def _start(self, program: str, *arguments: object) -> subprocess.Popen[bytes]:
        home = self.folder / f"machine-{len(self.processes)}"
        home.mkdir()
        own = {"NESTOR_CACHE": str(home / "cache")} if self.own_caches else {}
        command = [sys.executable, "-m", f"distributed.cli.{program}", "--host", "127.0.0.1"]
        with (self.folder / "dask.log").open("ab") as log:
            process = subprocess.Popen(
                [*command, "--no-dashboard", *map(str, arguments)],
                cwd=home, env={**self.env, **own}, stdout=log, stderr=log,
            )  # fmt: skip
        self.processes.append(process)
        return process


def _listens(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


@contextmanager
def cluster(
    folder: Path, env: Mapping[str, str] = os.environ, *, own_caches: bool = False
) -> Iterator[Cluster]:
    """Run a cluster, of no worker yet."""
    folder.mkdir(parents=True, exist_ok=True)
    found = Cluster(folder, env, own_caches=own_caches)
    try:
        yield found
    finally:
        for process in reversed(found.processes):
            stop(process)
