"""Rules of any domain that is an exact cover, and the Python side that such domains share.

A domain of one file names its candidates, their sets (`solver.propagation.exact_cover`, or of
values in cells `solver.propagation.grid_cover`), reads and verifies; all else is here. Its instance
is a NamedTuple with the fields `given`, `place`, `value`, `cover` and `contradiction`:

- `given`, int64[places]: the value of each place, -1 where it is open;
- `place` and `value`, int64[c]: a candidate is a value for a place;
- `cover`: the candidates and their sets;
- `contradiction`: 1 if the problem alone leads to a dead end.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from solver.compiling.random import Stream
from solver.contract import rules
from solver.contract.domain import Limits, Puzzle
from solver.contract.rules import Moves
from solver.propagation.exact_cover import (
    FAILED,
    N_ASSIGNED,
    N_OPEN,
    N_TRAIL,
    CoverState,
    assign,
    is_over,
    list_candidates,
    new_cover_state,
    propagate_root,
    reset_cover,
    undo_to,
)
from solver.propagation.smallest_set import note_failure, smallest_set


def reset(instance: Any, state: CoverState) -> None:
    """The start state, a dead end if the problem contradicts itself."""
    reset_cover(instance.cover, state)
    state.scalars[FAILED] = instance.contradiction


def legal_moves(instance: Any, state: CoverState, stream: Stream, moves: Moves) -> int:
    """Candidates of a smallest set."""
    if is_over(instance.cover, state):
        return 0
    item = smallest_set(instance.cover, state, stream)
    return list_candidates(instance.cover, state, item, moves)


def play(instance: Any, state: CoverState, move: int) -> None:
    """Assign a candidate and what it forces."""
    assign(instance.cover, state, move)


def mark(instance: Any, state: CoverState) -> int:
    """Length of the trail."""
    return int(state.scalars[N_TRAIL])


def undo(instance: Any, state: CoverState, mark: int) -> None:
    """Go back along the trail."""
    undo_to(instance.cover, state, mark)


def note_dead_end(instance: Any, state: CoverState) -> None:
    """Count the dead end for the set that is empty."""
    note_failure(state)


def score(instance: Any, state: CoverState) -> float:
    """Sets that are not covered, negative; less than 0 at a dead end."""
    return float(-max(state.scalars[N_OPEN], state.scalars[FAILED]))


def code(instance: Any, state: CoverState, move: int) -> int:
    """Number of the candidate."""
    return move


def is_solution_move(
    instance: Any, state: CoverState, solution: Moves, step: int, move: int
) -> bool:
    """True if the solution has the candidate's value in its place."""
    return bool(solution[instance.place[move]] == instance.value[move])


def register_cover_rules(instance_class: type) -> None:
    """Register the rules of exact covers for the instances of a domain.

    Rules that are registered for the class already stay: a domain with constraints of its own
    registers its `play` before.
    """
    for function in (
        reset, legal_moves, play, mark, undo, note_dead_end, score, code, is_solution_move,
    ):  # fmt: skip
        stub = getattr(rules, function.__name__)
        if stub.implementation(instance_class) is None:
            stub.register(instance_class)(function)


class CoverPuzzle(Puzzle):
    """Python side of a domain that is an exact cover; `instance` and texts are the domain's."""

    target = 0.0
    default_dead_ends = 100

    def propagated(self, instance: Any) -> Any:
        """Return `instance` with `contradiction` set, and `given` as far as propagation fills it.

        A domain makes its instance once more from `given`, without the candidates that are gone.
        """
        state = new_cover_state(instance.cover)
        propagate_root(instance.cover, state)
        failed = int(state.scalars[FAILED])
        return instance._replace(given=self.filled(instance, state), contradiction=failed)

    def new_state(self, instance: Any) -> CoverState:
        """Allocate a state."""
        return new_cover_state(instance.cover)

    def limits(self, instance: Any) -> Limits:
        """Each step covers a set, so no candidate is listed twice at the same place."""
        cover = instance.cover
        return Limits(
            steps=cover.n_assignments,
            moves=int(cover.size.max(initial=1)),
            choices=len(cover.sets) * cover.sets.shape[1],
            codes=len(cover.sets),
        )

    def filled(self, instance: Any, state: CoverState) -> npt.NDArray[np.int64]:
        """Values of the places as far as `state` has them, int64[places]; -1 for none."""
        values = instance.given.copy()
        assigned = state.assigned[: state.scalars[N_ASSIGNED]]
        values[instance.place[assigned]] = instance.value[assigned]
        return values
