"""The search algorithms: their parameters, and a run of each that can be advanced.

A *run* is the unit of parallel work: it has a random stream of its own and a
fixed number of playouts, so a search gives the same answer on any number of
threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from solver.domain import Domain
from solver.errors import InputError, quoted
from solver.kernels.choices import new_choices
from solver.kernels.monitor import Monitor, new_monitor
from solver.kernels.policy import grow_policy, new_policy
from solver.kernels.records import new_records
from solver.kernels.search import FULL, sample, search_nested
from solver.memory import unshared
from solver.priors import NoPrior
from solver.random import Stream

#: A run is long enough that starting it does not count.
MIN_RUN_PLAYOUTS = 1024
#: Kernels count in int64.
MAX_RUN_PLAYOUTS = 2**62


class Run(Protocol):
    """A search of one instance that goes on where it stopped."""

    monitor: Monitor

    def begin(self, stream: Stream) -> None:
        """Start afresh with `stream`, which the run consumes."""

    def advance(self, max_playouts: int, run_playouts: int) -> int:
        """Go on until the run counts `max_playouts`, the target is reached or all is tried.

        A playout that backs out of dead ends counts several at once: it may exceed
        `max_playouts` but not `run_playouts`, the length of the run. Returns `PAUSED`,
        `REACHED` or `EXHAUSTED` of `solver.kernels.search`.
        """

    def best(self) -> tuple[float, npt.NDArray[np.int64]]:
        """Score and moves of the best playout."""


class Algorithm(Protocol):
    """Parameters of a search algorithm, validated when they are made."""

    name: ClassVar[str]

    @property
    def playouts_per_run(self) -> int:
        """Playouts after which a run ends and the next begins."""

    def new_run(self, domain: Domain, instance: Any, prior: Any) -> Run:
        """Allocate a run."""


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise InputError(message)


def _require_range(name: str, given: int, least: int) -> None:
    _require(given >= least, f"{name} is {given}, expected {least} or more")
    most = MAX_RUN_PLAYOUTS
    _require(given <= most, f"{name} is {quoted(given)}, expected {most} at most")


def _possible_dead_ends(dead_ends: int, domain: Domain) -> int:
    _require(dead_ends == 0 or domain.can_undo, f"{domain.name} cannot back out of dead ends")
    return dead_ends


class _Workspace:
    """Arrays that every run needs."""

    def __init__(self, domain: Domain, instance: Any, prior: Any, rows: int) -> None:
        self.limits = domain.limits(instance)
        self.instance = instance
        self.prior = prior
        self.state = unshared(domain.new_state(instance))
        self.records = unshared(new_records(rows, self.limits))
        self.row_of = unshared(np.arange(rows))
        self.choices = unshared(new_choices(self.limits))
        self.stream = unshared(np.zeros(4, np.uint64))
        self.monitor = unshared(new_monitor())
        self.target = np.inf if domain.target is None else float(domain.target)

    def begin(self, stream: Stream) -> None:
        self.stream[:] = stream
        self.monitor.counters[:] = 0
        self.records.score[:] = self.records.shaped[:] = -np.inf

    def best(self) -> tuple[float, npt.NDArray[np.int64]]:
        row = self.row_of[-1]
        return float(self.records.score[row]), self.records.move[
            row, : self.records.steps[row]
        ].copy()


@dataclass(frozen=True)
class Sampling:
    """Independent playouts; with a prior, biased by it (paper 'learned-prior', section 3).

    Parameters
    ----------
    dead_ends : int
        Dead ends that a playout may back out of; each counts as a playout.
    """

    name: ClassVar[str] = "sampling"
    dead_ends: int = 0

    def __post_init__(self) -> None:
        _require_range("dead_ends", self.dead_ends, 0)

    @property
    def playouts_per_run(self) -> int:
        """Playouts are independent, so any number will do."""
        return MIN_RUN_PLAYOUTS

    def new_run(self, domain: Domain, instance: Any, prior: Any) -> Run:
        """Allocate a run."""
        return _SamplingRun(self, domain, instance, prior)


class _SamplingRun(_Workspace):
    def __init__(self, parameters: Sampling, domain: Domain, instance: Any, prior: Any) -> None:
        super().__init__(domain, instance, prior, rows=2)
        self.dead_ends = _possible_dead_ends(parameters.dead_ends, domain)

    def advance(self, max_playouts: int, run_playouts: int) -> int:
        return sample(
            self.instance, self.state, self.prior, self.records, self.row_of, self.choices,
            self.stream, self.monitor, self.dead_ends, self.target, max_playouts, run_playouts,
        )  # fmt: skip


@dataclass(frozen=True)
class Gnrpa:
    """Generalized nested rollout policy adaptation (paper 'gnrpa', Algorithms 3, 4 and 6).

    Parameters
    ----------
    level : int
        Nesting level, 1 or more.
    iterations : int
        Iterations N of each level; a search has N**level playouts, then restarts.
    alpha : float
        Learning rate.
    temperature : float
        Temperature of the policy: the logit is weight / temperature + bias.
    dead_ends : int
        Dead ends that a playout may back out of; each counts as a playout.
    playouts_per_adapt : int
        Playouts of level 1 before each adapt (P of stabilized NRPA: Cazenave, Sevestre and
        Toulemont 2020); a search has so many times more playouts.
    repetitions : int
        A level ends when its best sequence was found again so often, its policy having
        converged (GNRPA with limited repetitions: Cazenave 2024); 0 for no limit.
    warm_start : bool
        After a restart the best sequence so far is the one to adapt to until a better is found.
    local_search : bool
        Every new best playout of level 1 is first made better by the domain's local search; the
        policy adapts to the result. Budgets count playouts only, not what that costs.
    shaping : bool
        Playouts are compared by the domain's `shaped_score`; the best of all is still that of the
        best score.

    Raises
    ------
    InputError
        If a parameter is out of range.
    """

    name: ClassVar[str] = "gnrpa"
    level: int = 2
    iterations: int = 100
    alpha: float = 1.0
    temperature: float = 1.0
    dead_ends: int = 0
    playouts_per_adapt: int = 1
    repetitions: int = 0
    warm_start: bool = False
    local_search: bool = False
    shaping: bool = False

    def __post_init__(self) -> None:
        for name, least in (
            ("dead_ends", 0), ("iterations", 1), ("playouts_per_adapt", 1), ("repetitions", 0),
        ):  # fmt: skip
            _require_range(name, getattr(self, name), least)
        _require(1 <= self.level <= 10, f"level is {quoted(self.level)}, expected 1 ... 10")
        _require(0 < self.alpha < np.inf, f"alpha is {self.alpha}, expected more than 0")
        _require(
            0 < self.temperature < np.inf,
            f"temperature is {self.temperature}, expected more than 0",
        )

    @property
    def playouts_per_run(self) -> int:
        """Playouts of a whole nested search, or of several if it is short."""
        playouts = int(self.iterations**self.level) * self.playouts_per_adapt
        return min(playouts * -(-MIN_RUN_PLAYOUTS // playouts), MAX_RUN_PLAYOUTS)

    def new_run(self, domain: Domain, instance: Any, prior: Any) -> Run:
        """Allocate a run."""
        return _NestedRun(self, domain, instance, prior)


@dataclass(frozen=True)
class Nrpa(Gnrpa):
    """Nested rollout policy adaptation (Rosin 2011): GNRPA at temperature 1, without a prior."""

    name: ClassVar[str] = "nrpa"

    def __post_init__(self) -> None:
        super().__post_init__()
        _require(self.temperature == 1.0, "nrpa has no temperature, use gnrpa")

    def new_run(self, domain: Domain, instance: Any, prior: Any) -> Run:
        """Allocate a run; `prior` must be none."""
        _require(isinstance(prior, NoPrior), "nrpa takes no prior, use gnrpa")
        return super().new_run(domain, instance, prior)


class _NestedRun(_Workspace):
    def __init__(self, parameters: Gnrpa, domain: Domain, instance: Any, prior: Any) -> None:
        possible = domain.can_improve or not parameters.local_search
        _require(possible, f"{domain.name} has no local search")
        possible = domain.can_shape or not parameters.shaping
        _require(possible, f"{domain.name} has no shaped score")
        super().__init__(domain, instance, prior, rows=parameters.level + 2)
        self.parameters = parameters
        choices = max(self.limits.choices, 1)
        self.policy = unshared(new_policy(parameters.level + 2, self.limits.codes, choices))
        self.done = unshared(np.full(parameters.level + 2, -1, np.int64))
        self.repeated = unshared(np.zeros(parameters.level + 2, np.int64))
        self.probability = unshared(np.zeros(choices))
        self.dead_ends = _possible_dead_ends(parameters.dead_ends, domain)

    def begin(self, stream: Stream) -> None:
        super().begin(stream)
        self.done[:] = -1

    def advance(self, max_playouts: int, run_playouts: int) -> int:
        given = self.parameters
        while True:
            status = search_nested(
                self.instance, self.state, self.prior, self.policy, self.records, self.row_of,
                self.done, self.repeated, self.choices, self.probability, self.stream, self.monitor,
                given.level, given.iterations, float(given.alpha), float(given.temperature),
                given.playouts_per_adapt, given.repetitions, given.warm_start, given.local_search,
                given.shaping, self.dead_ends, self.target, max_playouts, run_playouts,
            )  # fmt: skip
            if status != FULL:
                return status
            self.policy = unshared(grow_policy(self.policy))


ALGORITHMS: dict[str, type[Sampling] | type[Gnrpa]] = {
    algorithm.name: algorithm for algorithm in (Sampling, Nrpa, Gnrpa)
}
