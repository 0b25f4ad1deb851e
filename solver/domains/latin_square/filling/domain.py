"""The domain of Latin squares whose playouts give every hole a value."""

from __future__ import annotations

from typing import Any, ClassVar

from solver.contract.domain import Problem
from solver.domains.latin_square.domain import LatinSquareDomain
from solver.domains.latin_square.filling.conflicts import Conflicts, new_conflicts
from solver.domains.latin_square.filling.rules import (
    Filling,
    MinConflicts,
    keep_first,
    new_filling,
    new_filling_state,
)
from solver.domains.latin_square.kernels import Grid, LatinSquareOptions


class LatinSquareFillings(LatinSquareDomain):
    """Latin square completion by local search."""

    instance_class: ClassVar[type] = Filling
    handmade: ClassVar[dict[str, Any]] = {"min-conflicts": MinConflicts()}

    def instance(self, problem: Problem, options: LatinSquareOptions) -> Any:
        """Propagate the givens; the options say how."""
        return new_filling(LatinSquareDomain().instance(problem, options))

    def new_state(self, instance: Any) -> Any:
        """Allocate a state."""
        return new_filling_state(instance)

    def new_constraints(self, instance: Filling) -> Conflicts:
        """Room for all lines to become constraints."""
        return new_conflicts(instance)

    def answer(self, instance: Any, state: Any) -> Grid:
        """The grid without the values that stand in their lines before, int16[order, order]."""
        keep_first(instance, state)
        square = instance.square
        grid = square.grid.copy()
        candidates = state.chosen[state.kept]
        grid[square.cell[candidates]] = square.value[candidates]
        return grid.reshape(square.order, square.order)
