"""Base class of generators whose answers come from a search with a prior."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, ClassVar

from generators.solved import SHARD_PLAYOUTS
from solver.domains import load_domain
from solver.priors.priors import Prior, named_prior
from solver.system.datasets import sha256
from solver.system.fields import Range, check_fields

#: Playouts of the search for an answer.
Effort = Annotated[int, Range(1)]


class SearchedAnswers:
    """Base of generators with the fields `effort` (playouts) and `guide` (a prior)."""

    domain: ClassVar[str]
    effort: Effort
    guide: str

    def check_search(self) -> None:
        """Raise `InputError` if a field is out of range, or the guide is no such prior."""
        check_fields(self)
        _ = self.guiding_prior

    @cached_property
    def guiding_prior(self) -> Prior:
        """The prior of the search."""
        return named_prior(self.guide, load_domain(self.domain))

    @property
    def shard_instances(self) -> int:
        """Answers that are found in about a minute, or one."""
        return max(1, SHARD_PLAYOUTS // self.effort)

    @property
    def source(self) -> dict[str, str]:
        """SHA-256 of the guide's file."""
        path = self.guiding_prior.path
        return {} if path is None else {"guide_sha256": sha256(path)}
