"""Interfaces of algorithms and their runs, and the checks that all algorithms share."""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Protocol, Self, TypeVar, cast

from solver.errors import FieldError, InputError, quoted
from solver.system.fields import Range

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from solver.compiling.random import Stream
    from solver.contract.domain import Puzzle
    from solver.kernels.monitor import Monitor

#: A run is long enough that starting it does not count.
MIN_RUN_PLAYOUTS = 1024
#: Kernels count in int64.
MAX_RUN_PLAYOUTS = 2**62
#: Parameters that domains set, as papers have them: Gnrpa(level=2, **AS_PUBLISHED).
AS_PUBLISHED: dict[str, Any] = {"dead_ends": 0, "shaping": False}
#: Searches that compare playouts by shaped scores where nobody asks for another thing.
SHAPED_WITH = "with gnrpa, nmcs, tempering"
#: Key in the metadata of a field of games only: its value where a person asks for the best move.
OF_GAMES = "of_games"
#: Deeper searches never end.
MAX_LEVEL = 10

Count = Annotated[int, Range(1, MAX_RUN_PLAYOUTS)]
CountFrom0 = Annotated[int, Range(0, MAX_RUN_PLAYOUTS)]
Level = Annotated[int, Range(1, MAX_LEVEL)]
Positive = Annotated[float, Range(0, above=True)]
NotNegative = Annotated[float, Range(0)]


def whole_searches(playouts: int) -> int:
    """Return the playouts of a run of searches of so many: of one, or of several short ones."""
    return min(playouts * -(-MIN_RUN_PLAYOUTS // playouts), MAX_RUN_PLAYOUTS)


class Run(Protocol):
    """A search of one instance that can be paused and resumed.

    It is the unit of parallel work: it has a random stream of its own and a fixed number of
    playouts, so a search gives the same answer on any number of threads.
    """

    monitor: Monitor

    def begin(self, stream: Stream) -> None:
        """Start afresh with `stream`, which the run consumes."""

    def advance(self, max_playouts: int, run_playouts: int) -> int:
        """Go on until the run counts `max_playouts`, the target is reached or all is tried.

        A playout that backs out of dead ends counts several at once: it may exceed
        `max_playouts` but not `run_playouts`, the length of the run. Returns `PAUSED`,
        `REACHED` or `EXHAUSTED` of `solver.kernels.status`.
        """

    def best(self) -> tuple[float, npt.NDArray[np.int64]]:
        """Score and moves of the best playout, int64[steps]."""


class Algorithm(Protocol):
    """Parameters of a search algorithm, checked when they are made."""

    name: ClassVar[str]
    """Name on the command line and in files."""

    @property
    def playouts_per_run(self) -> int:
        """Playouts after which a run ends and the next begins."""

    def new_run(self, domain: Puzzle, instance: Any, prior: Any) -> Run:
        """Allocate a run."""


class ParallelAlgorithm(ABC):
    """Algorithm whose runs can use several threads each."""

    jobs: int = 0
    """Runs that share a budget in playouts equally; 0 for runs of `playouts_per_run`."""

    @abstractmethod
    def runs_at_once(self, threads: int) -> int:
        """Return the number of simultaneous runs on `threads`, which are dealt to them equally."""


class TeamRun(Run, Protocol):
    """A run of a `ParallelAlgorithm`."""

    def use_threads(self, threads: int) -> None:
        """Set the number of threads, which changes nothing else; call before `begin`."""


class ListedAlgorithm(Algorithm, Protocol):
    """Frozen dataclass of an algorithm that commands and reports can list.

    Its fields become options of the commands: texts come from the docstring, choices from
    `Literal`. A field made by `set_by_domain` is None until `suited` sets it. A class that derives
    from it has the values below where it gives no others.
    """

    #: Protocol of dataclasses; `asdict` and `replace` ask for no more.
    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]
    label: ClassVar[str]
    """Name in reports."""
    kind: ClassVar[str] = "other searches"
    """Plural noun for the searches that have its options."""
    takes_prior: ClassVar[bool] = True
    """True if the algorithm searches with a prior."""
    without_prior: ClassVar[str] = ""
    """The algorithm that it is without a prior, the settings being equal; "" if it is no other."""
    fixed: ClassVar[frozenset[str]] = frozenset()
    """Fields that nobody chooses, there for an algorithm that it derives from."""
    changes_assignments: ClassVar[bool] = False
    """True if it searches `Puzzle.assignments`, playouts whose moves can be exchanged."""
    takes_best: ClassVar[bool] = False
    """True if `Puzzle.best_parameters` are meant for the algorithm."""

    @classmethod
    def suited_to(cls, domain: Puzzle) -> Self:
        """Return it with every parameter of `set_by_domain` as suits `domain`."""
        return cls()


def set_by_domain(default: str, **metadata: Any) -> Any:
    """Field of a parameter that is None, for the domain to set, unless a caller sets it.

    `default` is the text of the help on the option.
    """
    return dataclasses.field(default=None, metadata={"default": default, **metadata})


#: Metadata of a parameter that only tables of papers need.
REPRODUCTION = "reproduction"


def for_reproduction(default: Any) -> Any:
    """Field of a parameter that tables of papers need, and that gains nothing in any of ours.

    Its option stands behind all others in the help.
    """
    return dataclasses.field(default=default, metadata={REPRODUCTION: True})


A = TypeVar("A", bound="Algorithm")


def suited(algorithm: A, domain: Puzzle) -> A:
    """Return `algorithm` with every parameter that is None as suits `domain`.

    Both commands and `solver.searching.driver.search` come here; parameters that are not None stay.
    """
    if not dataclasses.is_dataclass(algorithm):
        return algorithm
    names = [field.name for field in dataclasses.fields(algorithm)]
    unset = [name for name in names if getattr(algorithm, name) is None]
    if not unset:
        return algorithm
    default = cast("ListedAlgorithm", algorithm).suited_to(domain)
    return dataclasses.replace(algorithm, **{name: getattr(default, name) for name in unset})


def suited_to_instance(algorithm: Algorithm, domain: Puzzle, instance: Any) -> Algorithm:
    """Return `suited`, or for an algorithm that chooses by the instance what it has chosen."""
    algorithm = suited(algorithm, domain)
    choose = getattr(algorithm, "for_instance", None)
    return algorithm if choose is None else suited(choose(domain, instance), domain)


def searched_form(domain: Puzzle, algorithm: Algorithm) -> Puzzle:
    """Return the form of `domain` that makes the instances for `algorithm`."""
    changes = getattr(algorithm, "changes_assignments", False)
    form: Puzzle = domain.assignments() if changes else domain
    return form


def options_of(algorithm: Any) -> list[Any]:
    """Fields of an algorithm that can be chosen for puzzles."""
    fields = dataclasses.fields(algorithm)
    return [
        field
        for field in fields
        if field.name not in algorithm.fixed and OF_GAMES not in field.metadata
    ]


def require(condition: bool, message: str) -> None:
    """Raise `message` as an `InputError` unless `condition`."""
    if not condition:
        raise InputError(message)


def require_field(condition: bool, field: str, complaint: str) -> None:
    """Raise `complaint` as a `FieldError` of the parameter `field` unless `condition`."""
    if not condition:
        raise FieldError(field, complaint)


def require_fit(condition: bool, algorithm: Algorithm, domain: Puzzle, lack: str) -> None:
    """Raise an `InputError` that `algorithm` is not for `domain`, which `lack`, if not `condition`.

    `lack` is a predicate: "has no orders of items".
    """
    require(condition, f"{algorithm.name} is not for {domain.name}, which {lack}")


def named_shares(parameter: str, text: str) -> list[tuple[str, float]]:
    """Return names and shares of a parameter written as NAME:SHARE,NAME:SHARE.

    Raises
    ------
    FieldError
        If it does not read so.
    """
    found = []
    for word in text.split(","):
        name, _, share = word.partition(":")
        try:
            value = float(share or "1")
        except ValueError:
            value = -1.0
        right = name != "" and 0 < value < math.inf
        expected = "expected NAME:SHARE, the share above 0"
        require_field(right, parameter, f"has {quoted(word)}, {expected}")
        found.append((name, value))
    total = sum(value for _, value in found)
    finite = total < math.inf
    require_field(finite, parameter, f"is {quoted(text)}, expected shares of a finite sum")
    return found


def _has_undo(domain: Puzzle) -> bool:
    from solver.contract.rules import mark, undo

    return domain.has(mark, undo)


def require_undo(algorithm: Algorithm, domain: Puzzle) -> None:
    """Raise an `InputError` if `algorithm` takes moves back and those of `domain` stay."""
    require_fit(_has_undo(domain), algorithm, domain, "cannot back out of dead ends")


def require_possible(dead_ends: int, domain: Puzzle) -> None:
    """Raise a `FieldError` if playouts back out of dead ends and moves cannot be undone."""
    possible = dead_ends == 0 or _has_undo(domain)
    complaint = f"is {dead_ends}, expected 0 as {domain.name} cannot back out of dead ends"
    require_field(possible, "dead_ends", complaint)


def require_target(dead_ends: int, domain: Puzzle) -> None:
    """Raise a `FieldError` if playouts would back out of answers, as `domain` has no target."""
    known = dead_ends == 0 or domain.target is not None
    complaint = f"is {dead_ends}, expected 0 as {domain.name} has no target"
    require_field(known, "dead_ends", complaint)


def require_shaped(shaping: bool, domain: Puzzle) -> None:
    """Raise a `FieldError` if `shaping` is set and `domain` has no shaped score."""
    from solver.contract.rules import shaped_score

    possible = not shaping or domain.has(shaped_score)
    complaint = f"is not for {domain.name}, which has no shaped score"
    require_field(possible, "shaping", complaint)
