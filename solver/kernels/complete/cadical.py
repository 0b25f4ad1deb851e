"""A run of CaDiCaL, a clause-learning SAT solver, from the package python-sat.

A. Biere et al., CaDiCaL 2.0, 2024. Encoding of problems whose rules are sets of moves of which an
answer has exactly one: C. P. Gomes and D. Shmoys, Completing quasigroups or Latin squares: a
structured graph coloring problem, 2002.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import kernel
from solver.compiling.random import Stream
from solver.contract.branching import is_open
from solver.contract.domain import Puzzle
from solver.contract.rules import legal_moves, play, reset, score
from solver.kernels.bounds import new_moves
from solver.kernels.monitor import PLAYOUTS, new_monitor, note_improvement
from solver.kernels.status import EXHAUSTED, PAUSED, REACHED

Moves = npt.NDArray[np.int64]

#: Sets up to this size have a clause for every pair; larger ones a chain of new variables.
PAIRWISE = 40
#: Conflicts of a call of the solver, which holds the lock of the interpreter meanwhile: tenths of a
#: second. Calls of 500 find answers later, or not at all.
CONFLICTS = 5000


@functools.cache
def has_cadical() -> bool:
    """Return whether python-sat is installed."""
    return find_spec("pysat") is not None


def exactly_one_clauses(sets: Sequence[Sequence[int]], last: int) -> Iterator[list[int]]:
    """Yield the clauses for variables of which each set has exactly one that is true.

    New variables are numbered from `last` + 1 (C. Sinz, Towards an Optimal CNF Encoding of Boolean
    Cardinality Constraints, 2005).
    """
    for names in sets:
        yield list(names)
        if len(names) <= PAIRWISE:
            yield from ([-one, -other] for one, other in itertools.combinations(names, 2))
            continue
        chain = range(last + 1, last + len(names))
        last += len(chain)
        for place, done in enumerate(chain):
            yield [-names[place], done]
            yield [-done, -names[place + 1]]
        yield from ([-done, after] for done, after in itertools.pairwise(chain))


class Scratch(NamedTuple):
    """Arrays for `follow`."""

    listed: Moves
    """int64[moves]."""
    stream: Stream


@kernel
def follow(
    instance: Any, state: Any, moves: Moves, played: Moves, scratch: Scratch
) -> tuple[int, float]:
    """Play `moves` (int64[n]) where they are open, then any to the end, into `played`.

    Returns the number of moves played and the score.
    """
    reset(instance, state)
    step = 0
    for index in range(len(moves)):
        if step < len(played) and is_open(instance, state, moves[index]):
            play(instance, state, moves[index])
            played[step] = moves[index]
            step += 1
    n = legal_moves(instance, state, scratch.stream, scratch.listed)
    while n > 0 and step < len(played):
        played[step] = scratch.listed[0]
        play(instance, state, scratch.listed[0])
        step += 1
        n = legal_moves(instance, state, scratch.stream, scratch.listed)
    return step, score(instance, state)


class CadicalRun:
    """CaDiCaL on the moves of an instance; a conflict counts as a playout.

    Parameters
    ----------
    sets : sequence of int64[n]
        Moves of which each answer has exactly one: all that the rules say.
    """

    def __init__(self, domain: Puzzle, instance: Any, sets: Sequence[Moves]) -> None:
        self._domain, self._instance, self._sets = domain, instance, sets
        self._moves = np.unique(np.concatenate(sets)) if sets else np.zeros(0, np.int64)
        self.monitor = new_monitor()
        self._solver: Any = None
        self._best: tuple[float, Moves] = (-np.inf, np.zeros(0, np.int64))

    def begin(self, stream: Stream) -> None:
        """Start afresh; `stream` numbers the variables."""
        self.monitor.counters[:] = 0
        self._best = (-np.inf, np.zeros(0, np.int64))
        seeds = [int(word) for word in stream]
        self._order = np.random.default_rng(seeds).permutation(self._moves)
        self._solver = None

    def advance(self, max_playouts: int, run_playouts: int) -> int:
        """See `solver.algorithms.run.Run`."""
        if self._best[0] == -np.inf:  # there is a best playout from the start
            self._note(np.zeros(0, np.int64))
        counters = self.monitor.counters
        while counters[PLAYOUTS] < max_playouts:
            solver = self._solver or self._encoded()
            before = solver.accum_stats()["conflicts"]
            # Not up to `max_playouts`: a call that ends elsewhere goes on in another way.
            budget = min(CONFLICTS, run_playouts - int(counters[PLAYOUTS]))
            solver.conf_budget(budget)
            solved = solver.solve_limited()
            spent = solver.accum_stats()["conflicts"] - before
            counters[PLAYOUTS] += budget if solved is None else min(max(spent, 1), budget)
            if solved:
                model = np.asarray(solver.get_model()[: len(self._order)])
                self._note(self._order[model > 0])
                return REACHED
            if solved is False:
                return EXHAUSTED
        return PAUSED

    def _encoded(self) -> Any:
        """Return the solver with the clauses."""
        from pysat.solvers import Cadical195

        number = dict(zip(self._order.tolist(), itertools.count(1)))
        sets = [[number[move] for move in moves.tolist()] for moves in self._sets]
        clauses = exactly_one_clauses(sets, len(number))
        self._solver = Cadical195(bootstrap_with=clauses)
        return self._solver

    def _note(self, true: Moves) -> None:
        """Keep the playout that plays the moves `true`, those apart that others force."""
        limits = self._domain.limits(self._instance)
        state, played = self._domain.new_state(self._instance), np.zeros(limits.steps, np.int64)
        scratch = Scratch(new_moves(limits), np.zeros(4, np.uint64))
        steps, worth = follow(self._instance, state, true, played, scratch)
        if worth > self._best[0]:
            self._best = worth, played[:steps].copy()
            note_improvement(self.monitor, worth)

    def best(self) -> tuple[float, Moves]:
        """Score and moves of the answer."""
        return self._best

    def proof(self) -> str:
        """Description of the proof that there is no answer."""
        return f"by CaDiCaL: {int(self.monitor.counters[PLAYOUTS]):,} conflicts"
