"""Searches as comparisons name them: a name with parameters behind colons, `gnrpa:level=2`.

A parameter with several values, `gnrpa:level=2,3:iterations=50,100`, stands for all combinations.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Any

from solver.errors import FieldError, InputError, quoted
from solver.system.fields import Field

#: What stands behind a comma as one more value, and not as the name of one more search.
_VALUE = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?|yes|no|true|false", re.IGNORECASE)


def words_in(text: str) -> list[str]:
    """Split a list of searches at its commas; a parameter with several values makes several.

    A number, yes or no behind a parameter is one more value of it: `uct,gnrpa:level=2,3,nrpa` are
    `uct`, `gnrpa:level=2`, `gnrpa:level=3` and `nrpa`. Repeated words count once.
    """
    searches: list[list[list[str]]] = []
    for item in text.split(","):
        head, *more = item.split(":")
        last = searches[-1][-1] if searches and len(searches[-1]) > 1 else []
        if last and "=" in last[0] and _VALUE.fullmatch(head):
            last.append(f"{last[0].partition('=')[0]}={head}")
        else:
            searches.append([[head]])
        searches[-1] += [[setting] for setting in more]
    words = (":".join(parts) for search in searches for parts in itertools.product(*search))
    return list(dict.fromkeys(words))


def name_in(word: str) -> str:
    """Name of the search, or of the file that defines it."""
    return word.partition(":")[0]


def settings_in(word: str, known: Sequence[str]) -> dict[str, str]:
    """Return the settings behind the name, each of those `known` at most once.

    Raises
    ------
    InputError
        If one is unknown or given twice.
    """
    found: dict[str, str] = {}
    for setting in word.split(":")[1:]:
        key, equals, value = setting.partition("=")
        if not equals or key not in known:
            expected = ", ".join(known)
            raise InputError(f"{word}: {quoted(setting)}, expected NAME=VALUE of: {expected}")
        if key in found:
            raise InputError(f"{word}: {key} is given twice, expected once")
        found[key] = value
    return found


def parsed_settings(
    word: str, texts: Mapping[str, str], fields: Mapping[str, Field]
) -> dict[str, Any]:
    """Return the values that the texts of settings stand for.

    Raises
    ------
    InputError
        If one does not fit its field; `word` begins the message.
    """
    values: dict[str, Any] = {}
    for key, text in texts.items():
        try:
            values[key] = fields[key].parse(text)
        except FieldError as error:
            raise InputError(f"{word}: {key} {error.complaint}") from None
    return values
