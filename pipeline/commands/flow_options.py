"""`--flow` of the commands: the same work as a Prefect flow, found by its entry point.

Imports point one way: flows are named here, never imported.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import shlex
import socket
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress

from pipeline.requests.request import Request
from solver.commands.progress import is_quiet
from solver.commands.subjects import long_words
from solver.errors import InputError, quoted
from solver.system.letters import printable_name
from solver.system.shipped import install_command

#: Options of an evaluation, each with a value.
EVALUATION = (
    "--held-out", "--held-out-playouts", "--held-out-algorithm", "--held-out-set", "--margin",
)  # fmt: skip
#: Options that say how the work is done and judged, and how many values each takes.
HOW = {
    "--flow": 0, "--evaluate": 0, "--replace": 0, "--runner": 1, "--threads": 1, "--work": 1,
    **dict.fromkeys(EVALUATION, 1),
}  # fmt: skip


SCHEME = "dask://"
MAX_PORT = 65535
#: A scheduler that is there answers in less.
CONNECT_SECONDS = 3.0


def add_flow_options(group: argparse._ActionsContainer) -> None:
    """Add the options of flows to an argument group."""
    group.add_argument("--flow", action="store_true", help="run as a Prefect flow (extra `flows`)")
    group.add_argument(
        "--runner",
        metavar="WHERE",
        default="threads",
        help="with --flow: threads, dask (--threads worker processes here) or dask://HOST:PORT",
    )


def load_flow(name: str, request: Request, runner: str) -> int:
    """Run the flow of the command `name` with its request; returns the exit status.

    Raises
    ------
    InputError
        If Prefect, or Dask, is not installed.
    """
    found = importlib.metadata.entry_points(group="nestor.flows", name=name)
    if not found:
        raise InputError("--flow: the flows are not installed, run from a checkout")
    if is_quiet():
        os.environ.setdefault("PREFECT_LOGGING_LEVEL", "ERROR")  # read when it is imported
    try:
        command = next(iter(found)).load()
        return int(command(request, runner))
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("prefect", "prefect_dask"):
            raise
        extra = "dask" if error.name.startswith("prefect_dask") else "flows"
        raise InputError(
            f"--flow needs {error.name}, which is not installed: {install_command(extra)}"
        ) from None


def scheduler_address(runner: str) -> tuple[str, int]:
    """Return host and port of the Dask scheduler that `--runner` names.

    Raises
    ------
    InputError
        If there are none in it.
    """
    host, _, port = runner.removeprefix(SCHEME).rpartition(":")
    if not host or not (port.isascii() and port.isdigit()) or int(port) > MAX_PORT:
        raise InputError(f"--runner is {quoted(runner)}, expected {SCHEME}HOST:PORT")
    return host, int(port)


def check_runner(runner: str) -> None:
    """Raise `InputError` if nobody listens where a Dask scheduler should.

    For the commands, before they plan anything and import Prefect: both take seconds.
    """
    if runner.startswith(SCHEME):
        address = scheduler_address(runner)
        within_seconds(lambda: socket.create_connection(address, CONNECT_SECONDS).close(), runner)


def within_seconds(connect: Callable[[], None], runner: str) -> None:
    """Raise `InputError` unless `connect` succeeds in a few seconds.

    In a thread that may be left behind: looking up a host takes longer than any time-out.
    """
    done: list[bool] = []

    def attempt() -> None:
        with suppress(Exception):  # nobody there, no such host, or something else that listens
            connect()
            done.append(True)

    thread = threading.Thread(target=attempt, daemon=True)
    thread.start()
    thread.join(CONNECT_SECONDS + 1)
    if not done:
        raise InputError(f"--runner is {quoted(runner)}: no Dask scheduler answers there")


def table_command(command: str, argv: Sequence[str]) -> str:
    """Command line that gives the same result, without how the work is done and judged."""
    kept = []
    values = 0
    for argument in long_words(argv):
        if values:
            values -= 1
        elif argument in HOW:
            values = HOW[argument]
        elif argument.partition("=")[0] not in HOW:
            kept.append(argument)
    return printable_name(f"{command} {shlex.join(kept)}")


def overridden(arguments: Sequence[str], more: Sequence[str]) -> list[str]:
    """Return `arguments`, less the options that `more` gives anew, then `more`."""
    more = long_words(more)
    given = {argument.partition("=")[0] for argument in more if argument.startswith("--")}
    kept: list[str] = []
    skip = False
    for argument in long_words(arguments):
        if skip and not argument.startswith("--"):  # the value of an option that is no switch
            skip = False
            continue
        skip = argument in given
        if skip:
            continue
        if argument.partition("=")[0] not in given:
            kept.append(argument)
    return [*kept, *more]
