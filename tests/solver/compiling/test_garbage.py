"""Garbage of compiling: put off, but collected in the end."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

from solver.compiling.parts import begin_compiling
from tests.helpers import needs_jit


class _Cycle:
    def __init__(self) -> None:
        self.own = self
        self.rest: list[_Cycle] = []


def _garbage_of(objects: int) -> Any:
    cycle = _Cycle()
    found = weakref.ref(cycle)
    cycle.rest = [_Cycle() for _ in range(objects)]
    return found


@needs_jit
def test_garbage_is_collected_once_there_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Collections pass over what kernels left behind, until it is more than may wait."""
    begin_compiling()
    from solver.compiling.machine_code.compilers import _Garbage

    monkeypatch.setattr(_Garbage, "MOST", 5000)
    garbage = _Garbage()
    gc.collect()
    gc.disable()
    try:
        first = _garbage_of(1000)
        garbage.put_off()
        gc.collect()
        assert first() is not None
        _garbage_of(10_000)
        garbage.put_off()
        assert first() is None
        assert gc.get_freeze_count() == 0
    finally:
        gc.unfreeze()
        gc.enable()
