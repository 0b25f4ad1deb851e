"""A Prefect server, and processes that are killed, for the trials."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from flows import SETTINGS
from pipeline.learning.learn import counts_path

ROOT = Path(__file__).parents[2]
PATIENCE = 900.0

_begin = time.monotonic()


def say(text: str) -> None:
    """Print a line with the seconds since the start."""
    print(f"{time.monotonic() - _begin:7.1f} s  {text}", flush=True)


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def environment(folder: Path, port: int | None = None) -> dict[str, str]:
    """Return the environment of a trial: Prefect's files in `folder`, its server at `port`."""
    there = {"PREFECT_HOME": str(folder / "prefect"), "PREFECT_LOGGING_LEVEL": "WARNING"}
    if port is not None:
        there["PREFECT_API_URL"] = f"http://127.0.0.1:{port}/api"
    return {**SETTINGS, **os.environ, **there}


def started(
    *command: object, env: Mapping[str, str], log: Path, group: bool = False
) -> subprocess.Popen[bytes]:
    """Start `python -m COMMAND`, its output appended to `log`; as the head of a `group` to kill."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as out:
        return subprocess.Popen(
            [sys.executable, "-m", *map(str, command)],
            cwd=ROOT,
            env=dict(env),
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=group,
        )


def start_server(folder: Path, port: int) -> subprocess.Popen[bytes]:
    """Start a Prefect server, and wait until it answers."""
    arguments = ("prefect", "server", "start", "--host", "127.0.0.1", "--port", port)
    process = started(*arguments, env=environment(folder), log=folder / "server.log")
    wait_for(lambda: _answers(port), process)
    return process


@contextmanager
def server(folder: Path) -> Iterator[dict[str, str]]:
    """Run a Prefect server; yields the environment of its clients."""
    port = free_port()
    process = start_server(folder, port)
    try:
        yield environment(folder, port)
    finally:
        stop(process)


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a process that this trial started."""
    process.terminate()
    try:
        process.wait(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _answers(port: int) -> bool:
    try:
        with urlopen(f"http://127.0.0.1:{port}/api/health", timeout=1) as answer:
            return bool(answer.status == 200)
    except (URLError, OSError):
        return False


def wait_for(condition: Callable[[], bool], *processes: subprocess.Popen[bytes]) -> None:
    """Wait until `condition` holds while the processes live."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        for process in processes:
            if process.poll() is not None:
                raise RuntimeError(f"a process ended with status {process.returncode}")
        if time.monotonic() > deadline:
            raise RuntimeError("nothing happened")
        time.sleep(0.2)


def tables(models: Path, names: list[str]) -> dict[str, bytes]:
    """Bytes of the bias tables and their counts, by file name."""
    paths = [models / f"{name}.parquet" for name in names]
    return {p.name: p.read_bytes() for path in paths for p in (path, counts_path(path))}
