"""Parallel tempering of playouts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from solver.algorithms.run import ListedAlgorithm, Run, require, require_range

if TYPE_CHECKING:
    from solver.domain import Puzzle

#: Hours on most problems: the longer a run, the better.
RUN_PLAYOUTS = 1 << 30
#: Each has an order of the size of a playout.
MAX_REPLICAS = 1024


@dataclass(frozen=True)
class Tempering(ListedAlgorithm):
    """Parallel tempering [1]_, [2]_ of playouts, where the problem has orders of items (samegame).

    A playout is an order of items, each of which stands for a move wherever it can be played. Again
    and again an item is moved to another step, added, taken out or replaced at random, and the
    order is played again from there: items that cannot be played are left out, and what can still
    be played at the end is played. What is worse by d, in the shaped score, takes the place of the
    order with probability exp(-d / T). There is an order for each of several temperatures T, from
    `cold` to `hot` by equal factors; they take turns, and after each round two orders of
    neighbouring temperatures S < T, worth s and t, change places with probability
    min(1, exp((1 / S - 1 / T) (t - s))). Each change of an order counts as a playout.

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

    cold: float = 6.0
    hot: float = 50.0
    replicas: int = 12
    turn: int = 500

    def __post_init__(self) -> None:
        for name in ("cold", "hot"):
            given = getattr(self, name)
            require(0 < given < math.inf, f"{name} is {given}, expected more than 0")
        require(self.cold <= self.hot, f"hot is {self.hot}, expected {self.cold} or more as cold")
        require_range("replicas", self.replicas, 2)
        most = MAX_REPLICAS
        require(self.replicas <= most, f"replicas is {self.replicas}, expected {most} at most")
        require_range("turn", self.turn, 1)

    @property
    def playouts_per_run(self) -> int:
        """So many that it seldom begins anew."""
        return RUN_PLAYOUTS

    def new_run(self, domain: Puzzle, instance: Any, prior: Any) -> Run:
        """Allocate a run."""
        import numpy as np

        from solver.kernels.tempering import TemperingRun

        orders = domain.new_orders(instance)
        require(orders is not None, f"{domain.name} has no orders of items")
        temperatures = np.geomspace(self.cold, self.hot, self.replicas)
        return TemperingRun(domain, instance, prior, orders, temperatures, self.turn)
