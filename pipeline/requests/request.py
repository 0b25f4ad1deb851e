"""Base class of requests: frozen dataclasses of plain data, which travel as JSON."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from solver.errors import InputError, quoted


@dataclasses.dataclass(frozen=True)
class Request:
    """A request; its fields are numbers, texts, lists and dicts of such."""

    @property
    def plain(self) -> dict[str, Any]:
        """The fields, as `json` writes them."""
        plain: dict[str, Any] = json.loads(json.dumps(dataclasses.asdict(self)))
        return plain

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> Self:
        """Return the request whose `plain` this is.

        Raises
        ------
        InputError
            If a field is missing or unknown: the other process has another version.
        """
        known = {field.name for field in dataclasses.fields(cls)}
        for name in sorted(known ^ set(plain)):
            what = "lacks" if name in known else "has the unknown field"
            raise InputError(f"a {cls.__name__} {what} {quoted(name)}: made by another version")
        return cls(**plain)


def absolute_file(name: str) -> str:
    """Return the absolute path of the file `name`; any other name as it is."""
    return str(Path(name).absolute()) if Path(name).is_file() else name
