"""Functions that kernels call are linked into them, however deep they lie, whoever else calls."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
from numba.core.codegen import JITCodeLibrary
from numba.core.registry import cpu_target

from solver.compiling.jit import inlined, kernel
from solver.compiling.machine_code import linking
from solver.compiling.parts import begin_compiling, part
from tests.helpers import needs_jit

pytestmark = needs_jit


@inlined
def _half(number: int) -> int:
    return number // 2


@inlined
def _steps_down(number: int) -> int:
    steps = 0
    while number > 1:
        number = _half(number)
        steps += 1
    return steps


@inlined
def _half_and_steps(number: int) -> int:
    return _half(number) + 100 * _steps_down(number)


@kernel
def _sum_of_all(numbers: Any) -> int:
    total = 0
    for number in numbers:
        total += _half_and_steps(number) + _half(number)
    return total


def _plain(number: int) -> int:
    return 100 * (number.bit_length() - 1) + number // 2


NUMBERS = np.array([1, 2, 7, 64, 1000])
SUM = sum(_plain(number) + number // 2 for number in NUMBERS.tolist())


def test_a_part_of_parts() -> None:
    """A function that only a part calls is linked, one that two call is linked once."""
    assert _sum_of_all(NUMBERS) == SUM


class _Named:
    """Stand-in for a library: a name, and what it calls."""

    def __init__(self, name: str, *called: Any) -> None:
        self.name, self._linking_libraries = name, [*called]


def test_each_function_is_linked_behind_all_that_call_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Linked before one of them, it would be dropped, and missing."""
    monkeypatch.setattr(linking, "Part", _Named)
    shared = _Named("shared", _Named("below"))
    caller = _Named("caller", _Named("another", shared))
    order = linking._called_by(_Named("kernel", shared, caller))  # type: ignore[arg-type]
    names = [library.name for library in order]
    assert names == ["caller", "another", "shared", "below"]


def test_callers_that_are_no_kernels() -> None:
    """A compiled function of anybody can call parts, and kernels that have the same ones."""

    @numba.njit
    def anybody(numbers: Any) -> int:
        return _half_and_steps(numbers[3]) + _sum_of_all(numbers)

    assert anybody(NUMBERS) == _plain(64) + SUM


def test_what_stands_in_for_python_calls_parts() -> None:
    """So can what stands in for a function of Python."""

    def in_python(number: int) -> int:
        return -1

    @part(in_python, forceinline=True)
    def _in_python(number: Any) -> Any:
        def compiled(number: Any) -> Any:  # Numba wants the same annotations
            return _half_and_steps(number)

        return compiled

    @kernel
    def ask(number: int) -> int:
        return in_python(number)

    assert (in_python(64), ask(64)) == (-1, _plain(64))


def test_kernels_alone_become_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Machine code is made of the kernel, and once."""
    begin_compiling()
    cpu_target.target_context.refresh()  # makes code of Numba's own
    made = []
    finalize: Any = JITCodeLibrary._finalize_final_module

    def counting(library: Any) -> None:
        made.append(library.name)
        finalize(library)

    monkeypatch.setattr(JITCodeLibrary, "_finalize_final_module", counting)

    @inlined
    def one_more(number: int) -> int:
        return number + 1

    @inlined
    def two_more(number: int) -> int:
        return one_more(one_more(number))

    @kernel
    def ask(number: int) -> int:
        return two_more(number)

    assert ask(5) == 7
    assert [name.rpartition(".")[2] for name in made] == ["ask"]
