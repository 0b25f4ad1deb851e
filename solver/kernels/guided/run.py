"""Runs of local search guided by counterexamples, from the whole and from its parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from solver.compiling.jit import compile_for, kernel
from solver.compiling.memory import unshared
from solver.compiling.random import Stream
from solver.contract.constraints import forget
from solver.contract.domain import Puzzle
from solver.contract.rules import Moves
from solver.kernels.arguments import Off
from solver.kernels.bounds import refuse_broken
from solver.kernels.guided.palettes import PLAIN, Palettes
from solver.kernels.guided.search import (
    ANCHOR,
    BEGUN,
    BEST,
    CURRENT,
    NEARER,
    NEAREST,
    STUCK,
    GuidedParameters,
    GuidedWorkspace,
    search_guided,
    step_at_fault,
)
from solver.kernels.monitor import PLAYOUTS, best_score, note_improvement
from solver.kernels.policy import NoPolicy
from solver.kernels.replay import replay_moves
from solver.kernels.run import KernelRun
from solver.kernels.status import PAUSED, REACHED

#: Checks spent on a part of half the size of the whole, on others by what they cost.
PART_CHECKS = 300
#: A check takes time that grows with such a power of the size.
PART_POWER = 1.5
#: Beginnings of the search: a playout, an assignment put together from parts, or the best one
#: with a part of it drawn again, or solved again by itself.
DRAWN, PUT_TOGETHER, MENDED, SOLVED = range(4)
#: Beginnings from the best assignment.
FROM_BEST = (MENDED, SOLVED)


@kernel
def forget_all(constraints: Any, instance: Any) -> None:
    """Keep no constraint."""
    forget(constraints, instance)


class GuidedRun(KernelRun):
    """A run of local search guided by counterexamples.

    It begins, and where nothing is gained for long begins again, in turns with a playout; with an
    assignment put together from the problem's parts, each solved by itself before those that
    contain it; with the best of all, a part of which is drawn again that a violated constraint
    depends on (large neighbourhood search [1]_); and with the best, the smallest such part solved
    again by itself. Parts that are alike are solved once for all of them. Checks of parts count as
    playouts.

    Parameters
    ----------
    constraints : NamedTuple
        From `Puzzle.new_constraints`.
    memory : int
        An assignment is gone on from if it is no further off than that so many checks before.
    beginnings : sequence of int
        The turns: `DRAWN`, `PUT_TOGETHER`, and, which are not the first, `MENDED` and `SOLVED`.
    palettes : Palettes, optional
        Palettes that restarts draw from in every second cycle of beginnings; `parameters` has the
        one in use. The best assignment is mended with its own, and a part is solved without.

    References
    ----------
    .. [1] P. Shaw, Using constraint programming and local search methods to solve vehicle routing
       problems, CP 1998.
    """

    def __init__(
        self,
        domain: Puzzle,
        instance: Any,
        parameters: GuidedParameters,
        constraints: Any,
        memory: int,
        beginnings: Sequence[int],
        palettes: Palettes | None = None,
    ) -> None:
        super().__init__(domain, instance, Off(), NoPolicy(), rows=3)
        self.domain = domain
        self.parameters = parameters
        self.memory = memory
        self.beginnings = beginnings
        self.palettes = palettes
        self._of_best = PLAIN
        self.guided: GuidedWorkspace = unshared(
            GuidedWorkspace(
                constraints=constraints,
                records=self.records,
                listed=self.choices.listed,
                weights=np.zeros(len(self.choices.listed)),
                given=np.full(self.limits.steps, -1, np.int64),
                history=np.zeros(memory),
                distances=np.zeros(2),
                counters=np.zeros(4, np.int64),
            )
        )
        self.guided = self.guided._replace(listed=self.choices.listed)
        self.records = self.guided.records
        compile_for(replay_moves, instance, self.state, np.zeros(0, np.int64))
        self._parts: list[tuple[GuidedRun, Moves]] | None = None
        self._ahead: list[tuple[GuidedRun, Moves]] = []
        self.restarts = 0
        self._designs: dict[int, Moves] = {}

    def begin(self, stream: Stream) -> None:
        """Start afresh with `stream`."""
        super().begin(stream)
        self.restarts = 0
        self._of_best = PLAIN
        if self.palettes is not None:
            self.palettes.begin()
        self._begin_whole()
        self.guided.distances[:] = np.inf
        forget_all(self.guided.constraints, self.instance)
        for part, _ in self._parts or []:
            part.begin(stream)

    def compile_restarts(self) -> None:
        """Compile, or load from disk, what restarts from the best assignment take."""
        if self.parts and set(self.beginnings).intersection(FROM_BEST):
            arguments = self.guided.constraints, self.instance, self.state, self.stream
            compile_for(step_at_fault, *arguments)

    def advance(self, max_playouts: int, run_playouts: int) -> int:
        """See `solver.algorithms.run.Run`."""
        while True:
            if self._ahead:
                self._advance_part(max_playouts, *self._ahead[0])
            else:
                status = self._search(max_playouts, run_playouts)
                if status != STUCK:
                    return status
                self._begin_again()
            if self.monitor.counters[PLAYOUTS] >= max_playouts:
                return PAUSED

    def _begin_again(self) -> None:
        """Begin the next assignment, with another palette if there are any."""
        palettes = self.palettes
        if palettes is not None and self.begins_with not in FROM_BEST:
            palettes.note(float(self.guided.distances[NEAREST]))
        self.restarts += 1
        if palettes is not None:
            palettes.use(self._palette(palettes))
        self._begin_whole()

    def _palette(self, palettes: Palettes) -> int:
        """Palette of a restart: the best is mended with its own, every second cycle has any."""
        if self.begins_with == MENDED:
            return self._of_best
        cycle = self.restarts // len(self.beginnings)
        return PLAIN if self.begins_with == SOLVED or cycle % 2 == 0 else palettes.draw(self.stream)

    @property
    def begins_with(self) -> int:
        """Beginning of the current assignment."""
        return self.beginnings[self.restarts % len(self.beginnings)]

    @property
    def parts(self) -> list[tuple[GuidedRun, Moves]]:
        """Runs of the parts, each with the numbers that its steps have in the whole.

        Parts that are alike have one run.
        """
        if self._parts is None:
            self._parts = []
            runs: dict[int, GuidedRun] = {}
            for instance, steps in self.domain.parts(self.instance):
                if id(instance) not in runs:
                    constraints = self.domain.new_constraints(instance)
                    part = GuidedRun(
                        self.domain, instance, self.parameters, constraints, self.memory, (DRAWN,)
                    )
                    part.begin(self.stream)
                    runs[id(instance)] = part
                self._parts.append((runs[id(instance)], steps))
        return self._parts

    def _search(self, max_playouts: int, run_playouts: int) -> int:
        """Go on from the assignment at hand; returns why that ended, gains apart."""
        while True:
            course = self.course(max_playouts, run_playouts)
            status = search_guided(self.task, self.parameters, self.guided, course)
            refuse_broken(self.monitor.broken)
            if status != NEARER:
                return status
            if self._scored() >= self.target:
                return REACHED

    def _scored(self) -> float:
        """Score of the assignment, which is kept if it is the best."""
        records = self.records
        moves = records.move[CURRENT, : records.steps[CURRENT]]
        reached = replay_moves(self.instance, self.state, moves)
        if reached > best_score(self.monitor):
            records.move[BEST, : len(moves)] = moves
            records.score[BEST] = reached
            note_improvement(self.monitor, reached)
            if self.palettes is not None:
                self._of_best = self.palettes.number
        return reached

    def _begin_whole(self) -> None:
        """Let the next assignment be one of drawn moves, those that are to be kept apart."""
        self._ahead = list(self.parts) if self.begins_with == PUT_TOGETHER else []
        self._designs.clear()
        given = self.guided.given
        self.guided.counters[:] = 0
        given[:] = -1
        if self.begins_with in FROM_BEST and self.parts:
            best = self.records.move[BEST, : self.records.steps[BEST]]
            given[: len(best)] = best
            steps = self._steps_at_fault(best)
            given[steps] = -1
            if self.begins_with == SOLVED:
                self._ahead = [part for part in self.parts if np.isin(part[1], steps).all()]

    def _steps_at_fault(self, moves: Moves) -> Moves:
        """Steps of a part that a violated constraint of the playout of `moves` depends on.

        To be solved it is the smallest, else any that has the step.
        """
        replay_moves(self.instance, self.state, moves)
        step = step_at_fault(self.guided.constraints, self.instance, self.state, self.stream)
        every = [steps for _, steps in self.parts]
        around = [steps for steps in every if step in steps] or every
        if self.begins_with == SOLVED:
            return min(around, key=len)
        return around[int(self.stream[0] % np.uint64(len(around)))]

    def _advance_part(self, max_playouts: int, part: GuidedRun, steps: Moves) -> None:
        """Go on with the part whose turn it is; at its end its moves are those of the whole."""
        if id(part) in self._designs:
            self.guided.given[steps] = self._designs[id(part)]
            self._ahead.pop(0)
            return
        counters, done = self.monitor.counters, part.monitor.counters
        if part.guided.counters[BEGUN] == 0:
            part.guided.given[:] = self.guided.given[steps]
            part.guided.distances[:] = np.inf
            part.records.score[:] = -np.inf
            done[:] = 0
        budget = int(PART_CHECKS * (0.5 * len(self.guided.given) / len(steps)) ** PART_POWER)
        part.stream[:] = self.stream
        before = int(done[PLAYOUTS])
        end = min(budget, before + max_playouts - int(counters[PLAYOUTS]))
        status = part._search(end, end)
        self.stream[:] = part.stream
        counters[PLAYOUTS] += done[PLAYOUTS] - before
        if status != PAUSED or done[PLAYOUTS] >= budget:
            row = BEST if status == REACHED else ANCHOR
            self._designs[id(part)] = part.records.move[row, : len(steps)].copy()
            self.guided.given[steps] = self._designs[id(part)]
            part.guided.counters[BEGUN] = 0
            self._ahead.pop(0)
