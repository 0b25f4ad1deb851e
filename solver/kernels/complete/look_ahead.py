"""Look-ahead: moves whose propagation ends in a dead end are excluded, to a fixpoint."""

from __future__ import annotations

from typing import Any

from solver.compiling.jit import kernel
from solver.compiling.random import Stream
from solver.contract.branching import exclude, is_open
from solver.contract.rules import Moves, legal_moves, mark, play, score, undo


@kernel
def look_ahead(instance: Any, state: Any, stream: Stream, moves: Moves, n_codes: int) -> None:
    """Play each open move of `state`, take it back, and exclude those that end in a dead end.

    Failed literals, as SAT solvers call it; one after the other until none fails any more. What is
    left does not depend on the order. Needs a domain with `solver.contract.branching.EXCLUSION`
    whose best score is 0.

    Parameters
    ----------
    stream : uint64[4]
        Consumed.
    moves : int64[moves]
        Scratch.
    n_codes : int
        Moves are less than this.
    """
    changed = True
    while changed and legal_moves(instance, state, stream, moves) > 0:
        changed = False
        for move in range(n_codes):
            if not is_open(instance, state, move):
                continue
            here = mark(instance, state)
            play(instance, state, move)
            ended = legal_moves(instance, state, stream, moves) == 0
            failed = ended and score(instance, state) < 0
            undo(instance, state, here)
            if failed:
                exclude(instance, state, move)
                changed = True
                if legal_moves(instance, state, stream, moves) == 0:
                    return
