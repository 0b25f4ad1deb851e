"""Parallel tempering of playouts."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from solver.algorithms.run import (
    SHAPED_WITH,
    Count,
    ListedAlgorithm,
    ParallelAlgorithm,
    Positive,
    Run,
    named_shares,
    require_field,
    require_fit,
)
from solver.errors import FieldError, quoted
from solver.system.fields import Range, check_fields

if TYPE_CHECKING:
    from solver.contract.domain import Puzzle

#: Hours on most problems: the longer a run, the better.
RUN_PLAYOUTS = 1 << 30
#: Each has an order of the size of a playout.
MAX_REPLICAS = 1024
#: Kinds of changes of an order.
KINDS = ("add", "move", "shift", "take", "replace")


@dataclass(frozen=True)
class Tempering(ListedAlgorithm, ParallelAlgorithm):
    """Parallel tempering [1]_, [2]_ of playouts, where the problem has orders of items (samegame).

    A playout is an order of items, each of which stands for a move wherever it can be played. Again
    and again an item is moved to another step, added, taken out or replaced at random, and the
    order is played again from there: items that cannot be played are left out, and what can still
    be played at the end is played. A result worse by d, in the shaped score, takes the place of the
    order with probability exp(-d / T). There is an order for each of several temperatures T, from
    `cold` to `hot` by equal factors; they take turns, and after each round two orders of
    neighbouring temperatures S < T, worth s and t, change places with probability
    min(1, exp((1 / S - 1 / T) (t - s))). Each change of an order counts as a playout.

    Threads share a search: in a round they take the turns of different temperatures, each of which
    has a random stream of its own. The answer depends on the seed and the playouts, not on the
    number of threads.

    Parameters
    ----------
    cold : float
        The lowest temperature, in points of the shaped score.
    hot : float
        The highest temperature.
    replicas : int
        Number of temperatures, 2 or more.
    turn : int
        Changes of an order before it is the turn of the next.
    changes : str
        Shares of the changes, as KIND:SHARE,KIND:SHARE: an item of an order is added, moved
        anywhere, shifted by five steps at most, taken out, or replaced by another. Shares are
        rounded to per cent.
    shaping : bool
        Compare playouts by the problem's shaped score; the best of all is still that of the best
        score.

    Raises
    ------
    InputError
        If a parameter is out of range.

    References
    ----------
    .. [1] R. H. Swendsen, J.-S. Wang, Replica Monte Carlo Simulation of Spin-Glasses, 1986.
    .. [2] K. Hukushima, K. Nemoto, Exchange Monte Carlo Method and Application to Spin Glass
       Simulations, 1996.
    """

    name: ClassVar[str] = "tempering"
    label: ClassVar[str] = "Parallel tempering"
    kind: ClassVar[str] = "parallel tempering"
    takes_prior: ClassVar[bool] = False

    cold: Positive = 6.0
    hot: Positive = 50.0
    replicas: Annotated[int, Range(2, MAX_REPLICAS)] = 12
    turn: Count = 500
    changes: str = "add:40,move:20,shift:20,take:10,replace:10"
    shaping: bool = field(default=True, metadata={"default": SHAPED_WITH})

    def __post_init__(self) -> None:
        check_fields(self)
        if self.cold > self.hot:
            raise FieldError("hot", f"is {self.hot}, expected {self.cold} or more as cold")
        self.percentages()

    def percentages(self) -> dict[str, int]:
        """Return how often in a hundred there is each kind of change; they add up to 100.

        Raises
        ------
        InputError
            If `changes` does not read KIND:SHARE,KIND:SHARE.
        """
        shares = dict.fromkeys(KINDS, 0.0)
        for kind, share in named_shares("changes", self.changes):
            expected = ", ".join(KINDS)
            complaint = f"has {quoted(kind)}, expected one of {expected}"
            require_field(kind in shares, "changes", complaint)
            shares[kind] += share
        ends = [round(100 * end / sum(shares.values())) for end in accumulate(shares.values())]
        return dict(zip(KINDS, [end - begin for begin, end in pairwise([0, *ends])], strict=True))

    @property
    def playouts_per_run(self) -> int:
        """So many that it seldom begins anew."""
        return RUN_PLAYOUTS

    def runs_at_once(self, threads: int) -> int:
        """One, whose temperatures are dealt to the threads, unless there are more threads."""
        return max(1, threads // self.replicas)

    def new_run(self, domain: Puzzle, instance: Any, prior: Any) -> Run:
        """Allocate a run."""
        from solver.kernels.changes.team import TemperingRun

        return TemperingRun(*self.run_arguments(domain, instance, prior))

    def run_arguments(self, domain: Puzzle, instance: Any, prior: Any) -> tuple[Any, ...]:
        """Return the arguments of `TemperingRun`."""
        import numpy as np

        from solver.kernels.changes.change import TemperingParameters

        orders = domain.new_orders(instance)
        require_fit(orders is not None, self, domain, "has no orders of items")
        temperatures = np.geomspace(self.cold, self.hot, self.replicas)
        add, move, shift, take, _ = self.percentages().values()
        turn = min(self.turn, RUN_PLAYOUTS)  # no round is longer than the longest run
        parameters = TemperingParameters(turn, add, move, shift, take, self.shaping)
        return domain, instance, prior, temperatures, parameters
