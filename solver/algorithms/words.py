"""Searches as comparisons name them: a name with parameters behind colons, `gnrpa:level=2`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from solver.errors import FieldError, InputError, quoted
from solver.system.fields import Field


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
