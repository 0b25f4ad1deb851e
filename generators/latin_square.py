"""Latin squares with holes: uniform squares, or the paper's playout squares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from solver.algorithms import Sampling
from solver.compiling.jit import inlined, kernel
from solver.compiling.random import Stream, new_stream, next_below, shuffle
from solver.contract.domain import Problem
from solver.domains.latin_square.domain import LatinSquareDomain
from solver.domains.latin_square.kernels import Grid, LatinSquareOptions
from solver.domains.latin_square.text import MAX_ORDER
from solver.errors import InputError
from solver.searching.driver import Budget
from solver.searching.solution import solve
from solver.system.fields import Range, check_fields

Cube = npt.NDArray[np.int8]

_SQUARE, _HOLES = 0, 1  # the streams of an instance


@inlined
def _find_one(cube: Cube, axis: int, a: int, b: int, skip: int) -> int:
    """Position of a 1 on a line of the cube, the second one if `skip` is 1."""
    for position in range(len(cube)):
        if axis == 0:
            entry = cube[position, a, b]
        elif axis == 1:
            entry = cube[a, position, b]
        else:
            entry = cube[a, b, position]
        if entry == 1:
            if skip == 0:
                return position
            skip -= 1
    return -1


@kernel
def mix_square(cube: Cube, stream: Stream, moves: int) -> None:
    """Move `moves` times from one Latin square to another by the chain of Jacobson and Matthews.

    M. T. Jacobson and P. Matthews, Generating uniformly distributed random Latin
    squares, Journal of Combinatorial Designs 4 (1996). Every Latin square is
    equally likely in the limit. The improper squares that a move passes through
    are not counted: a walk of so many steps and on to the next proper square would
    end too often where the ways through improper squares are long.

    Parameters
    ----------
    cube : int8[order, order, order]
        1 where (row, column, value) is in the square; changed in place.
    stream : uint64[4]
        Consumed.
    """
    order = len(cube)
    improper = 0
    row, column, value = 0, 0, 0
    while moves > 0 or improper:
        if not improper:
            moves -= 1
            row, column = next_below(stream, order), next_below(stream, order)
            value = next_below(stream, order)
            if cube[row, column, value] == 1:
                continue
        # An improper square has one -1, and two 1s on each line through it.
        other_row = _find_one(cube, 0, column, value, improper and next_below(stream, 2))
        other_column = _find_one(cube, 1, row, value, improper and next_below(stream, 2))
        other_value = _find_one(cube, 2, row, column, improper and next_below(stream, 2))
        cube[row, column, value] += 1
        cube[row, other_column, other_value] += 1
        cube[other_row, column, other_value] += 1
        cube[other_row, other_column, value] += 1
        cube[other_row, column, value] -= 1
        cube[row, other_column, value] -= 1
        cube[row, column, other_value] -= 1
        cube[other_row, other_column, other_value] -= 1
        row, column, value = other_row, other_column, other_value
        improper = int(cube[row, column, value] == -1)


def uniform_square(order: int, stream: Stream) -> Grid:
    """Draw a Latin square, int16[order, order], walking about 2 * order**3 steps from the cyclic.

    A move passes through about `order` squares. After 32 moves at order 4 every square's
    probability is within 0.02 % of uniform.
    """
    index = np.arange(order)
    cube = np.zeros((order, order, order), np.int8)
    cube[index[:, None], index[None, :], np.add.outer(index, index) % order] = 1
    if order > 1:
        mix_square(cube, stream, 2 * order**2)
    square: Grid = cube.argmax(axis=2).astype(np.int16)
    return square


def playout_square(order: int, seed: int) -> Grid:
    """Return the first random playout that fills an empty square (the paper's way)."""
    empty = Problem("empty", np.full((order, order), -1, np.int16))
    options = LatinSquareOptions(propagation="forward", variables="cells", ties="first")
    solution = solve(
        LatinSquareDomain(), empty, options, Sampling(dead_ends=0), Budget(10**6), seed=seed
    )
    if not solution.solved:
        raise InputError(f"no playout filled an empty square of order {order}, use squares=uniform")
    grid: Grid = solution.answer
    return grid


def random_holes(order: int, count: int, stream: Stream) -> npt.NDArray[np.bool_]:
    """Draw `count` holes anywhere, bool[order, order]."""
    cells = np.arange(order * order)
    shuffle(stream, cells)
    holes = np.zeros(order * order, np.bool_)
    holes[cells[:count]] = True
    return holes.reshape(order, order)


def balanced_holes(order: int, count: int, stream: Stream) -> npt.NDArray[np.bool_]:
    """Draw `count` holes spread evenly over rows and columns, bool[order, order].

    The cells of one value of a random Latin square are one hole for each row and
    column; the remainder is part of one more value.
    """
    pattern = uniform_square(order, stream)
    per_line, rest = divmod(count, order)
    holes = pattern < per_line
    cells = np.flatnonzero(pattern == per_line)
    shuffle(stream, cells)
    holes.ravel()[cells[:rest]] = True
    return holes


@dataclass(frozen=True)
class LatinSquareGenerator:
    """Generator of Latin squares.

    Parameters
    ----------
    order : int
        Rows, columns and values.
    holes : float
        Share of the cells that are emptied, rounded to whole cells.
    squares : {"uniform", "playout"}
        Uniform Latin squares, or the paper's, which a random playout filled.
    pattern : {"random", "balanced"}
        Holes anywhere, or the same number in every row and column.

    Raises
    ------
    InputError
        If a parameter is out of range.
    """

    domain: ClassVar[str] = "latin-square"
    order: Annotated[int, Range(1, MAX_ORDER)] = 20
    holes: Annotated[float, Range(0, 1, "of the cells")] = 0.42
    squares: Literal["uniform", "playout"] = "uniform"
    pattern: Literal["random", "balanced"] = "random"

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def n_holes(self) -> int:
        """Number of cells emptied."""
        return round(self.holes * self.order**2)

    @property
    def family(self) -> str:
        """Name of these instances in a report."""
        playout = "playout squares, " if self.squares == "playout" else ""
        return f"order {self.order}, {playout}{self.n_holes} {self.pattern} holes"

    @property
    def family_parameters(self) -> dict[str, float | str]:
        """Parameters by which a report may compare families."""
        return {
            "order": self.order,
            "holes": self.n_holes,
            "fraction": round(self.n_holes / self.order**2, 4),
            "pattern": self.pattern,
        }

    def generate(self, seed: int, number: int) -> tuple[Problem, Grid]:
        """Return solved instance `number` of `seed`."""
        stream = new_stream(seed, number, _SQUARE)
        if self.squares == "playout":
            answer = playout_square(self.order, int(stream[0] >> np.uint64(1)))
        else:
            answer = uniform_square(self.order, stream)
        draw = balanced_holes if self.pattern == "balanced" else random_holes
        holes = draw(self.order, self.n_holes, new_stream(seed, number, _HOLES))
        givens = np.where(holes, np.int16(-1), answer)
        name = f"latin-{self.order}-{self.n_holes}-{self.pattern}-{seed}-{number}"
        return Problem(name, givens), answer
