"""Text files of several problems: blocks between blank lines, each with a name above it."""

from __future__ import annotations

from collections.abc import Iterator

NumberedLine = tuple[int, str]


def numbered_lines(text: str) -> list[NumberedLine]:
    """Lines of `text`, counted from 1."""
    return list(enumerate(text.splitlines(), start=1))


def is_comment(line: str) -> bool:
    """Return whether the first character of `line` that is no blank is `#`."""
    return line.lstrip().startswith("#")


def content_lines(text: str) -> list[NumberedLine]:
    """Lines of `text` that are neither blank nor comments, with the numbers they have in it."""
    return [(n, line) for n, line in numbered_lines(text) if line.strip() and not is_comment(line)]


def named_blocks(
    lines: list[NumberedLine], source: str
) -> Iterator[tuple[str, list[NumberedLine]]]:
    """Split the numbered lines at blank lines; the last comment before a block names it.

    Comments within a block are skipped. Blocks without a name are called `source`,
    `source#2` and so on by their place.
    """
    name = ""
    block: list[NumberedLine] = []
    n_blocks = 0
    for number, line in [*lines, (len(lines) + 1, "")]:
        if is_comment(line):
            name = line.strip()[1:].strip() if not block else name
        elif line.strip():
            block.append((number, line))
        elif block:
            n_blocks += 1
            yield name or (source if n_blocks == 1 else f"{source}#{n_blocks}"), block
            name, block = "", []


def whole_number(word: str, least: int, most: int) -> int | None:
    """The number that `word` writes in decimal digits; None if it is none of `least` ... `most`."""
    if not (word.isascii() and word.isdecimal()) or len(word) > len(str(most)):
        return None
    number = int(word)
    return number if least <= number <= most else None
