"""Parallel nested rollout policy adaptation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from solver.algorithms.gnrpa import Gnrpa
from solver.algorithms.run import (
    Count,
    CountFrom0,
    ParallelAlgorithm,
    Run,
    for_reproduction,
    require_field,
)

if TYPE_CHECKING:
    from solver.contract.domain import Puzzle

Strategy = Literal["shared", "local", "speculative"]

#: Each has a record of the size of a playout.
MAX_WORKERS = 4096


@dataclass(frozen=True)
class ParallelNrpa(Gnrpa, ParallelAlgorithm):
    """Parallel nested rollout policy adaptation [1]_, generalized as GNRPA is.

    The N iterations of a search of the parallel level P are dealt to M workers. With a shared
    policy (Algorithm 4) there are N / M rounds: each worker searches once at level P - 1 with the
    policy w of level P, then w becomes adapt(w, s, α M), s being the best sequence so far. With
    thread-local policies (Algorithm 5) each worker makes N / M iterations with a policy and a best
    sequence of its own, and the best of these sequences is the result. A speculative search is a
    sequential one: the workers make the next M iterations as they will be if the best stays, and
    where it does not what was made after that is discarded. P = 1 is leaf, a higher P node
    parallelization. K jobs are K searches, of which the best counts: with a worker each root
    parallelization, with more the hybrid one.

    Each worker has a random stream of its own, and results are put together in the order of the
    workers: the answer depends on M and K, but not on how many threads do the work. One worker is
    GNRPA. If M does not divide N, the last round has fewer workers, and α grows with their
    number. If speculative, each iteration has a stream of its own: the answer is that of GNRPA with
    such streams, for any M.

    Parameters
    ----------
    workers : int
        Workers M that search at the same time, at most `--iterations`.
    parallel_level : int
        Level P whose iterations are dealt to the workers.
    strategy : {"shared", "local", "speculative"}
        Workers share a policy, adapt policies of their own, or do ahead what a single worker
        would do.
    pass_policy : bool
        With local policies the best worker's is that of the level above, too, as Algorithm 5 is
        printed; not so in its authors' program.
    adapt_each : bool
        With a shared policy, adapt after each result of a round, M times with α M, as Algorithm 4
        is printed.
    jobs : int
        Searches K, each with an equal part of a budget in playouts; 0 for as many whole searches
        as it allows, one after the other.

    Raises
    ------
    InputError
        If a parameter is out of range, or does not go with another.

    References
    ----------
    .. [1] B. Negrevergne, T. Cazenave, Distributed Nested Rollout Policy for SameGame, 2017.
    """

    name: ClassVar[str] = "parallel-nrpa"
    label: ClassVar[str] = "Parallel NRPA"
    kind: ClassVar[str] = "parallel nested searches"
    without_prior: ClassVar[str] = ""
    takes_best: ClassVar[bool] = False

    workers: Count = 4
    parallel_level: Count = 1
    strategy: Strategy = "shared"
    pass_policy: bool = False
    adapt_each: bool = for_reproduction(False)
    jobs: CountFrom0 = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        most = min(self.iterations, MAX_WORKERS)
        few = self.workers <= most
        complaint = f"is {self.workers}, expected 1 ... {most}: no more than iterations"
        require_field(few, "workers", complaint)
        low = self.level is None or self.parallel_level <= self.level
        complaint = f"is {self.parallel_level}, expected 1 ... {self.level}"
        require_field(low, "parallel_level", complaint)
        self._check_together()

    def _check_together(self) -> None:
        local = self.strategy == "local"
        require_field(local or not self.pass_policy, "pass_policy", "is for the strategy local")
        shared = self.strategy == "shared"
        require_field(shared or not self.adapt_each, "adapt_each", "is for the strategy shared")
        warm = local and self.warm_start
        require_field(not warm, "warm_start", "is not for the strategy local")
        single = self.playouts_per_adapt == 1 or self.parallel_level > 1 or local
        expected = "expected 1 where workers make single playouts"
        require_field(single, "playouts_per_adapt", f"is {self.playouts_per_adapt}, {expected}")

    def runs_at_once(self, threads: int) -> int:
        """Jobs first, which need not wait for each other; then threads are for workers."""
        if self.jobs:
            return min(self.jobs, threads)
        return max(1, threads // self.workers)

    @property
    def runs_lengthen(self) -> bool:
        """False: dead ends do not grow here, so later runs are no longer than the first."""
        return False

    def new_run(self, domain: Puzzle, instance: Any, prior: Any) -> Run:
        """Allocate a run."""
        from solver.kernels.nested.rounds import RoundParameters
        from solver.kernels.nested.teams import ParallelRun

        self.check_possible(domain)
        parameters = RoundParameters(
            self.level_parameters(), get_args(Strategy).index(self.strategy), self.parallel_level,
            self.workers, self.pass_policy, self.adapt_each,
        )  # fmt: skip
        return ParallelRun(
            domain, instance, prior, parameters, dead_ends=self.dead_ends,
            local_search=self.local_search, shaping=self.shaping,
        )  # fmt: skip
