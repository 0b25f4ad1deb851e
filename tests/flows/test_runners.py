"""Runners of tasks: the processes of a local Dask cluster."""

from __future__ import annotations

import os
import sys

import pytest

pytest.importorskip("prefect_dask", reason="the extra `dask` is not installed")

# Prefect, Dask and what they stand on warn of their own future.
pytestmark = pytest.mark.filterwarnings("default")

#: True in a process that has imported flows, and Numba for their kernels.
HAS_IMPORTED = "{'flows.learn', 'flows.compare', 'numba'} <= set(__import__('sys').modules)"


@pytest.mark.skipif(sys.platform != "linux", reason="processes are copied on Linux alone")
def test_workers_are_copies_of_a_process_that_has_imported() -> None:
    """All have one parent, which is neither this process nor a worker, with one thread for BLAS."""
    from distributed import Client, LocalCluster

    from flows.runners import DASK, task_runner

    kwargs = task_runner(DASK, 2).cluster_kwargs  # type: ignore[attr-defined]
    with LocalCluster(**kwargs) as cluster, Client(cluster) as client:  # type: ignore[no-untyped-call]
        client.wait_for_workers(2)
        assert list(client.run(eval, HAS_IMPORTED).values()) == [True, True]
        parents = set(client.run(os.getppid).values())
        assert len(parents) == 1
        assert not parents & {os.getpid(), *client.run(os.getpid).values()}
        assert set(client.run(os.getenv, "OMP_NUM_THREADS").values()) == {"1"}
