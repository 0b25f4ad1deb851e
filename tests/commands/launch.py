"""Run a command as a user does, in a process of its own, to be interrupted or killed.

`python -m tests.commands.launch COMMAND ARGUMENT...` differs from `COMMAND ARGUMENT...`
in two ways: kernels lie where the tests' other kernels do, so that nothing is
compiled twice, and shards are small.
"""

from __future__ import annotations

import importlib
import os
import sys
import warnings

import numba

from solver.compiling.parts import begin_compiling

#: Names the folder of kernels to a launched command.
KERNELS_VARIABLE = "NESTOR_TEST_KERNELS"
SHARD_INSTANCES = 5
MAIN = {
    "solve": "solver.commands.solve",
    "check": "solver.commands.check.command",
    "learn": "pipeline.commands.learn",
    "compare": "pipeline.commands.compare",
    "report": "pipeline.commands.report",
}


def main() -> None:
    begin_compiling()  # it names a folder for kernels of its own
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        # 64-bit arithmetic wraps around, with a warning.
        warnings.simplefilter("ignore", RuntimeWarning)
    numba.config.CACHE_DIR = os.environ[KERNELS_VARIABLE]  # type: ignore[attr-defined]
    command = sys.argv[1]
    if command == "learn":
        import pipeline.learning.learn

        pipeline.learning.learn.SHARD_INSTANCES = SHARD_INSTANCES
    del sys.argv[1]
    importlib.import_module(MAIN[command]).main()


if __name__ == "__main__":
    main()
