"""Request of `compare` for a game."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from pipeline.requests.request import Request, absolute_file
from solver.commands.subjects import absolute


@dataclasses.dataclass(frozen=True)
class MethodRequest:
    """A tree search that plays in matches."""

    name: str
    """The words that name it; random numbers depend on them."""
    algorithm: str
    """Name, or file that defines it."""
    parameters: dict[str, Any]
    options: dict[str, str]
    """Options of the game, other than those of the match, that its statistics are kept under."""
    prior: str
    """Name or file of a table."""
    prior_in: str
    prior_temperature: float | None
    """None for the one that is stored with the table."""
    threads: int = 1
    """Threads that search its tree together."""
    keep: bool = False
    """True if its tree is kept from a move to the next."""


@dataclasses.dataclass(frozen=True)
class MatchRequest(Request):
    """Request of `compare` for a game: each method against each other, at every budget."""

    subject: str
    """Name of a game, or of a file that defines one."""
    position: tuple[str, str] | None
    """Name and text of the position that games begin from; None for the start."""
    options: list[dict[str, Any]]
    """Options of the game, a tournament each."""
    methods: list[MethodRequest]
    playouts: list[int]
    """Budgets of a move."""
    seconds: list[float]
    """Further budgets of a move."""
    games: int
    """Games of each two methods at each budget."""
    seed: int
    threads: int
    memory: int
    """Bytes of a tree."""
    out: str
    """Folder of games."""

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> Self:
        """See `Request.of`."""
        request = super().of(plain)
        methods: list[Any] = request.methods
        return dataclasses.replace(request, methods=[MethodRequest(**fields) for fields in methods])

    @property
    def anywhere(self) -> Self:
        """The same request for a process that stands in another folder."""
        return dataclasses.replace(
            self,
            subject=absolute(self.subject),
            methods=[
                dataclasses.replace(
                    method,
                    algorithm=absolute(method.algorithm),
                    prior=absolute_file(method.prior),
                )
                for method in self.methods
            ],
            out=str(Path(self.out).absolute()),
        )
