"""The levels of a nested search with beams, apart from the rules: compiled once for all problems.

A level keeps some sequences, best first, each with a policy of its own: its *beam*. Each of them
in turn is handed down to the level below, whose sequences become *candidates*; when all have had
their turn, the best of sequences and candidates are the new beam. The counters are those of
`solver.kernels.nested.levels`, which this is with beams of one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import inlined, kernel
from solver.kernels.arguments import Course
from solver.kernels.monitor import best_score, note_improvement
from solver.kernels.nested.adapt import adapt, adapt_layers
from solver.kernels.nested.levels import LevelParameters
from solver.kernels.policy import Policy, copy_policy
from solver.kernels.records import LAST, Records, copy_record, same_moves

Int64s = npt.NDArray[np.int64]

#: Differences required of sequences in a beam.
ANYTHING, SCORES, SEQUENCES, DISTANCE = range(4)


class BeamParameters(NamedTuple):
    """See `solver.algorithms.beam_nrpa.BeamNrpa`."""

    levels: LevelParameters
    diversity: int
    """`ANYTHING`, `SCORES`, `SEQUENCES` or `DISTANCE`."""
    distance: int
    keep_adapting: bool


class Beams(NamedTuple):
    """Progress and beam of each level. Levels count from 1; restarts are level + 1."""

    done: Int64s
    """int64[level + 2]: iterations finished, at 0 playouts since the last candidate of level 1.
    A search begins with all equal to -1."""
    repeated: Int64s
    """int64[level + 2]: how often the best of each level was found again."""
    width: Int64s
    """int64[level + 2]: most sequences of a level."""
    n_members: Int64s
    """int64[level + 2]: sequences there are."""
    member: Int64s
    """int64[level + 2, width]: their records; those beyond are spare."""
    policy_of: Int64s
    """int64[level + 2, width]: rows of their policies."""
    turn: Int64s
    """int64[level + 2]: which of them was handed down."""
    n_candidates: Int64s
    """int64[level + 2]."""
    candidate: Int64s
    """int64[level + 2, candidates]: their records; those beyond are spare."""
    parent: Int64s
    """int64[level + 2, candidates]: which sequence each came of."""
    best: Int64s
    """int64[level + 2]: record of the best of both, the newest of equal ones."""
    row_of: Int64s
    """int64[2]: records of the last playout, and of the threshold that the next must reach."""
    pool: Int64s
    """int64[rows]: scratch, records to choose from."""
    descent: Int64s
    """int64[rows]: scratch, which sequence each came of; those that stay count from -1 down."""
    chosen: Int64s
    """int64[width]: scratch, places in the pool."""
    probability: npt.NDArray[np.float64]
    """float64[choices]: scratch."""
    layer: Int64s
    """int64[choices]: scratch."""


def beam_rows(width: Int64s) -> int:
    """Number of records of a search with beams so wide, from level 0 to that of restarts."""
    own = width[1:] * (1 + width[:-1])
    return int(own.sum()) + 3  # the last playout, nothing, the best of all


def new_beams(widths: tuple[int, ...], choices: int) -> Beams:
    """Allocate the beams of a search that has not begun; `widths` are those of level 1, 2 ..."""
    width = np.array([1, *widths, 1], np.int64)
    n, widest = len(width), int(width.max())
    member, policy_of = (np.zeros((n, widest), np.int64) for _ in range(2))
    most = int((width[1:] * width[:-1]).max())
    candidate = np.zeros((n, most), np.int64)
    row, policy = 1, 1
    for level in range(1, n):
        own, new = int(width[level]), int(width[level] * width[level - 1])
        member[level, :own] = np.arange(row, row + own)
        candidate[level, :new] = np.arange(row + own, row + own + new)
        policy_of[level, :own] = np.arange(policy, policy + own)
        row, policy = row + own + new, policy + own
    numbers = [np.zeros(n, np.int64) for _ in range(5)]
    return Beams(
        np.full(n, -1, np.int64), numbers[0], width, numbers[1], member, policy_of, numbers[2],
        numbers[3], candidate, np.zeros_like(candidate), numbers[4], np.array([LAST, row]),
        np.zeros(most + widest, np.int64), np.zeros(most + widest, np.int64),
        np.zeros(widest, np.int64), np.zeros(choices), np.zeros(choices, np.int64),
    )  # fmt: skip


@inlined
def _clear(records: Records, row: int) -> None:
    """Make a record that of no playout, which any playout is better than."""
    records.score[row] = records.shaped[row] = -np.inf
    records.decisions[row] = records.steps[row] = 0


@inlined
def _descend(policy: Policy, records: Records, beams: Beams, level: int) -> None:
    """Begin the searches below `level`, each with the policy handed down from above."""
    for below in range(level - 1, 0, -1):
        above = beams.policy_of[below + 1, beams.turn[below + 1]]
        copy_policy(policy, above, beams.policy_of[below, 0])
        _clear(records, beams.member[below, 0])
        beams.n_members[below] = 1
        beams.best[below] = beams.member[below, 0]
        beams.turn[below] = beams.n_candidates[below] = 0
        beams.done[below] = beams.repeated[below] = 0


@inlined
def _note_result(records: Records, beams: Beams, level: int, row: int) -> bool:
    """Count a result of the level below if it is the best again; returns if it is as good."""
    best = beams.best[level]
    as_good = records.shaped[row] >= records.shaped[best]
    if same_moves(records, row, best):
        beams.repeated[level] += 1
    elif as_good:
        beams.repeated[level] = 0
    return bool(as_good)


@inlined
def _take_playout(records: Records, beams: Beams) -> None:
    """Make the last playout the candidate of level 1 if none of this turn is better."""
    place = beams.n_candidates[1]
    row = beams.row_of[LAST]
    as_good = _note_result(records, beams, 1, row)
    kept = beams.candidate[1, place]
    if beams.done[LAST] == 0 or records.shaped[row] >= records.shaped[kept]:
        beams.candidate[1, place], beams.row_of[LAST] = row, kept
        if as_good:
            beams.best[1] = row


@inlined
def _take_beam(records: Records, beams: Beams, level: int) -> None:
    """Make candidates of the sequences of the level below, the best last."""
    for index in range(beams.n_members[level - 1] - 1, -1, -1):
        row = beams.member[level - 1, index]
        if records.steps[row] == 0 and records.score[row] == -np.inf:
            continue
        place = beams.n_candidates[level]
        as_good = _note_result(records, beams, level, row)
        beams.member[level - 1, index] = beams.candidate[level, place]
        beams.candidate[level, place] = row
        beams.parent[level, place] = beams.turn[level]
        beams.n_candidates[level] += 1
        if as_good:
            beams.best[level] = row


@inlined
def steps_apart(records: Records, one: int, other: int) -> int:
    """Number of steps at which two records play different moves, or only one plays any."""
    steps = min(records.steps[one], records.steps[other])
    apart = max(records.steps[one], records.steps[other]) - steps
    for step in range(steps):
        apart += records.move[one, step] != records.move[other, step]
    return int(apart)


@inlined
def _too_alike(parameters: BeamParameters, records: Records, one: int, other: int) -> bool:
    if parameters.diversity == ANYTHING:
        return False
    if parameters.diversity == SCORES:
        return bool(records.score[one] == records.score[other])
    if parameters.diversity == SEQUENCES:
        return same_moves(records, one, other)
    return steps_apart(records, one, other) < parameters.distance


@inlined
def _fill_pool(beams: Beams, level: int) -> int:
    """List sequences, then candidates; returns how many."""
    n, members = 0, beams.n_members[level]
    for index in range(members):
        beams.pool[n], beams.descent[n] = beams.member[level, index], -1 - index
        n += 1
    for index in range(beams.n_candidates[level]):
        beams.pool[n], beams.descent[n] = beams.candidate[level, index], beams.parent[level, index]
        n += 1
    return n


@inlined
def _choose(parameters: BeamParameters, records: Records, beams: Beams, level: int, n: int) -> int:
    """Choose the new beam, best first, of equal ones the newest; returns how many are chosen."""
    taken = 0
    limit = np.inf
    place = n  # of the last one looked at: what is better, or as good and newer, was before it
    while taken < beams.width[level]:
        found = -1
        for index in range(n):
            shaped = records.shaped[beams.pool[index]]
            if (shaped < limit or (shaped == limit and index < place)) and (
                found < 0 or shaped >= records.shaped[beams.pool[found]]
            ):
                found = index
        if found < 0:
            break
        limit, place = records.shaped[beams.pool[found]], found
        fits = True
        for index in range(taken):
            other = beams.pool[beams.chosen[index]]
            if _too_alike(parameters, records, beams.pool[found], other):
                fits = False
                break
        if fits:
            beams.chosen[taken] = found
            taken += 1
    return taken


@inlined
def _assign_policies(policy: Policy, beams: Beams, level: int, taken: int) -> None:
    """Give each chosen sequence a policy, that of the one it came of; copies only where needed.

    `turn` of levels is not needed now: the rows are put in the order of the new beam.
    """
    width, policy_of = beams.width[level], beams.policy_of
    # From here on `parent` is scratch: at first the old rows, then which are in use.
    old, used = beams.pool, beams.parent
    for index in range(width):
        old[index] = policy_of[level, index]
        used[level, index] = -1
    for index in range(taken):  # who comes first takes the row itself
        parent = _parent(beams, index)
        if used[level, parent] < 0:
            used[level, parent] = index
            policy_of[level, index] = old[parent]
    spare = 0
    for index in range(width):
        if index < taken and used[level, _parent(beams, index)] == index:
            continue
        while used[level, spare] >= 0:
            spare += 1
        policy_of[level, index] = old[spare]
        if index < taken:
            copy_policy(policy, old[_parent(beams, index)], old[spare])
        spare += 1


@inlined
def _parent(beams: Beams, index: int) -> int:
    """Return the place in the old beam of a chosen sequence's parent."""
    descent = beams.descent[beams.chosen[index]]
    return int(-1 - descent if descent < 0 else descent)


@inlined
def _assign_records(beams: Beams, level: int, n: int, taken: int) -> None:
    """Put the records of those chosen into the beam, all others among the spare ones."""
    width, members, candidates = (
        beams.width[level], beams.n_members[level], beams.n_candidates[level],
    )  # fmt: skip
    member, candidate, pool, chosen = beams.member, beams.candidate, beams.pool, beams.chosen
    spares = width - members  # records of the beam that were not in use
    for index in range(spares):
        pool[n + index] = member[level, members + index]
    for index in range(taken):
        member[level, index] = pool[chosen[index]]
        pool[chosen[index]] = -1
    place = 0
    for index in range(taken, width):
        while pool[place] < 0:
            place += 1
        member[level, index] = pool[place]
        place += 1
    for index in range(candidates):
        while pool[place] < 0:
            place += 1
        candidate[level, index] = pool[place]
        place += 1


@inlined
def _end_iteration(
    parameters: BeamParameters, policy: Policy, records: Records, beams: Beams, level: int
) -> None:
    """Choose the new beam of `level` and adapt its policies, each to its own sequence."""
    n = _fill_pool(beams, level)
    taken = _choose(parameters, records, beams, level, n)
    _assign_records(beams, level, n, taken)
    _assign_policies(policy, beams, level, taken)
    levels = parameters.levels
    for index in range(taken):
        policy_row, row = beams.policy_of[level, index], beams.member[level, index]
        if not parameters.keep_adapting and beams.descent[beams.chosen[index]] < 0:
            continue
        if levels.layered:
            adapt_layers(
                policy, policy_row, records, row, levels.alpha, levels.temperature,
                beams.probability, beams.layer,
            )  # fmt: skip
        else:
            adapt(
                policy, policy_row, records, row, levels.alpha, levels.temperature,
                beams.probability,
            )  # fmt: skip
    beams.n_members[level] = taken
    beams.turn[level] = beams.n_candidates[level] = 0
    beams.best[level] = beams.member[level, 0]


@kernel
def begin_beams(level: int, policy: Policy, records: Records, beams: Beams) -> None:
    """Begin a search of `level` unless it is under way."""
    if beams.done[level + 1] < 0:
        beams.done[LAST] = beams.done[level + 1] = 0
        beams.turn[:] = 0
        beams.n_members[level + 1] = 1
        _descend(policy, records, beams, level + 1)


@kernel
def floor_of(parameters: BeamParameters, records: Records, beams: Beams, nothing: int) -> float:
    """Score below which a playout changes nothing; `row_of` gets a record of that score."""
    floor = nothing
    full = beams.n_members[1] == beams.width[1]
    if full and (parameters.diversity != DISTANCE or beams.width[1] == 1):
        floor = beams.member[1, beams.n_members[1] - 1]
    if beams.done[LAST] > 0:
        candidate = beams.candidate[1, beams.n_candidates[1]]
        if records.shaped[candidate] > records.shaped[floor]:
            floor = candidate
    beams.row_of[1] = floor
    return records.shaped[floor]


@kernel
def finish_beam_playout(
    parameters: BeamParameters, policy: Policy, records: Records, beams: Beams, course: Course
) -> bool:
    """Take the last playout and go to the sequence whose turn it is.

    Paper 'beam-nrpa', Algorithm 3. Returns whether the target was reached, the search being over.

    Parameters
    ----------
    policy : Policy
        Rows as in `beams.policy_of`, the last the initial one.
    records : Records
        Rows as in `beams`, the last that of the best of all.
    """
    level = parameters.levels.level
    done, turn, best = beams.done, beams.turn, len(records.score) - 1
    reached = records.score[beams.row_of[LAST]]
    if reached > best_score(course.monitor):
        note_improvement(course.monitor, reached)
        copy_record(records, beams.row_of[LAST], best)
        if reached >= course.target:
            return True
    _take_playout(records, beams)
    done[LAST] += 1
    if done[LAST] < parameters.levels.playouts_per_adapt:
        return False
    done[LAST] = 0
    beams.parent[1, beams.n_candidates[1]] = turn[1]
    beams.n_candidates[1] += 1
    here = 1
    while True:
        turn[here] += 1
        if turn[here] < beams.n_members[here]:
            break
        _end_iteration(parameters, policy, records, beams, here)
        done[here] += 1
        converged = 0 < parameters.levels.repetitions <= beams.repeated[here]
        if done[here] < parameters.levels.iterations and not converged:
            break
        here += 1
        if here > level:
            done[here] += 1
            break
        _take_beam(records, beams, here)
    _descend(policy, records, beams, here)
    if parameters.levels.warm_start and here > level:
        copy_record(records, best, beams.member[level, 0])
    return False
