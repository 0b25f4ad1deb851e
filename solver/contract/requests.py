"""What `solve` can ask of answers besides solving a problem: more of them, and better ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, ClassVar, Protocol, Self


@dataclass(frozen=True)
class NoRequests:
    """Requests of a domain that takes none."""


class Pictures(Protocol):
    """How answers are drawn: a frozen dataclass, its fields options."""

    def check(self, options: Any) -> None:
        """Raise `InputError` if answers under the domain's `options` cannot be drawn so."""

    def of(self, problem: Any, answer: Any) -> Mapping[str, str]:
        """Return SVGs of `answer` by the ends of their files' names."""


class Requestable:
    """The part of a puzzle that concerns requests; without them, nothing."""

    requests: ClassVar[Any] = NoRequests
    """Frozen dataclass of what can be asked for; its fields are options of `solve`."""
    pictures: ClassVar[Any] = None
    """What `solve --draw` draws of an answer: a class of `Pictures`, or an import string."""
    page: ClassVar[Any] = None
    """What `solve --page` runs with its arguments, an import string; returns the exit status."""
    answers_wanted: int = 1
    """How many different answers to a problem are asked for."""
    is_asked: bool = False
    """Whether more is asked for than an answer."""
    improves: bool = False
    """Whether an answer is to be improved for as long as there is budget."""

    def with_requests(self, requests: Any) -> Self:
        """Return the domain under `requests`: its instances, its verifier and its facts."""
        return self

    def besides(self, answers: Sequence[Any]) -> Self:
        """Return the domain for the next answer to a problem that has `answers`."""
        return self

    def begun(self, problem: Any, options: Any, algorithm: str) -> Any:
        """Return the instance of which a playout is what `refine` begins with.

        That is for problems whose search is all in `refine`, whatever the algorithm called
        `algorithm`; None for those that it searches.
        """
        return None

    def refine(
        self, problem: Any, options: Any, answer: Any, random: Random
    ) -> Iterator[tuple[Any, float]]:
        """Improve an answer that reached the target; consumes `random`.

        Yields
        ------
        answer : object
            The best so far: first `answer` itself, then once a playout.
        score : float
            That of the target if it is all that was asked for, else less. The end means that
            nothing is left to gain.
        """
        yield answer, self.target  # type: ignore[attr-defined]

    def details(self, problem: Any, answer: Any) -> dict[str, Any]:
        """What takes longer to find out of `answer` than `facts`: for tables, and on request."""
        return {}
