"""Registrations that wait for the first compilation, in several threads."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from solver.compiling.parts import _Stage
from tests.helpers import needs_jit

#: A thread that compiles asks for Numba's target while another one makes its first dispatcher.
CROSSED = """
import threading
from solver.compiling.parts import begin_loading

begin_loading()
import numba
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target

with global_compiler_lock:
    other = threading.Thread(target=numba.njit, args=(lambda x: x,), daemon=True)
    other.start()
    other.join(2)  # until it has its dispatcher, or waits for this thread
    asked = threading.Event()
    waiting = threading.Thread(target=lambda: (cpu_target.target_context, asked.set()), daemon=True)
    waiting.start()
    assert asked.wait(20), "each waits for the other"
"""


def test_a_registration_waits_for_no_other_thread() -> None:
    """The thread that registers may be importing what the other one, which registers, waits for."""
    stage, made = _Stage(), []
    begun, imported = threading.Event(), threading.Event()
    patient: list[bool] = []

    def register_after_import() -> None:
        begun.set()
        patient.append(imported.wait(60))

    stage.begin()
    other = threading.Thread(target=stage.add, args=(register_after_import,))
    other.start()
    assert begun.wait(60)
    stage.add(lambda: made.append("second"))  # in a module that is being imported
    imported.set()
    other.join()
    assert patient == [True]
    stage.begin()
    assert made == ["second"]


@needs_jit
@pytest.mark.slow
def test_a_thread_that_compiles_waits_for_no_dispatcher() -> None:
    """Numba's target is made before the first kernel is: two locks are taken in one order only."""
    done = subprocess.run(
        [sys.executable, "-c", CROSSED], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
