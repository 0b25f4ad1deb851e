"""Text files of several problems: blocks between blank lines, each with a name above it."""

from __future__ import annotations

from collections.abc import Iterator

NumberedLine = tuple[int, str]


def numbered_lines(text: str) -> list[NumberedLine]:
    """Lines of `text`, counted from 1."""
    return list(enumerate(text.splitlines(), start=1))


def named_blocks(lines: list[NumberedLine]) -> Iterator[tuple[str, list[NumberedLine]]]:
    """Split the numbered lines at blank lines; a line with `#` before a block names it."""
    name = ""
    block: list[NumberedLine] = []
    for number, line in [*lines, (len(lines) + 1, "")]:
        if line.startswith("#"):
            name = line[1:].strip() if not block else name
        elif line.strip():
            block.append((number, line))
        elif block:
            yield name, block
            name, block = "", []
