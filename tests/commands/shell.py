"""Commands as tests call them: within the process, or launched in one of their own."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numba
import pyarrow.parquet as pq
import pytest

from pipeline.commands import compare as compare_cli
from pipeline.commands import learn as learn_cli
from pipeline.commands import report as report_cli
from solver.commands import solve as cli
from solver.commands.check import command as check_cli
from solver.commands.progress import be_quiet
from solver.compiling.parts import begin_compiling
from solver.domains import DOMAINS
from solver.games import GAMES
from tests.commands.launch import KERNELS_VARIABLE
from tests.copies import started

ROOT = Path(__file__).parents[2]
MAIN = {
    "solve": cli.main,
    "check": check_cli.main,
    "learn": learn_cli.main,
    "compare": compare_cli.main,
    "report": report_cli.main,
}
#: What the first word of a command may be.
KNOWN = ", ".join([*DOMAINS, *GAMES])
#: A launched command that takes longer hangs.
PATIENCE = 120.0
#: Seconds between two looks at what a process does.
LONGEST_PAUSE = 0.02

Rows = list[dict[str, Any]]


class Killed(BaseException):
    """End of a command that nothing catches, as by `kill -9`."""


@dataclass(frozen=True)
class Finished:
    """A command that has come to its end."""

    status: int
    out: str
    err: str


Run = Callable[..., Finished]


def _without_compiling(err: str) -> str:
    """Leave out what is said of compiling, which depends on the tests that ran before."""
    lines = err.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("compiling for "))


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Function that runs a command line within the process: `run("solve", "--json")`."""

    def call(command: str, *arguments: Any, stdin: str = "") -> Finished:
        monkeypatch.setattr(sys, "argv", [command, *map(str, arguments)])
        # As the real one: how it is read cannot be changed once a line has been.
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        with pytest.raises(SystemExit) as end:
            MAIN[command]()
        assert isinstance(end.value.code, int)
        be_quiet(False)  # as in the next process
        printed = capsys.readouterr()
        return Finished(end.value.code, printed.out, _without_compiling(printed.err))

    return call


def kernels_folder() -> str:
    """Folder in which this process keeps its kernels."""
    begin_compiling()
    return str(numba.config.CACHE_DIR)  # type: ignore[attr-defined]


@contextmanager
def launched(
    command: str, *arguments: Any, environment: dict[str, str] | None = None, **options: Any
) -> Iterator[subprocess.Popen[str]]:
    """Start a command in a process of its own; it is ended when the block is left."""
    variables = os.environ | {
        KERNELS_VARIABLE: kernels_folder(),
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm",
    }
    words = ["-m", "tests.commands.launch", command, *map(str, arguments)]
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    process = started(words, env=variables | (environment or {}), **options)
    with process:
        try:
            yield process
        finally:
            process.kill()


def ended(process: subprocess.Popen[str]) -> Finished:
    """Wait for the end of a launched command."""
    out, err = process.communicate(timeout=PATIENCE)
    return Finished(process.returncode, out or "", _without_compiling(err or ""))


def wait_until(condition: Callable[[], Any], process: subprocess.Popen[str]) -> None:
    """Wait until a launched command has done something that can be seen."""
    deadline, pause = time.monotonic() + PATIENCE, 0.001
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline, "nothing happened"
        time.sleep(pause)
        pause = min(1.2 * pause, LONGEST_PAUSE)  # looking takes time from the process


def processor_seconds(process: subprocess.Popen[str]) -> float:
    """Processor seconds that a launched command has used so far."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) / os.sysconf("SC_CLK_TCK")


def lines_of(path: Path) -> int:
    """Number of whole lines in a file that may not be there yet."""
    return path.read_bytes().count(b"\n") if path.exists() else 0


def rows_of(folder: Path, name: str = "runs") -> Rows:
    """Rows of a table in a folder of runs."""
    rows: Rows = pq.read_table(folder / f"{name}.parquet").to_pylist()
    return rows


def in_a_process(command: str, *arguments: Any) -> Finished:
    """Run a command line in a process of its own, as engines need that it does not have."""
    with launched(command, *arguments) as process:
        return ended(process)
