"""What a job of the page is asked for: typed, checked, and JSON between browser and processes."""

from __future__ import annotations

import dataclasses
import math
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from solver.commands.options import from_values, option_word
from solver.domains.rna.engines import NO_ENGINE, check_engine
from solver.domains.rna.formats import parse_targets
from solver.domains.rna.loops import check_foldable
from solver.domains.rna.requests.contradictions import check_possible
from solver.domains.rna.requests.options import RnaRequests
from solver.domains.rna.text import RnaTarget
from solver.errors import InputError, quoted

#: What targets without a name are called.
UNNAMED = "target"
#: A job of more seconds for a target is a slip of the fingers.
MOST_SECONDS = 24 * 3600.0


@dataclass(frozen=True)
class DesignRequest:
    """Targets, and what their designs shall be.

    Raises
    ------
    InputError
        If one of the numbers makes no sense, or there is no such engine.
    """

    targets: str
    """Text in one of the formats of files."""
    engine: str = "vienna2"
    seconds: float = 30.0
    """For each target."""
    seed: int = 0
    requests: RnaRequests = field(default_factory=RnaRequests)

    def __post_init__(self) -> None:
        check_engine(self.engine, "--")
        if self.engine == NO_ENGINE:
            raise InputError(f"--engine is {NO_ENGINE}, expected one that folds")
        if not 0 < self.seconds <= MOST_SECONDS:
            raise InputError(f"--seconds is {self.seconds:g}, expected 0 ... {MOST_SECONDS:,.0f}")
        if not 0 <= self.seed < 2**63:
            raise InputError(f"--seed is {self.seed}, expected 0 or more")
        self.requests.check_engine(self.engine)

    @property
    def plain(self) -> dict[str, object]:
        """All fields in one object, as `json` writes it."""
        fields = dataclasses.asdict(self)
        return fields | fields.pop("requests")

    @classmethod
    def of(cls, plain: object) -> Self:
        """Return the request whose `plain` this is; numbers may be written as texts.

        Raises
        ------
        InputError
            If a field is unknown, or not of its kind.
        """
        if not isinstance(plain, Mapping):
            raise InputError(f"{quoted(plain)}, expected an object")
        own, asked = _kinds(cls), _kinds(RnaRequests)
        del own["requests"]
        for name in plain:
            if name not in own | asked:
                raise InputError(f"{quoted(name)}, expected one of: {', '.join(own | asked)}")
        values = {name: _value(name, (own | asked)[name], given) for name, given in plain.items()}
        of_designs = {name: values.pop(name) for name in asked if name in values}
        requests = from_values(RnaRequests, of_designs)
        return from_values(cls, {"targets": "", **values, "requests": requests})

    def named_targets(self) -> list[tuple[str, RnaTarget]]:
        """Return the targets, each of which designs may exist for.

        Raises
        ------
        InputError
            With the line and position of what is wrong, or with what no design can be.
        """
        found = parse_targets(self.targets, UNNAMED)
        for name, target in found:
            if not target.is_simple:
                raise InputError(
                    f"{name}: switches and two strands are designed by `solve rna`, not here"
                )
            check_foldable(target.structure, name)
            self.requests.check_length(len(target.structure), name)
            check_possible(target, self.requests, name)
        return found


def _kinds(cls: type) -> dict[str, type]:
    hints = typing.get_type_hints(cls)
    return {field.name: hints[field.name] for field in dataclasses.fields(cls)}


def _value(name: str, kind: type, given: object) -> str | float:
    """`given` as a `kind`: a text, or a number that may be written as one."""
    option = option_word(name)
    if kind is str:
        if isinstance(given, str):
            return given
        raise InputError(f"{option} is {quoted(given)}, expected text")
    expected = "a whole number" if kind is int else "a number"
    if isinstance(given, (str, int, float)) and not isinstance(given, bool):
        try:
            number = kind(given.strip() if isinstance(given, str) else given)
        except (ValueError, OverflowError):
            number = math.nan
        if math.isfinite(number) and (isinstance(given, str) or number == given):
            return number
    raise InputError(f"{option} is {quoted(given)}, expected {expected}")
