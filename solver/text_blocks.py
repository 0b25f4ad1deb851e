"""Text files of several problems: blocks between blank lines, each with a name above it."""

from __future__ import annotations

from collections.abc import Iterator

NumberedLine = tuple[int, str]


def numbered_lines(text: str) -> list[NumberedLine]:
    """Lines of `text`, counted from 1."""
    return list(enumerate(text.splitlines(), start=1))


def named_blocks(
    lines: list[NumberedLine], source: str
) -> Iterator[tuple[str, list[NumberedLine]]]:
    """Split the numbered lines at blank lines; a line with `#` before a block names it.

    Blocks without a name are called `source`, `source#2` and so on by their place.
    """
    name = ""
    block: list[NumberedLine] = []
    n_blocks = 0
    for number, line in [*lines, (len(lines) + 1, "")]:
        if line.startswith("#"):
            name = line[1:].strip() if not block else name
        elif line.strip():
            block.append((number, line))
        elif block:
            n_blocks += 1
            yield name or (source if n_blocks == 1 else f"{source}#{n_blocks}"), block
            name, block = "", []
