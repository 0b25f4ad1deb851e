"""Latin squares as MiniZinc writes them: arrays of two dimensions in data files.

`start = [| 1, 0, 3 | 0, 0, 0 | 3, 0, 2 |];` has values 1 ... order and 0 for a hole; `_` and `<>`
are holes, too. `%` begins a comment. What else the file assigns, the order above all, is not
looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from solver.errors import InputError
from solver.system.text_blocks import NumberedLine

ARRAY = re.compile(r"(?:([A-Za-z]\w*)\s*(?::[^=]*)?=\s*)?\[\|(.*?)\|\]", re.DOTALL)


def is_minizinc(text: str) -> bool:
    """Return whether `text` has an array of MiniZinc."""
    return "[|" in re.sub("%.*", "", text)


def minizinc_blocks(text: str, source: str) -> Iterator[tuple[str, list[NumberedLine]]]:
    """Yield the name and the numbered rows of each array in `text`, as rows of a text grid.

    Raises
    ------
    InputError
        If an array has no end.
    """
    text = re.sub("%.*", "", text)
    found = list(ARRAY.finditer(text))
    begins = [match.start() for match in re.finditer(r"\[\|", text)]
    if len(found) < len(begins):
        line = text.count("\n", 0, begins[len(found)]) + 1
        raise InputError(f"{source}: line {line}: an array begins, expected its end, |]")
    for match in found:
        name = f"{source}: {match[1]}" if len(found) > 1 and match[1] else source
        rows, place = [], match.start(2)
        for row in match[2].split("|"):
            if row.strip():
                begin = place + len(row) - len(row.lstrip())
                words = row.replace("<>", "_").replace(",", " ")
                rows.append((text.count("\n", 0, begin) + 1, " ".join(words.split())))
            place += len(row) + 1
        yield name, rows
