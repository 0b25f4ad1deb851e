"""Files of users' own, run as modules."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from solver.compiling.user_files import run_file


def test_threads_run_a_file_once(tmp_path: Path) -> None:
    """Those that come while it is run wait for the same module."""
    path = tmp_path / "my_slow_puzzle.py"
    path.write_text("import time\ntime.sleep(0.2)\nDONE = True\n")
    with ThreadPoolExecutor(4) as pool:
        modules = list(pool.map(run_file, [path] * 4))
    assert {id(module) for module in modules} == {id(modules[0])}
    assert modules[0].DONE
