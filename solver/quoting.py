"""Wrong values in messages: one line, however long they are."""

from __future__ import annotations

from typing import Any

#: Characters of a wrong value that a message quotes.
MAX_QUOTED = 80


def quoted(value: Any) -> str:
    """`value` as Python writes it, in one line and cut where it is long."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # an integer of thousands of digits, or deep nesting
        text = f"a {type(value).__name__}"
    return cut(text)


def cut(text: str) -> str:
    """`text` in one line of at most `MAX_QUOTED` characters."""
    line = " ".join(text[: 2 * MAX_QUOTED].split())
    return line if len(line) <= MAX_QUOTED else f"{line[: MAX_QUOTED - 3]}..."
