"""`int`, `min` and `max` of numbers in kernels: values of Python's, types of Numba's."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from solver.compiling.jit import kernel
from solver.compiling.parts import begin_compiling
from tests.helpers import needs_jit

NAN = math.nan


@needs_jit
@pytest.mark.parametrize("function", [int, min, max], ids=lambda function: function.__name__)
def test_types_are_those_that_numba_finds(function: Any) -> None:
    """The result of a call has the type that Numba's own function gives it."""
    begin_compiling()
    from numba import types
    from numba.core.registry import cpu_target

    from solver.compiling.machine_code.scalars import _OfNumbers

    context = cpu_target.typing_context
    context.refresh()
    templates = context.resolve_value_type(function).templates
    [own] = [template for template in templates if issubclass(template, _OfNumbers)]
    [numbas] = [
        template
        for template in templates
        if getattr(template, "_overload_func", function).__name__ == f"ol_{function.__name__}"
        and template._overload_func.__module__ == "numba.cpython.builtins"
    ]
    kinds = [types.int64, types.int8, types.uint32, types.uint64, types.float32, types.boolean]
    calls: list[tuple[Any, ...]]
    if function is int:
        calls = [(kind,) for kind in kinds]
    else:
        calls = [(one, two) for one in kinds for two in kinds]
        calls += [(types.int16, types.float64, types.uint8)]
    for args in calls:
        expected = numbas(context).apply(args, {})
        assert own(context).apply(args, {}).return_type == expected.return_type


@kernel
def _extremes(one: Any, two: Any, three: Any) -> tuple[Any, Any, Any, Any]:
    return min(one, two), max(one, two), min(one, two, three), max(one, two, three)


@kernel
def _whole(number: Any) -> Any:
    return int(number)


@pytest.mark.parametrize(
    "numbers",
    [(3, -2, 7), (2.5, 2.0, 2.25), (1.5, NAN, 2.5), (NAN, 1.0, 0.5), (-0.0, 0.0, 1.0), (4, 3.5, 9)],
    ids=str,
)
def test_extremes_are_pythons(numbers: tuple[Any, Any, Any]) -> None:
    """A comparison with NaN keeps the first number, as in Python."""
    one, two, _ = numbers
    expected = min(one, two), max(one, two), min(numbers), max(numbers)
    np.testing.assert_array_equal(np.array(_extremes(*numbers)), np.array(expected, dtype=float))


@pytest.mark.parametrize(
    "number", [5, -5, 2.75, -2.75, True, np.uint8(200), np.float32(7.5)], ids=repr
)
def test_whole_numbers_are_pythons(number: Any) -> None:
    """Numbers lose what is behind the point."""
    assert _whole(number) == int(number)
