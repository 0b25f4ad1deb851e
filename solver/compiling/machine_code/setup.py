"""Settings of Numba, made before the first kernel is compiled or loaded."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import Any

import numba
from llvmlite.binding import ffi
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target

from solver.compiling.machine_code.hastening import hasten
from solver.compiling.machine_code.lowering import pass_tuples_whole
from solver.system.cache import cache_root
from solver.system.forks import hold_over_forks

NUMBA: Any = numba.config


def set_up(*, checked: bool) -> None:
    """Name the folder of machine code, and free Numba's locks in forked processes.

    Numba makes the context of its target when it is first asked for, behind a lock, and takes the
    compiler's lock for it: a thread that compiles by then would wait for the first lock, and both
    for each other. So it is made here.
    """
    sys.meta_path.insert(0, _ScipyLater())
    pass_tuples_whole()
    hasten()
    NUMBA.CACHE_DIR = str(cache_root() / "numba" / ("checked" if checked else "code"))
    if checked:
        NUMBA.BOUNDSCHECK = 1
    _ = cpu_target.target_context
    # The thread that compiles does not go on in a forked process, nor gives the locks up there.
    for lock in (global_compiler_lock, ffi.lib._lock):
        if hasattr(lock, "_lock"):
            hold_over_forks(lock._lock)


class _ScipyLater:
    """Watcher for the import of `numba.np.arraymath`, which would import SciPy to see if it can.

    Kernels that sum or compare numbers import that module; SciPy takes longer than all else, and
    only those that multiply matrices need it, which ask for it again.
    """

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        """Find nothing; see that the next look for BLAS imports nothing."""
        if name != "numba.np.arraymath":
            return
        sys.meta_path.remove(self)
        from numba.np import linalg

        ensure_blas = linalg.ensure_blas

        def ensure_scipy() -> None:
            linalg.ensure_blas = ensure_blas
            if find_spec("scipy") is None:
                raise ImportError("SciPy is required for linear algebra")

        linalg.ensure_blas = ensure_scipy
