"""Lines of JSON that a benchmark keeps, so that the same command goes on where it stopped."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any


class KeptLines:
    """A file with a JSON value in each line, read once and then appended to by any thread."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        whole, end, cut = text.rpartition("\n")
        if cut:  # killed in the middle of a line
            path.write_text(whole + end, encoding="utf-8")
        self._path = path
        self._lock = threading.Lock()
        self.values: list[Any] = [json.loads(line) for line in whole.splitlines()]

    def append(self, value: Any) -> None:
        """Keep `value`, whatever happens next."""
        self.extend([value])

    def extend(self, values: Sequence[Any]) -> None:
        """Keep values that are made together, in one write."""
        with self._lock, self._path.open("a", encoding="utf-8") as file:
            self.values.extend(values)
            file.write("".join(f"{json.dumps(value)}\n" for value in values))
