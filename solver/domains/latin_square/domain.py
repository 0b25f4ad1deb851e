"""Latin square completion (paper 'learned-prior', section 4.1)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from solver.contract.codes import PriorCode
from solver.contract.domain import Limits, Problem, Puzzle
from solver.contract.problems import read_each
from solver.contract.references import resolve
from solver.contract.rules import Moves
from solver.domains.latin_square.kernels import Grid, LatinSquare, LatinSquareOptions, new_square
from solver.domains.latin_square.priors import PRIORS
from solver.domains.latin_square.text import check_givens, format_grid, grid_pieces, parse_grids
from solver.errors import InputError, VerificationError
from solver.propagation.cover_branching import all_sets, register_cover_branching
from solver.propagation.exact_cover import (
    FAILED,
    N_ASSIGNED,
    CoverState,
    new_cover_state,
    propagate_root,
)

register_cover_branching(LatinSquare)

#: Holes, relative to order**1.55, beyond which playouts solve squares that others do not.
LOOSE = 2.0
#: Holes below which complete search needs milliseconds, with an answer and without.
FEW_HOLES = 300
#: Domain whose playouts give each hole a value, for local search.
FILLINGS = "solver.domains.latin_square.filling.domain:LatinSquareFillings"


class LatinSquareDomain(Puzzle):
    """Latin square completion."""

    name: ClassVar[str] = "latin-square"
    instance_class: ClassVar[type] = LatinSquare
    priors: ClassVar[dict[str, PriorCode]] = PRIORS
    options: ClassVar[type[LatinSquareOptions]] = LatinSquareOptions
    generator: ClassVar[Any] = "generators.latin_square:LatinSquareGenerator"
    maker: ClassVar[Any] = "generators.puzzles.grids:LatinSquareMaker"
    drawing: ClassVar[Any] = "pipeline.reports.drawings.latin_square"
    peers: ClassVar[Any] = "pipeline.comparing.peers:LATIN_SQUARE"
    shipped_prior: ClassVar[str | None] = "latin-square-belief"
    target: ClassVar[float | None] = 0.0
    default_dead_ends: ClassVar[int] = 100
    #: Metropolis' algorithm, undisturbed: weights and ways back cost time here.
    guided_parameters: ClassVar[dict[str, Any]] = {
        "proposals": "min-conflicts:0.9,prior:0.1",
        "moves": 5000,
        "noise": 0.72,
        "reweight": 0.0,
        "memory": 1000,
        "patience": 1000,
    }

    def parse(self, text: str, source: str) -> list[Problem]:
        """Read text grids, `.pls` or `.col` files."""
        return read_each(grid_pieces(text, source))

    def instance(self, problem: Problem, options: LatinSquareOptions) -> LatinSquare:
        """Propagate the givens and list the candidates that are left."""
        grid = np.array(problem.data, np.int16)
        check_givens(grid, problem.name)
        instance = new_square(grid.ravel(), options)
        state = new_cover_state(instance.cover)
        propagate_root(instance.cover, state)
        if state.scalars[FAILED]:
            return instance._replace(contradiction=1)
        return new_square(self.answer(instance, state).ravel(), options)

    def best_algorithm(self, options: LatinSquareOptions) -> str:
        """Searches that the square chooses; with the paper's forward checking the paper's own."""
        return "portfolio" if options.propagation == "channeling" else "gnrpa"

    def assignments(self) -> Puzzle:
        """Playouts with a value in each hole, which may stand in its line already."""
        fillings: Puzzle = resolve(FILLINGS)()
        return fillings

    def exactly_one(self, instance: LatinSquare) -> list[Moves] | None:
        """Candidates of cells, of values in rows and of values in columns."""
        return all_sets(instance.cover, instance.contradiction)

    def portfolio(self, instance: LatinSquare) -> dict[str, float]:
        """Playouts alone on loose squares, complete search alone on small ones that are not loose.

        All take turns on larger ones; the hardest have about 1.7 order**1.55 holes when the givens
        are propagated.
        """
        holes = instance.cover.n_assignments
        if holes > LOOSE * instance.order**1.55:
            return {"gnrpa": 1.0}
        if holes < FEW_HOLES:
            return {"complete": 1.0}
        return {"gnrpa": 0.2, "complete": 0.75, "cadical": 0.05}

    def new_state(self, instance: LatinSquare) -> CoverState:
        """Allocate a state."""
        return new_cover_state(instance.cover)

    def limits(self, instance: LatinSquare) -> Limits:
        """Each step covers a set, so no candidate is listed twice at the same cell."""
        cover = instance.cover
        return Limits(
            steps=cover.n_assignments,
            moves=int(cover.size.max(initial=1)),
            choices=len(cover.sets),
            codes=len(cover.sets),
        )

    def answer(self, instance: LatinSquare, state: CoverState) -> Grid:
        """The grid as far as it is filled, int16[order, order]."""
        grid = instance.grid.copy()
        assigned = state.assigned[: state.scalars[N_ASSIGNED]]
        grid[instance.cell[assigned]] = instance.value[assigned]
        return grid.reshape(instance.order, instance.order)

    def verify(self, problem: Problem, answer: Grid) -> None:
        """Every row and column holds every value once, and the givens are kept."""
        givens = problem.data
        if answer.shape != givens.shape:
            raise VerificationError(f"the grid is {answer.shape}, expected {givens.shape}")
        changed = np.argwhere((givens >= 0) & (answer != givens))
        if len(changed):
            row, column = changed[0] + 1
            raise VerificationError(f"row {row}, column {column}: a given was changed")
        values = np.arange(len(givens))
        for axis, lines in (("row", answer), ("column", answer.T)):
            wrong = np.flatnonzero((np.sort(lines, axis=1) != values).any(axis=1))
            if len(wrong):
                raise VerificationError(f"{axis} {wrong[0] + 1} does not hold every value once")

    def format_problem(self, problem: Problem) -> str:
        """Return the givens as a text grid."""
        return format_grid(problem.data)

    def format(self, problem: Problem, answer: Grid) -> str:
        """Return the grid with values 1 ... order and `.` in holes."""
        return format_grid(answer)

    def parse_answer(self, problem: Problem, text: str, source: str) -> Grid:
        """Read one text grid."""
        grids = parse_grids(text, source, answered=len(problem.data))
        if len(grids) != 1:
            raise InputError(f"{source}: {len(grids)} grids, expected one answer")
        return grids[0][1]

    def solution(self, problem: Problem, answer: Grid) -> Moves:
        """Values of the cells, int64[order * order]."""
        return np.ascontiguousarray(answer, dtype=np.int64).ravel()
