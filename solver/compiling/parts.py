"""Functions that kernels call: compiled for them, and rules kept on disk for others.

Numba takes as long to import as everything else that a command needs before it searches, and a
kernel that is loaded from disk needs little of it. So it is set up when the first kernel is used,
and told of functions when the first one is compiled: until then registrations wait.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

from solver.system.forks import lock_over_forks

F = TypeVar("F", bound=Callable[..., Any])

PLAIN_VARIABLE = "NESTOR_PLAIN"
#: True if Numba compiles as it does by itself: slower, with nothing kept on disk, for versions of
#: it whose insides are not those that the modules of `machine_code` build on.
PLAIN = os.environ.get(PLAIN_VARIABLE, "0") not in ("", "0")

CHECK_VARIABLE = "NESTOR_CHECK"
#: True if kernels check the bounds of arrays, for authors of domains; see `solver.testing`.
CHECKED = os.environ.get(CHECK_VARIABLE, "0") not in ("", "0")


class _Stage:
    """Calls that wait for a first time; after it they are made at once."""

    def __init__(self) -> None:
        self._waiting: list[Callable[[], object]] = []
        self._has_begun = False
        self._lock: Any = lock_over_forks()

    def add(self, call: F) -> F:
        """Call `call` before the stage begins, at once if it has begun.

        A module that is being imported waits for nobody: another thread, which makes the calls, may
        wait for the module. That thread, or the next compilation, makes this one, too.
        """
        self._waiting.append(call)
        if self._has_begun and self._lock.acquire(blocking=False):
            try:
                self.begin()
            finally:
                self._lock.release()
        return call

    def begin(self) -> None:
        """Make the calls that wait, in order."""
        with self._lock:
            self._has_begun = True
            while self._waiting:
                self._waiting.pop(0)()


_loading, _compiling = _Stage(), _Stage()

#: Call a function before the first kernel is loaded from disk, or compiled.
before_loading = _loading.add
#: Call a function before the first kernel is compiled.
before_compiling = _compiling.add


@before_loading
def _set_up() -> None:
    from solver.compiling.machine_code.setup import set_up

    set_up(checked=CHECKED)


@before_compiling
def _inline_scalars() -> None:
    if not PLAIN:
        from solver.compiling.machine_code.scalars import inline_scalars

        inline_scalars()


def begin_loading() -> None:
    """Import Numba and make all kernels ready to be loaded."""
    _loading.begin()


def begin_compiling() -> None:
    """Tell Numba of all functions that kernels call."""
    _loading.begin()
    _compiling.begin()


def part(
    function: Callable[..., Any], *, forceinline: bool, keep: bool = False
) -> Callable[[F], F]:
    """Decorate Numba's `overload` of `function`, for parts of kernels.

    One version serves all widths of integers, and all callers: Numba would compile one for each.

    Parameters
    ----------
    forceinline : bool
        Copy the code into every caller, or else into none.
    keep : bool
        Keep the code on disk, with that of all that it calls, for other kernels in other processes.
    """
    options: Any = {"forceinline": forceinline, "error_model": "numpy"}

    def decorate(resolve: F) -> F:
        @before_compiling
        def register() -> None:
            if PLAIN:
                from numba.extending import overload

                overload(function, jit_options=options, strict=False)(resolve)
                return
            from solver.compiling.machine_code.compilers import shared_overload

            shared_overload(function, options, keep=keep)(resolve)

        return resolve

    return decorate
