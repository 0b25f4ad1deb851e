"""Names for authors of problems, games and searches: one door to all that their files need.

For a problem or a game: `rules` has the functions to register, `Puzzle` and `Game` are the classes
to derive from. For a search: `ListedAlgorithm` is the class, `kernel` compiles its loop, `playout`
and the names beside it make playouts. For a tree search: `TreeAlgorithm` is the class, `move_value`
the function to register, for a policy of its playouts `move_weight` and `learn_playout`. Guides:
`docs/add-a-domain.md`, `add-a-game.md`, `add-an-algorithm.md` and `add-a-tree-search.md`.
"""

from solver.algorithms.run import (
    Count,
    CountFrom0,
    Level,
    ListedAlgorithm,
    NotNegative,
    ParallelAlgorithm,
    Positive,
    set_by_domain,
)
from solver.algorithms.tree import Factor, TreeAlgorithm
from solver.compiling.bits import count_ones, lowest_one
from solver.compiling.jit import inlined, kernel
from solver.compiling.random import Stream, next_below, next_place, next_uniform
from solver.contract import branching, constraints, orders, rules
from solver.contract.codes import PriorCode
from solver.contract.designer import Designer
from solver.contract.domain import Benchmark, Game, Limits, Problem, Puzzle
from solver.contract.fronts import objectives
from solver.contract.problems import read_each
from solver.contract.references import OF_FILES
from solver.contract.rules import Floats, Moves
from solver.errors import FieldError, InputError, UnsolvableError, VerificationError
from solver.kernels.arguments import Off
from solver.kernels.monitor import PLAYOUTS, best_score, note_improvement
from solver.kernels.playout import PlayoutParameters, playout
from solver.kernels.policy import NoPolicy
from solver.kernels.records import LAST, copy_record
from solver.kernels.run import KernelRun
from solver.kernels.status import PAUSED, REACHED
from solver.kernels.tree.node import Node, move_value, move_values
from solver.kernels.tree.policies.policy import Made, learn_playout, move_weight
from solver.priors.priors import table_odds
from solver.propagation.belief import BELIEF
from solver.propagation.cover_branching import register_cover_branching
from solver.propagation.cover_rules import CoverPuzzle, register_cover_rules
from solver.propagation.exact_cover import new_cover
from solver.propagation.grid_cover import new_grid_cover, new_groups
from solver.system.fields import Range, check_fields

__all__ = [
    "BELIEF",
    "LAST",
    "OF_FILES",
    "PAUSED",
    "PLAYOUTS",
    "REACHED",
    "Benchmark",
    "Count",
    "CountFrom0",
    "CoverPuzzle",
    "Designer",
    "Factor",
    "FieldError",
    "Floats",
    "Game",
    "InputError",
    "KernelRun",
    "Level",
    "Limits",
    "ListedAlgorithm",
    "Made",
    "Moves",
    "NoPolicy",
    "Node",
    "NotNegative",
    "Off",
    "ParallelAlgorithm",
    "PlayoutParameters",
    "Positive",
    "PriorCode",
    "Problem",
    "Puzzle",
    "Range",
    "Stream",
    "TreeAlgorithm",
    "UnsolvableError",
    "VerificationError",
    "best_score",
    "branching",
    "check_fields",
    "constraints",
    "copy_record",
    "count_ones",
    "inlined",
    "kernel",
    "learn_playout",
    "lowest_one",
    "move_value",
    "move_values",
    "move_weight",
    "new_cover",
    "new_grid_cover",
    "new_groups",
    "next_below",
    "next_place",
    "next_uniform",
    "note_improvement",
    "objectives",
    "orders",
    "playout",
    "read_each",
    "register_cover_branching",
    "register_cover_rules",
    "rules",
    "set_by_domain",
    "table_odds",
]
