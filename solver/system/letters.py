"""Letters that a text can be written with, whole and in one line; numbers with their nouns."""

from __future__ import annotations

import unicodedata

#: Control signs, halves of characters, ends of lines and of paragraphs.
_KINDS = frozenset({"Cc", "Cs", "Zl", "Zp"})


def is_whole(text: str) -> bool:
    """Return whether `text` can be written as UTF-8: JSON may have halves of characters."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def _is_escaped(path: str) -> bool:
    """Return whether all halves of characters in `path` stand for bytes, as Python has it."""
    return not any("\ud800" <= one <= "\udc7f" or "\udd00" <= one <= "\udfff" for one in path)


def printable_name(path: str) -> str:
    r"""Return a file's name as UTF-8 can write it: bytes that are none are `\xff`."""
    halves = "surrogateescape" if _is_escaped(path) else "backslashreplace"
    return path.encode("utf-8", halves).decode("utf-8", "backslashreplace")


def is_one_line(text: str) -> bool:
    """Return whether `text` can stand in a line: whole, and no control sign in it but tabs."""
    plain = text.replace("\t", " ")
    return plain.isprintable() or not any(unicodedata.category(one) in _KINDS for one in plain)


def plural(n: int, noun: str, several: str = "") -> str:
    """Return a number with its noun."""
    return f"{n:,} {noun if n == 1 else several or noun + 's'}"
