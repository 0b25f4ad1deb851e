"""Designers: requests beyond a solution, several different answers, refinement of an answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

from solver.contract.references import resolve

if TYPE_CHECKING:
    from solver.contract.domain import Problem, Puzzle


@dataclass(frozen=True)
class NoRequests:
    """Requests of a designer that takes none."""


class Pictures(Protocol):
    """Pictures of answers: a frozen dataclass whose fields are options."""

    def check(self, options: Any) -> None:
        """Raise `InputError` if answers under the domain's `options` cannot be drawn so."""

    def of(self, problem: Any, answer: Any) -> Mapping[str, str]:
        """Return SVGs of `answer` by the endings of their file names; none if it has no picture."""


#: Share of the budget of the search before a refinement of any answer.
SEARCH_SHARE = 0.25


@dataclass(frozen=True)
class Designer:
    """Search for answers to requests; this one is for domains without requests.

    Parameters
    ----------
    puzzle : Puzzle
        The domain under its options, without requests.
    requests : object
        An instance of `requests_class`.
    excluded : tuple
        Earlier answers to the same problem, from which the next one must differ.
    """

    requests_class: ClassVar[Any] = NoRequests
    """Frozen dataclass of the requests; its fields are options of `solve`."""
    defaults: ClassVar[Mapping[str, Any]] = {}
    """Requests that `solve` makes unless others are stated; sets of benchmarks have none."""
    pictures: ClassVar[Any] = None
    """Class of `Pictures` for `solve --draw`, or an import string."""
    order: ClassVar[Any] = None
    """Function for `solve --order`: takes names and sequences of answers, returns a table to order
    them by; an import string."""
    page: ClassVar[Any] = None
    """Function for `solve --page`: takes the arguments and returns the exit status; an import
    string."""

    puzzle: Puzzle
    requests: Any
    excluded: tuple[Any, ...] = ()

    def excluding(self, answers: Sequence[Any]) -> Self:
        """Return the designer of the next answer to a problem that has `answers`."""
        return replace(self, excluded=tuple(answers))

    @property
    def domain(self) -> Puzzle:
        """Domain whose instances and verifier know the requests and the excluded answers."""
        return self.puzzle

    def check(self, problems: Sequence[Problem]) -> None:
        """Raise `InputError` if a request has no effect on any of `problems`."""

    def check_problem(self, problem: Problem, options: Any, answer: Any = None) -> None:
        """Raise `InputError` if the requests are not known of a problem, or do not fit it.

        Parameters
        ----------
        problem : Problem
            A problem that can be read.
        options : object
            Options of the domain.
        answer : object, optional
            Answer to be checked, for domains whose answers name an option of their own.
        """

    def n_answers(self, problem: Problem) -> int:
        """Return the number of different answers requested for a problem."""
        return 1

    def has_requests(self, problem: Problem) -> bool:
        """Return whether anything is requested of the answers to a problem."""
        return bool(self.requests != self.requests_class())

    @property
    def improves(self) -> bool:
        """True if answers are improved until the budget is spent."""
        return False

    def improves_any(self, problem: Problem, options: Any) -> bool:
        """Return whether `refine` improves every answer, also one that is no solution.

        The search that comes before it then has `SEARCH_SHARE` of the budget.
        """
        return False

    def refinement_start(self, problem: Problem, options: Any, algorithm: str) -> Any:
        """Return the instance whose playout is the starting point of `refine`.

        None for a problem that the algorithm named `algorithm` searches; an instance for a problem
        that only `refine` can search.
        """
        return None

    def compile_refinement(self, problem: Problem, options: Any) -> None:
        """Compile, or load from disk, what `refine` takes for problems like `problem`."""

    def refine(
        self, problem: Problem, options: Any, answer: Any, random: Random
    ) -> Iterator[tuple[Any, float]]:
        """Improve an answer that reached the target, or any if `improves_any`; consumes `random`.

        Yields
        ------
        answer : object
            The best answer so far: first `answer` itself, then one item for each playout. The
            iterator ends where no improvement is left.
        score : float
            The target score if all requests are met, else less.
        """
        target = self.puzzle.target
        assert target is not None
        yield answer, target

    def details(self, problem: Problem, answer: Any) -> dict[str, Any]:
        """Return the facts of `answer` that take longer than `facts`: for tables, on request."""
        return {}


def designer_class(domain: Puzzle) -> type[Designer]:
    """Return the designer class of `domain`, `Designer` if it names none."""
    cls: type[Designer] = resolve(domain.designer) or Designer
    return cls


def designer_of(domain: Puzzle, requests: Any = None) -> Designer:
    """Return the designer of `domain` for `requests`, by default for none.

    Raises
    ------
    TypeError
        If `requests` are of another class than those of the designer.
    """
    cls = designer_class(domain)
    expected = cls.requests_class
    if requests is not None and not isinstance(requests, expected):
        raise TypeError(
            f"requests of {domain.name} are {type(requests).__name__}, expected {expected.__name__}"
        )
    return cls(domain, expected() if requests is None else requests)
