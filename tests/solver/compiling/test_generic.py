from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba.core.errors import TypingError

from solver.compiling.generic import generic
from solver.compiling.jit import kernel
from tests.helpers import needs_jit


class Circle(NamedTuple):
    radius: float


class Square(NamedTuple):
    side: float
    unused: int = 0


class Blob(NamedTuple):
    size: float


@generic
def area(shape: Any, scale: float) -> float:
    """Area of `shape`."""
    raise NotImplementedError


@generic
def outline(shape: Any, length: float, unit: int = 1) -> float:
    """Length of the outline of `shape`."""
    raise NotImplementedError


@area.register(Circle)
def circle_area(shape: Circle, scale: float) -> float:
    return 3.0 * scale * shape.radius**2


@area.register(Square)
def square_area(shape: Square, scale: float) -> float:
    return scale * shape.side**2


@kernel
def total_area(shape: Any, scale: float, times: int) -> float:
    total = 0.0
    for _ in range(times):
        total += area(shape, scale)
    return total


@kernel
def inverse_area(shape: Any, scale: float) -> float:
    inverse: float = 1.0 / area(shape, scale)
    return inverse


def test_python_picks_by_class() -> None:
    """A call from Python runs the implementation registered for the first argument's class."""
    assert area(Circle(2.0), 1.0) == 12.0
    assert area(Square(2.0), 1.0) == 4.0


def test_compiled_code_picks_by_class() -> None:
    """A kernel compiled for two classes runs the implementation of each."""
    assert total_area(Circle(2.0), 2.0, 3) == 72.0
    assert total_area(Square(2.0), 2.0, 3) == 24.0


@needs_jit
def test_one_compilation_per_class() -> None:
    """Values do not matter: a kernel is compiled once for each class."""
    for size in (1.0, 2.0, 3.0):
        total_area(Circle(size), 1.0, 1)
        total_area(Square(size), 1.0, 1)
    compiled: Any = total_area
    classes = [signature[0].instance_class for signature in compiled.signatures]
    assert sorted(c.__name__ for c in classes) == ["Circle", "Square"]


@needs_jit
def test_compiled_division_by_zero_is_infinite() -> None:
    """Kernels follow NumPy's rules for errors."""
    assert inverse_area(Square(0.0), 1.0) == np.inf


def test_unknown_class_in_python() -> None:
    """The error names the function and the class."""
    with pytest.raises(TypeError, match=r"^area is not defined for Blob$"):
        area(Blob(1.0), 1.0)
    with pytest.raises(TypeError, match=r"^area is not defined for float$"):
        area(1.0, 1.0)


@needs_jit
def test_unknown_class_in_compiled_code() -> None:
    """Numba's error names the function and the class."""
    with pytest.raises(TypingError, match=r"(?s)function area.*Blob"):
        total_area(Blob(1.0), 1.0, 1)


def test_wrong_parameter_names() -> None:
    """A registration whose parameters are named otherwise says what is expected."""
    message = "area for Blob: parameters are ['blob', 'scale'], expected ['shape', 'scale']"
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):

        @area.register(Blob)
        def blob_area(blob: Blob, scale: float) -> float:
            return 1.0

    assert area.implementation(Blob) is None


def test_missing_parameter() -> None:
    """A registration with too few parameters says which are expected."""
    message = "area for Blob: parameters are ['shape'], expected ['shape', 'scale']"
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):

        @area.register(Blob)
        def blob_area(shape: Blob) -> float:
            return 1.0


def test_second_registration() -> None:
    """A class has one implementation; the first stays."""
    with pytest.raises(TypeError, match=r"^area is already defined for Circle$"):

        @area.register(Circle)
        def other_area(shape: Circle, scale: float) -> float:
            return 0.0

    assert area.implementation(Circle) is circle_area
    assert area(Circle(2.0), 1.0) == 12.0


def test_register_returns_the_function() -> None:
    """A registered function stays a plain one, so that one may serve several classes."""
    registered = outline.register(Circle)(circle_outline)
    assert registered is circle_outline
    assert outline.register(Square)(circle_outline) is circle_outline
    assert outline(Square(1.0), 2.0, 3) == 6.0


def circle_outline(shape: Any, length: float, unit: int = 1) -> float:
    return length * unit


def test_generic_functions_are_separate() -> None:
    """A registration for one generic function is unknown to another."""
    assert outline.implementation(Blob) is None
    assert area.implementation(Square) is square_area


def test_name_and_docstring_are_the_stubs() -> None:
    """The generic function looks like its stub."""
    assert area.__name__ == "area"  # type: ignore[attr-defined]
    assert area.__doc__ == "Area of `shape`."
