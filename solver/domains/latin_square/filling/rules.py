"""Playouts that give every hole a value, whether it stands in its line already or not.

A hole may have any of the values that the givens leave it, whatever the other holes have; so there
are no dead ends, and each value can be exchanged later. The answer keeps the first of those that
stand twice in a line.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import called
from solver.compiling.random import Stream
from solver.contract import constraints, rules
from solver.contract.rules import Moves
from solver.domains.latin_square.kernels import CELL, COLUMN, ROW, Int32s, LatinSquare
from solver.propagation.exact_cover import Cover, note_listed

NO_VALUE = -1
#: Values of a hole, at least: with one, conflicts would cost nothing.
FEWEST_VALUES = 2.0
#: With it about half of what a conflict costs is felt by proposals, half by acceptance.
AVERSION = 1.4


class Filling(NamedTuple):
    """A square whose holes get values: hole h at step h."""

    square: LatinSquare
    cover: Cover
    """Cover of the square, where the priors expect it."""
    price: float
    """Cost of a value's repetition in a line.

    It is ln k, k the mean number of values that the givens leave a hole: as much as choosing one
    is worth, so that the same noise suits squares with few holes and with many.
    """
    odds: npt.NDArray[np.float64]
    """float64[3]: of `MinConflicts`, by how many of a move's two lines have the value already."""


class FillingState(NamedTuple):
    """The values of h holes."""

    chosen: Int32s
    """int32[h]: a candidate of each hole, or `NO_VALUE`."""
    times: Int32s
    """int32[s]: how often each line has each value."""
    size: Int32s
    """int32[s]: argument of priors, the number of candidates that the givens leave each set."""
    alive: npt.NDArray[np.uint8]
    """uint8[c]: argument of priors, 1 for each candidate."""
    odds: npt.NDArray[np.float64]
    """float64[c]: scratch of priors."""
    listed: Moves
    """int64[2]: scratch of priors, see `note_listed`."""
    kept: npt.NDArray[np.bool_]
    """bool[h]: scratch of `keep_first`, of which holes the values are in the answer."""
    taken: npt.NDArray[np.bool_]
    """bool[s]: scratch of `keep_first`."""
    step: Moves
    """int64[1]: the hole that is next."""


class MinConflicts(NamedTuple):
    """The prior that prefers values that neither row nor column has, as the square stands.

    The heuristic of S. Minton et al., Minimizing Conflicts, 1992, followed in most cases: the odds
    are k**(-`AVERSION` n), n the lines that have the value and k as for `Filling.price`.
    """

    unused: int = 0


@rules.odds.register(MinConflicts)
def odds(prior: MinConflicts, instance: Filling, state: FillingState, move: int) -> float:
    row, column = instance.cover.sets[move, ROW], instance.cover.sets[move, COLUMN]
    return float(instance.odds[int(state.times[row] > 0) + int(state.times[column] > 0)])


def new_filling(square: LatinSquare) -> Filling:
    """Return the instance of a square."""
    holes, candidates = square.cover.n_assignments, len(square.cell)
    price = float(np.log(max(candidates / max(holes, 1), FEWEST_VALUES)))
    return Filling(square, square.cover, price, np.exp(-AVERSION * price * np.arange(3.0)))


def new_filling_state(instance: Filling) -> FillingState:
    """Allocate a state."""
    size = instance.cover.size
    holes = instance.cover.n_assignments
    return FillingState(
        chosen=np.full(holes, NO_VALUE, np.int32),
        times=np.zeros(len(size), np.int32),
        size=size.astype(np.int32),
        alive=np.ones(len(instance.cover.sets), np.uint8),
        odds=np.zeros(len(instance.cover.sets)),
        listed=np.zeros(2, np.int64),
        kept=np.zeros(holes, np.bool_),
        taken=np.zeros(len(size), np.bool_),
        step=np.zeros(1, np.int64),
    )


@rules.reset.register(Filling)
def reset(instance: Filling, state: FillingState) -> None:
    state.chosen[:] = NO_VALUE
    state.times[:] = 0
    state.step[0] = 0


@rules.legal_moves.register(Filling)
def legal_moves(instance: Filling, state: FillingState, stream: Stream, moves: Moves) -> int:
    cover, hole = instance.cover, state.step[0]
    if hole == cover.n_assignments or instance.square.contradiction:
        return 0
    note_listed(state, hole)
    first = cover.first[hole]
    n = cover.first[hole + 1] - first
    for index in range(n):
        moves[index] = cover.members[first + index]
    return int(n)


@rules.play.register(Filling)
def play(instance: Filling, state: FillingState, move: int) -> None:
    sets = instance.cover.sets
    hole = sets[move, CELL]
    before = state.chosen[hole]
    for kind in (ROW, COLUMN):
        if before != NO_VALUE:
            state.times[sets[before, kind]] -= 1
        state.times[sets[move, kind]] += 1
    state.chosen[hole] = move
    state.step[0] = hole + 1


@constraints.revisit.register(Filling)
def revisit(instance: Filling, state: FillingState, step: int) -> None:
    state.step[0] = step


@rules.score.register(Filling)
def score(instance: Filling, state: FillingState) -> float:
    return float(keep_first(instance, state) - instance.cover.n_assignments)


@called
def keep_first(instance: Filling, state: FillingState) -> int:
    """Mark the holes with values that no hole before has in the same line; returns how many."""
    sets = instance.cover.sets
    state.taken[:] = False
    count = 0
    for hole in range(len(state.chosen)):
        candidate = state.chosen[hole]
        state.kept[hole] = False
        if candidate == NO_VALUE:
            continue
        row, column = sets[candidate, ROW], sets[candidate, COLUMN]
        if not state.taken[row] and not state.taken[column]:
            state.kept[hole] = state.taken[row] = state.taken[column] = True
            count += 1
    return count
