"""Runners of tasks: the processes of a local Dask cluster."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("prefect_dask", reason="the extra `dask` is not installed")

ROOT = Path(__file__).parents[2]
#: In a process of its own: one that has made copies before goes on copying what it imported then.
SCRIPT = """
import os
from distributed import Client, LocalCluster
from flows.runners import DASK, task_runner

imported = "{'flows.learn', 'flows.compare', 'numba'} <= set(__import__('sys').modules)"
with LocalCluster(**task_runner(DASK, 2).cluster_kwargs) as cluster, Client(cluster) as client:
    client.wait_for_workers(2)
    assert list(client.run(eval, imported).values()) == [True, True]
    parents = set(client.run(os.getppid).values())
    assert len(parents) == 1
    assert not parents & {os.getpid(), *client.run(os.getpid).values()}
    assert set(client.run(os.getenv, "OMP_NUM_THREADS").values()) == {"1"}
"""


@pytest.mark.skipif(sys.platform != "linux", reason="processes are copied on Linux alone")
def test_workers_are_copies_of_a_process_that_has_imported() -> None:
    """All have one parent, which is neither this process nor a worker, with one thread for BLAS."""
    command = [sys.executable, "-c", SCRIPT]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
