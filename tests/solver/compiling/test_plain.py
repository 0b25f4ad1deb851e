"""`NESTOR_PLAIN=1`: Numba compiles as it does by itself; more of it by `make test-plain-sample`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from solver.compiling.parts import PLAIN_VARIABLE
from tests.helpers import needs_jit

ROOT = Path(__file__).parents[3]
SCRIPT = """
import json, sys
from solver.algorithms import Sampling
from solver.searching.driver import Budget, search
from tests.helpers import toy
from tests.toys.sequence import SequenceDomain

found = search(SequenceDomain(), toy("..3...0.1"), Sampling(), Budget(60), seed=3)
changes = [name for name in ("caching", "compilers", "linking")
           if f"solver.compiling.machine_code.{name}" in sys.modules]
trace = [found.trace.playouts.tolist(), found.trace.score.tolist()]
print(json.dumps([changes, found.playouts, trace, found.moves.tolist()]))
"""


def answer(plain: str) -> tuple[list[str], list[Any]]:
    """Modules that change what Numba does, and what a search finds, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=ROOT, env={**os.environ, PLAIN_VARIABLE: plain},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    changes, *found = json.loads(done.stdout)
    return changes, found


@needs_jit
def test_answers_are_the_same() -> None:
    """With nothing of Numba's changed: the modules that do so are not imported."""
    changes, found = answer("1")
    assert changes == []
    assert answer("0") == (["caching", "compilers", "linking"], found)
    assert found[0] == 60
