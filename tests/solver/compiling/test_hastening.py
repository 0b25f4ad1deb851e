"""Signatures, registrations and blocks with Numba's functions made quicker: as with its own."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest

from solver.compiling.jit import inlined, kernel
from solver.compiling.parts import begin_compiling
from tests.helpers import needs_jit

pytestmark = needs_jit

OPERATORS = [operator.add, operator.mul, operator.lt, operator.getitem, operator.truediv, abs]


@pytest.mark.parametrize("function", OPERATORS, ids=lambda function: function.__name__)
def test_signatures_are_those_that_numba_finds(function: Any) -> None:
    """The first look-up of a signature, and the next, find that of Numba's own look-up."""
    begin_compiling()
    from numba import types
    from numba.core.registry import cpu_target

    from solver.compiling.machine_code.hastening import _call_type, _known_call_type

    context = cpu_target.typing_context
    context.refresh()
    kind = context.resolve_value_type(function)
    array = types.Array(types.int16, 2, "C")
    three = types.literal(3)  # type: ignore[no-untyped-call]
    numbers = [types.int64, types.uint32, types.float64, types.boolean, three]
    arguments = [(array, one) for one in numbers] + [
        (one, two) for one in numbers for two in numbers
    ]
    if function is abs:
        arguments = [(one,) for one in numbers]
    found = 0
    for args in arguments:
        try:
            expected = _call_type(kind, context, args, {})
        except Exception as error:
            for _ in range(2):
                with pytest.raises(type(error)):
                    _known_call_type(kind, context, args, {})
            continue
        found += 1
        for _ in range(2):
            assert _known_call_type(kind, context, args, {}) == expected
            assert kind.get_impl_key(expected) is function
    assert found > 2


@kernel
def _first(numbers: Any) -> float:
    return float(numbers[0] + len(numbers))


def test_functions_registered_after_a_kernel_are_found() -> None:
    """A function that kernels may call since another was compiled is found in the next kernel."""
    numbers = np.array([2.0, 3.0])
    assert _first(numbers) == 4

    @inlined
    def doubled(number: float) -> float:
        return 2 * number

    @kernel
    def second(numbers: Any) -> float:
        return float(doubled(numbers[1]))

    assert second(numbers) == 6


def test_code_for_other_flags_is_another_function() -> None:
    """No signature is kept whose code depends on more than the types: overloads are looked up."""
    from solver.compiling.machine_code.hastening import _signatures

    assert _first(np.array([1, 5])) == 3
    for (function, *_), signature in _signatures.items():
        assert function.get_impl_key(signature) is function.typing_key


def test_code_with_objects_is_compiled_as_ever() -> None:
    """Object mode, of whoever uses Numba in the same process, has the variables of its blocks."""
    begin_compiling()
    import numba

    @numba.jit(forceobj=True)
    def total(numbers: Any) -> Any:
        found = 0
        for number in numbers:
            if number > 1:
                found += number
        return found

    assert total(np.array([1, 2, 3])) == 5
