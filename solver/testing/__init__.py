"""Checks of the contract of a problem, a game or an algorithm, for tests of its author and ours.

`check_domain`, `check_game` and `check_algorithm` are functions that a test calls; under
NESTOR_CHECK=1 kernels check the bounds of arrays, and every search the `Limits` of its domain, too.
"""

from solver.contract.checks import ContractError, check_playouts_within_limits
from solver.testing.algorithms import check_algorithm
from solver.testing.domains import check_domain
from solver.testing.games import check_game

__all__ = [
    "ContractError",
    "check_algorithm",
    "check_domain",
    "check_game",
    "check_playouts_within_limits",
]
