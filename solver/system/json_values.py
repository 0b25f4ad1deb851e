"""JSON of types that JSON lacks: arrays, tuples, and records of them."""

from __future__ import annotations

import dataclasses
import sys
from typing import Any

#: Types that JSON has itself.
_PLAIN = (type(None), bool, int, float, str)
#: Kinds of arrays: booleans and numbers.
_KINDS = "biuf"


def to_json(value: Any) -> Any:
    """Return `value` as `json.dumps` takes it and `from_json` reads it.

    Raises
    ------
    TypeError
        If it is not made of numbers, texts, lists, tuples, dicts, arrays and records, which are
        NamedTuples and dataclasses.
    """
    import numpy as np  # which `--help` does not need

    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind in (list, tuple):
        return {kind.__name__: [to_json(item) for item in value]}
    if kind is dict:
        return {"dict": [[to_json(key), to_json(item)] for key, item in value.items()]}
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in _KINDS:
        name = "array" if isinstance(value, np.ndarray) else "scalar"
        return {name: [value.dtype.str, value.shape, value.ravel().tolist()]}
    fields = _fields(kind)
    name = f"{kind.__module__}:{kind.__qualname__}"
    if fields is None or _record(name) is not kind:
        raise TypeError(f"no JSON for {kind.__name__}")
    return {"record": [name, [to_json(getattr(value, field)) for field in fields]]}


def from_json(value: Any) -> Any:
    """Invert `to_json`: return the object that `value` was made of.

    Raises
    ------
    ValueError
        If it made it of nothing, or a record is of a class that was not imported.
    """
    import numpy as np

    if type(value) in _PLAIN:
        return value
    try:
        ((name, content),) = value.items()
        if name in ("list", "tuple"):
            items = [from_json(item) for item in content]
            return items if name == "list" else tuple(items)
        if name == "dict":
            return {from_json(key): from_json(item) for key, item in content}
        if name in ("array", "scalar"):
            dtype, shape, flat = content
            array = np.array(flat, np.dtype(dtype)).reshape(shape)
            return array if name == "array" else array[()]
        word, values = content
        cls = _record(word)
        if name == "record" and cls is not None and (fields := _fields(cls)) is not None:
            items = [from_json(item) for item in values]
            return cls(**dict(zip(fields, items, strict=True)))
    except (AttributeError, TypeError, ValueError) as error:
        raise ValueError("no value") from error
    raise ValueError("no value")


def _fields(cls: type) -> list[str] | None:
    """Names of the fields of a record, None for other classes."""
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return list(cls._fields)
    if dataclasses.is_dataclass(cls):
        return [field.name for field in dataclasses.fields(cls)]
    return None


def _record(name: str) -> type | None:
    """Return the class that `MODULE:NAME` names, None where there is none, or it is no record."""
    module, _, path = name.partition(":")
    found: Any = sys.modules.get(module)
    for part in path.split("."):
        found = getattr(found, part, None)
    return found if isinstance(found, type) and _fields(found) is not None else None
