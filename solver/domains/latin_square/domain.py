"""Latin square completion (paper 'learned-prior', section 4.1).

An exact cover: a candidate is a (row, column, value) that is still possible; its
sets are the values of its cell, the columns of its (row, value) pair and the
rows of its (column, value) pair. A move is a candidate number, which is also
its policy code.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import allocating_kernel
from solver.compiling.random import Stream
from solver.contract import rules
from solver.contract.codes import PriorCode
from solver.contract.domain import Limits, Problem, Puzzle, read_each
from solver.contract.rules import Moves
from solver.domains.latin_square.text import check_givens, format_grid, grid_pieces, parse_grids
from solver.errors import InputError, VerificationError
from solver.priors.priors import table_odds
from solver.propagation.exact_cover import (
    FAILED,
    N_ASSIGNED,
    N_TRAIL,
    Cover,
    CoverState,
    UInt32s,
    assign,
    is_over,
    list_candidates,
    n_unassigned,
    new_cover,
    new_cover_state,
    note_failure,
    propagate_root,
    reset_cover,
    smallest_set,
    undo_to,
)
from solver.system.fields import check_fields

Int32s = npt.NDArray[np.int32]
Grid = npt.NDArray[np.int16]
"""int16[order, order]: values 0 ... order - 1, -1 in holes."""

CELL, ROW, COLUMN = 0, 1, 2  # the three kinds of sets
DUAL_CAP = 31  # order 20 stays below; larger counts share the last row
TRIPLE_CAP = 16


class LatinSquare(NamedTuple):
    """A Latin square to complete, with its givens propagated."""

    order: int
    grid: npt.NDArray[np.int16]
    """int16[order * order]: the givens and what they force."""
    cell: Int32s
    """int32[c]: row * order + column of each candidate."""
    value: Int32s
    """int32[c]: value of each candidate."""
    cover: Cover
    contradiction: int
    """1 if the givens alone lead to a dead end."""


@dataclass(frozen=True)
class LatinSquareOptions:
    """How a Latin square is searched.

    Parameters
    ----------
    propagation : {"channeling", "forward"}
        `forward`: a cell with one value left is assigned (the numbers of the paper).
        `channeling`: also a value with one cell left in a row or column.
    variables : {"sets", "cells"}
        Branch on the smallest cell, or on the smallest of all three kinds of sets.
        Under `forward` it is always the cells.
    ties : {"random", "first"}
        Which of the smallest.

    Raises
    ------
    InputError
        If a value is none of these.
    """

    propagation: Literal["channeling", "forward"] = "channeling"
    variables: Literal["sets", "cells"] = "sets"
    ties: Literal["random", "first"] = "random"

    def __post_init__(self) -> None:
        check_fields(self)


@rules.reset.register(LatinSquare)
def reset(instance: LatinSquare, state: CoverState) -> None:
    reset_cover(instance.cover, state)
    state.scalars[FAILED] = instance.contradiction


@rules.legal_moves.register(LatinSquare)
def legal_moves(instance: LatinSquare, state: CoverState, stream: Stream, moves: Moves) -> int:
    if is_over(instance.cover, state):
        return 0
    variable = smallest_set(instance.cover, state, stream)
    return list_candidates(instance.cover, state, variable, moves)


@rules.play.register(LatinSquare)
def play(instance: LatinSquare, state: CoverState, move: int) -> None:
    assign(instance.cover, state, move)


@rules.mark.register(LatinSquare)
def mark(instance: LatinSquare, state: CoverState) -> int:
    return int(state.scalars[N_TRAIL])


@rules.note_dead_end.register(LatinSquare)
def note_dead_end(instance: LatinSquare, state: CoverState) -> None:
    note_failure(state)


@rules.undo.register(LatinSquare)
def undo(instance: LatinSquare, state: CoverState, mark: int) -> None:
    undo_to(instance.cover, state, mark)


@rules.score.register(LatinSquare)
def score(instance: LatinSquare, state: CoverState) -> float:
    return float(-n_unassigned(instance.cover, state))


@rules.code.register(LatinSquare)
def code(instance: LatinSquare, state: CoverState, move: int) -> int:
    return move


@rules.is_solution_move.register(LatinSquare)
def is_solution_move(
    instance: LatinSquare, state: CoverState, solution: Moves, step: int, move: int
) -> bool:
    return bool(solution[instance.cell[move]] == instance.value[move])


class DualTable(NamedTuple):
    """The paper's Dual prior: where else the value is possible in the column and the row."""

    table: npt.NDArray[np.float64]


class TripleTable(NamedTuple):
    """Sizes of the three sets of a candidate, in ascending order: cells, rows, columns alike."""

    table: npt.NDArray[np.float64]


@rules.prior_code.register(DualTable)
def dual_code(prior: DualTable, instance: LatinSquare, state: CoverState, move: int) -> int:
    in_column = min(state.size[instance.cover.sets[move, COLUMN]], DUAL_CAP)
    in_row = min(state.size[instance.cover.sets[move, ROW]], DUAL_CAP)
    return int(in_column * (DUAL_CAP + 1) + in_row)


@rules.prior_code.register(TripleTable)
def triple_code(prior: TripleTable, instance: LatinSquare, state: CoverState, move: int) -> int:
    a = min(state.size[instance.cover.sets[move, CELL]], TRIPLE_CAP)
    b = min(state.size[instance.cover.sets[move, ROW]], TRIPLE_CAP)
    c = min(state.size[instance.cover.sets[move, COLUMN]], TRIPLE_CAP)
    low, high = min(a, b, c), max(a, b, c)
    middle = a + b + c - low - high
    return int((low * (TRIPLE_CAP + 1) + middle) * (TRIPLE_CAP + 1) + high)


rules.odds.register(DualTable)(table_odds)
rules.odds.register(TripleTable)(table_odds)


@allocating_kernel
def _candidates(grid: npt.NDArray[np.int16], order: int) -> tuple[Int32s, Int32s, UInt32s, int]:
    """Cells, values and sets of all candidates of `grid`, and the number of holes."""
    row_has = np.zeros((order, order), np.bool_)
    column_has = np.zeros((order, order), np.bool_)
    for cell in range(order * order):
        if grid[cell] >= 0:
            row_has[cell // order, grid[cell]] = True
            column_has[cell % order, grid[cell]] = True
    row_set = np.cumsum(~row_has.ravel()) - 1
    column_set = np.cumsum(~column_has.ravel()) - 1
    holes = 0
    count = 0
    for cell in range(order * order):
        if grid[cell] < 0:
            holes += 1
            for value in range(order):
                if not row_has[cell // order, value] and not column_has[cell % order, value]:
                    count += 1
    cells, values = np.empty(count, np.int32), np.empty(count, np.int32)
    sets = np.empty((count, 3), np.uint32)
    hole = 0
    candidate = 0
    for cell in range(order * order):
        if grid[cell] >= 0:
            continue
        for value in range(order):
            if not row_has[cell // order, value] and not column_has[cell % order, value]:
                cells[candidate], values[candidate] = cell, value
                sets[candidate, CELL] = hole
                sets[candidate, ROW] = holes + row_set[cell // order * order + value]
                sets[candidate, COLUMN] = 2 * holes + column_set[cell % order * order + value]
                candidate += 1
        hole += 1
    return cells, values, sets, holes


def _new_instance(grid: npt.NDArray[np.int16], options: LatinSquareOptions) -> LatinSquare:
    """Build the instance of a flat `grid` without propagating anything."""
    order = round(len(grid) ** 0.5)
    cell, value, sets, holes = _candidates(grid, order)
    forward = options.propagation == "forward"
    cover = new_cover(
        sets,
        3 * holes,
        n_variables=holes if forward or options.variables == "cells" else 3 * holes,
        n_propagated=holes if forward else 3 * holes,
        n_assignments=holes,
        random_ties=options.ties == "random",
    )
    return LatinSquare(order, grid, cell, value, cover, 0)


class LatinSquareDomain(Puzzle):
    """Latin square completion."""

    name: ClassVar[str] = "latin-square"
    instance_class: ClassVar[type] = LatinSquare
    priors: ClassVar[dict[str, PriorCode]] = {
        "triple": PriorCode(
            "triple",
            {"smallest": TRIPLE_CAP + 1, "middle": TRIPLE_CAP + 1, "largest": TRIPLE_CAP + 1},
            TripleTable,
            temperature=32.0,
        ),
        "dual": PriorCode(
            "dual",
            {"in_column": DUAL_CAP + 1, "in_row": DUAL_CAP + 1},
            DualTable,
            temperature=3.0,
        ),
    }
    options: ClassVar[type[LatinSquareOptions]] = LatinSquareOptions
    generator: ClassVar[Any] = "generators.latin_square:LatinSquareGenerator"
    drawing: ClassVar[Any] = "pipeline.reports.drawings.latin_square"
    peers: ClassVar[Any] = "pipeline.comparing.peers:LATIN_SQUARE"
    shipped_prior: ClassVar[str | None] = "latin-square"
    target: ClassVar[float | None] = 0.0
    default_dead_ends: ClassVar[int] = 30
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
        """Read text grids, or one `.pls` file."""
        return read_each(grid_pieces(text, source))

    def instance(self, problem: Problem, options: LatinSquareOptions) -> LatinSquare:
        """Propagate the givens and list the candidates that are left."""
        grid = np.array(problem.data, np.int16)
        check_givens(grid, problem.name)
        instance = _new_instance(grid.ravel(), options)
        state = new_cover_state(instance.cover)
        propagate_root(instance.cover, state)
        if state.scalars[FAILED]:
            return instance._replace(contradiction=1)
        return _new_instance(self.answer(instance, state).ravel(), options)

    def assignments(self) -> Puzzle:
        """Playouts with a value in each hole, which may stand in its line already."""
        from solver.domains.latin_square.filling.domain import LatinSquareFillings

        return LatinSquareFillings()

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
        grids = parse_grids(text, source)
        if len(grids) != 1:
            raise InputError(f"{source}: {len(grids)} grids, expected one answer")
        return grids[0][1]

    def solution(self, problem: Problem, answer: Grid) -> Moves:
        """Values of the cells, int64[order * order]."""
        return np.ascontiguousarray(answer, dtype=np.int64).ravel()
