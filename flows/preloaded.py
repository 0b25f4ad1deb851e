"""All that a worker process of a flow imports before its first task, imported.

The process that does so is copied for each worker, so it starts no process and
no thread; those of libraries see to it themselves.
"""

from __future__ import annotations

import prefect_dask.task_runners  # noqa: F401

import flows.compare
import flows.learn  # noqa: F401
from solver.compiling.parts import begin_loading

begin_loading()
