"""Request of a job of the page: typed, checked, and JSON between browser and processes."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Self

from solver.contract.problems import Pieces, read_all
from solver.domains.rna.domain import RnaOptions
from solver.domains.rna.engines import ALL_ENGINES, LEAST_CELSIUS, MOST_CELSIUS, Engine
from solver.domains.rna.files.formats import target_pieces
from solver.domains.rna.loops import check_foldable
from solver.domains.rna.requests.contradictions import check_possible
from solver.domains.rna.requests.effects import check_effects
from solver.domains.rna.requests.options import DESIGN_DEFAULTS, RnaRequests
from solver.domains.rna.states.answers import check_states, is_compiled
from solver.domains.rna.text import RnaTarget
from solver.errors import FieldError, InputError, quoted
from solver.system.fields import Field, Range, check_fields, fields_of
from solver.system.letters import is_whole

#: Name of targets without a name.
UNNAMED = "target"
#: Targets, and characters of them all, of a job of the page: more take seconds to be looked at.
MOST_TARGETS, MOST_LETTERS = 500, 50_000
#: A job of more seconds for a target is a slip of the fingers.
MOST_SECONDS = 24 * 3600.0


@dataclass(frozen=True)
class DesignSettings:
    """Targets, and how long they are searched for designs.

    Parameters
    ----------
    targets : str
        Text in one of the formats of files.
    engine : str
        Name of a folding engine.
    celsius : float
        Temperature of its energies.
    seconds : float
        For each target.
    seed : int
        Seed of the search.

    Raises
    ------
    FieldError
        If one of the numbers is out of range, or there is no such engine.
    """

    targets: str
    engine: str = "vienna2"
    celsius: Annotated[float, Range(LEAST_CELSIUS, MOST_CELSIUS)] = Engine.celsius
    seconds: Annotated[float, Range(0, MOST_SECONDS, above=True)] = 30.0
    seed: Annotated[int, Range(0, 2**63 - 1)] = 0

    def __post_init__(self) -> None:
        check_fields(self, DesignSettings)
        if self.engine not in ALL_ENGINES:
            known = ", ".join(ALL_ENGINES)
            raise FieldError("engine", f"is {quoted(self.engine)}, expected {known}")
        _ = self.options

    @property
    def options(self) -> RnaOptions:
        """Options of the score of a sequence."""
        return RnaOptions(self.engine, self.celsius)


@dataclass(frozen=True)
class DesignRequest(DesignSettings):
    """Request of the page: its settings, and requirements on designs.

    Raises
    ------
    InputError
        If a setting or a requirement is out of range.
    """

    requests: RnaRequests = field(default_factory=RnaRequests)

    def __post_init__(self) -> None:
        super().__post_init__()
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
        asked = fields_of(RnaRequests)
        known = {**fields_of(DesignSettings), **asked}
        for name in plain:
            if name not in known:
                raise InputError(f"{quoted(name)}, expected one of: {', '.join(known)}")
        values = {name: _value(known[name], given) for name, given in plain.items()}
        of_designs = {name: values.pop(name) for name in asked if name in values}
        requests = RnaRequests(**(DESIGN_DEFAULTS | of_designs))
        return cls(**{"targets": "", **values}, requests=requests)

    def named_targets(self) -> list[tuple[str, RnaTarget]]:
        """Return the targets, each of which designs may exist for.

        Raises
        ------
        InputError
            With the line and position of what is wrong, or with what no design can be.
        """
        found = read_all(self._pieces())
        check_effects([target for _, target in found], self.requests)
        for name, target in found:
            if not is_compiled(target, self.requests, self.engine):
                check_states(target, self.requests, self.options.energies, name)
                continue
            check_foldable(target.structure, name)
            self.requests.check_length(len(target.structure), name)
            check_possible(target, self.requests, name)
        return found

    def _pieces(self) -> Pieces[RnaTarget]:
        """Tell the targets apart; an `InputError` if they take longer to check than one waits."""
        if len(self.targets) > MOST_LETTERS:
            raise InputError(
                f"{len(self.targets):,} characters, expected {MOST_LETTERS:,} at most on this "
                "page: `solve rna FILE` takes more"
            )
        pieces = [*target_pieces(self.targets, UNNAMED)]
        if len(pieces) > MOST_TARGETS:
            raise InputError(
                f"{len(pieces):,} targets, expected {MOST_TARGETS:,} at most on this page: `solve "
                "rna FILE` takes more"
            )
        return pieces


def _value(field: Field, given: object) -> Any:
    """Return the value that `given` stands for: a text where it is one, or a number."""
    if isinstance(given, str) and not is_whole(given):
        raise FieldError(field.name, "has half of a character, expected text")
    if isinstance(given, str) and field.kind is not str:
        return field.parse(given.strip())
    return field.check(given)
