"""Records of playouts: everything adapt needs, so that it never regenerates moves.

Paper 'gnrpa', section 5. A nested search of level L keeps L + 2 records, one for
the last playout and one for the best of each level; a better one changes places
with the old one, nothing is copied.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import inlined
from solver.contract.domain import Limits

LAST = 0  # index into `row_of`: row of the last playout


class Records(NamedTuple):
    """Playout records, one per row. A *decision* is a step with two moves or more."""

    slot: npt.NDArray[np.uint32]
    """uint32[rows, choices]: policy slot of every move of every decision."""
    odds: npt.NDArray[np.float64]
    """float64[rows, choices]: exp(bias) of the same moves."""
    end: npt.NDArray[np.uint32]
    """uint32[rows, steps + 1]: where decision d - 1 ends and decision d begins."""
    chosen: npt.NDArray[np.uint32]
    """uint32[rows, steps]: index of the move played in each decision."""
    decisions: npt.NDArray[np.int64]
    """int64[rows]: number of decisions."""
    move: npt.NDArray[np.int64]
    """int64[rows, steps]: moves played, those without an alternative included."""
    steps: npt.NDArray[np.int64]
    """int64[rows]: number of moves played."""
    score: npt.NDArray[np.float64]
    """float64[rows]: score of the terminal state."""
    shaped: npt.NDArray[np.float64]
    """float64[rows]: key of a nested search, `score` or the domain's `shaped_score`."""


def new_records(rows: int, limits: Limits) -> Records:
    """Allocate `rows` empty records with score -inf."""
    return Records(
        slot=np.zeros((rows, limits.choices), np.uint32),
        odds=np.ones((rows, limits.choices), np.float64),
        end=np.zeros((rows, limits.steps + 1), np.uint32),
        chosen=np.zeros((rows, limits.steps), np.uint32),
        decisions=np.zeros(rows, np.int64),
        move=np.zeros((rows, limits.steps), np.int64),
        steps=np.zeros(rows, np.int64),
        score=np.full(rows, -np.inf),
        shaped=np.full(rows, -np.inf),
    )


@inlined
def same_moves(records: Records, one: int, other: int) -> bool:
    """Return whether two records hold the same playout."""
    if records.score[one] != records.score[other] or records.steps[one] != records.steps[other]:
        return False
    for step in range(records.steps[one]):
        if records.move[one, step] != records.move[other, step]:
            return False
    return True


@inlined
def same_choices(records: Records, one: int, other: int) -> bool:
    """Return whether two records hold the same playout, with the same legal moves on its way."""
    if not same_moves(records, one, other) or records.decisions[one] != records.decisions[other]:
        return False
    for decision in range(records.decisions[one]):
        if records.end[one, decision + 1] != records.end[other, decision + 1]:
            return False
    for choice in range(records.end[one, records.decisions[one]]):
        if records.slot[one, choice] != records.slot[other, choice]:
            return False
    return True


@inlined
def copy_moves(source: Records, row: int, target: Records, into: int) -> None:
    """Copy a row of records to a row of the same or others, all but slots and odds of choices."""
    decisions, steps = source.decisions[row], source.steps[row]
    target.decisions[into] = decisions
    target.steps[into] = steps
    target.score[into] = source.score[row]
    target.shaped[into] = source.shaped[row]
    for step in range(steps):
        target.move[into, step] = source.move[row, step]
    target.end[into, 0] = source.end[row, 0]
    for decision in range(decisions):
        target.end[into, decision + 1] = source.end[row, decision + 1]
        target.chosen[into, decision] = source.chosen[row, decision]


@inlined
def copy_record(records: Records, source: int, target: int) -> None:
    """Copy row `source` to row `target`, as far as it is filled."""
    copy_moves(records, source, records, target)
    for choice in range(records.end[source, records.decisions[source]]):
        records.slot[target, choice] = records.slot[source, choice]
        records.odds[target, choice] = records.odds[source, choice]
