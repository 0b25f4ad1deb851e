"""Runners of a flow's tasks: threads here, worker processes here, a Dask cluster."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from prefect.task_runners import TaskRunner, ThreadPoolTaskRunner

from pipeline.commands.flow_options import (
    CONNECT_SECONDS,
    SCHEME,
    scheduler_address,
    within_seconds,
)
from solver.errors import InputError, quoted

THREADS, DASK = "threads", "dask"
#: Modules that the process to be copied for each of Dask's imports.
PRELOADED = ["distributed.nanny", "flows.preloaded"]


def check_name(runner: str) -> None:
    """Raise `InputError` if `--runner` names none."""
    if runner.startswith(SCHEME):
        scheduler_address(runner)
    elif runner not in (THREADS, DASK):
        raise InputError(
            f"--runner is {quoted(runner)}, expected threads, dask or dask://HOST:PORT"
        )


def task_runner(runner: str, workers: int) -> TaskRunner[Any]:
    """Return the task runner that `--runner` names, with so many threads or processes.

    Raises
    ------
    InputError
        If there is none of that name.
    """
    check_name(runner)
    if runner == THREADS:
        return ThreadPoolTaskRunner(max_workers=workers)
    from prefect_dask.task_runners import DaskTaskRunner

    if runner == DASK:
        if sys.platform == "linux":  # elsewhere a process may not be copied, or not safely
            _copy_workers()
        # One thread each: a task is a shard, and threads would share the interpreter's lock.
        local = {
            "n_workers": workers,
            "threads_per_worker": 1,
            "host": "127.0.0.1",
            "dashboard_address": None,
        }
        return DaskTaskRunner(cluster_kwargs=local)
    host, port = scheduler_address(runner)
    address = f"tcp://{host}:{port}"
    within_seconds(lambda: asyncio.run(_shake_hands(address)), runner)
    return DaskTaskRunner(address=address)


def _copy_workers() -> None:
    """Let Dask's worker processes be copies of one that has imported what tasks need."""
    import dask
    from distributed.utils import get_mp_context

    dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"})
    get_mp_context().set_forkserver_preload(PRELOADED)  # type: ignore[no-untyped-call]


async def _shake_hands(address: str) -> None:
    """Connect as Dask does: something else that listens there does not answer."""
    from distributed.comm.core import connect

    comm = await connect(address, timeout=CONNECT_SECONDS)  # type: ignore[no-untyped-call]
    comm.abort()
