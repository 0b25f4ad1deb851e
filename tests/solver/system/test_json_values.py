"""Values that JSON has no words for come back as they were."""

from __future__ import annotations

import json
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

from solver.system.json_values import from_json, to_json


class Pair(NamedTuple):
    sequence: str
    numbers: Any


@dataclass(frozen=True)
class Point:
    x: float
    label: str | None = None


def back(value: Any) -> Any:
    return from_json(json.loads(json.dumps(to_json(value))))


@pytest.mark.parametrize(
    "value",
    [
        None, True, 7, -0.1, float("-inf"), "text\n\u2026", [], (), [1, (2, [3.5])],
        {1: "a", (2, "b"): [None]}, {"list": [1]}, Pair("GC", (1, 2)), Point(0.1), Point(2.0, "p"),
        [Pair("A", [Point(1.0)])],
    ],
)  # fmt: skip
def test_values_come_back_with_their_types(value: Any) -> None:
    """Lists stay lists, tuples tuples, records what they were."""
    found = back(value)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint64, np.float32, np.float64, np.bool_])
def test_arrays_come_back_with_dtype_and_shape(dtype: type) -> None:
    """An array has the same shape, dtype and entries, a number of NumPy its type."""
    array: Any = np.arange(6).reshape(2, 3).astype(dtype)
    found = back(Pair("x", array)).numbers
    assert (found.dtype, found.shape) == (array.dtype, array.shape)
    assert np.array_equal(found, array)
    assert type(back(array[1, 2])) is type(array[1, 2])
    assert back(np.zeros((0, 2), dtype)).shape == (0, 2)


@pytest.mark.parametrize("value", [object(), {1, 2}, b"bytes", np.array(["text"]), OrderedDict()])
def test_what_cannot_come_back_is_refused(value: Any) -> None:
    """A value of another class is refused when it is written."""
    with pytest.raises(TypeError):
        to_json([value])


@pytest.mark.parametrize(
    "text",
    [
        "[1]", '{"tuple": 3}', '{"no": []}', '{"list": [], "tuple": []}', "{}",
        '{"array": ["no", [1], [1]]}', '{"array": ["<i8", [2], [1]]}',
        '{"record": ["os:system", ["true"]]}', '{"record": ["subprocess:Popen", ["true"]]}',
        '{"record": ["not.imported:Thing", []]}', '{"scalar": 1}',
    ],
)  # fmt: skip
def test_other_text_is_refused(text: str) -> None:
    """Nothing is made of what `to_json` does not write, least of all a call."""
    with pytest.raises(ValueError, match="no value"):
        from_json(json.loads(text))
