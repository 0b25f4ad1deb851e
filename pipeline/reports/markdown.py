"""Text for Markdown: names are escaped, never taken for markup."""

from __future__ import annotations

import re
from typing import Any

#: Signs that mean something anywhere in a line; `_` only at the edge of a word.
SPECIAL = re.compile(r"[\\`*\[\]<>|~&#$]|(?<![^\W_])_|_(?![^\W_])")
#: Marks that begin a list or underline a heading.
LEADING = re.compile(r"^(\d{1,9})?([-+.)])(?=\s|$)|^()([-=])(?=[-=]*$)")


class Verbatim(str):
    """Text for a block of code: it is shown as it is."""

    __slots__ = ()


def escape_markdown(value: Any) -> Any:
    """Return a text on one line with its signs escaped; anything else as it is."""
    if not isinstance(value, str) or isinstance(value, Verbatim):
        return value
    text = SPECIAL.sub(lambda found: "\\" + found[0], " ".join(value.split()))
    return LEADING.sub(lambda found: f"{found[1] or ''}\\{found[2] or found[4]}", text)


def fence(text: str) -> Verbatim:
    """Return `text` in a block of code that no line of it can end."""
    longest = max((len(found) for found in re.findall("`+", text)), default=0)
    ticks = "`" * max(3, longest + 1)
    return Verbatim(f"{ticks}text\n{text}\n{ticks}")
