"""Fronts of a search: of several runs together, verified, and the hypervolume of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.errors import VerificationError
from solver.searching.answers import answer_in

if TYPE_CHECKING:
    from solver.contract.domain import Problem, Puzzle

Floats = npt.NDArray[np.float64]

#: Share of a value that facts round off.
ROUNDING = 1e-6


class FrontMember(NamedTuple):
    """A playout of a front."""

    values: Floats
    """float64[1 + objectives]: see `solver.contract.fronts.objectives.write_objectives`."""
    moves: npt.NDArray[np.int64]
    """int64[steps]."""


@dataclass(frozen=True)
class FrontPoint:
    """An answer of a front, verified."""

    answer: Any
    objectives: dict[str, float]
    """Values by name, from the rules alone."""
    feasible: bool


def non_dominated(members: Sequence[FrontMember]) -> tuple[FrontMember, ...]:
    """Return the members that none dominates by their values, the first of those with equal ones.

    In the order of the first objective.
    """
    front: list[FrontMember] = []
    kept = np.zeros((0, 0))
    for member in sorted(members, key=lambda member: member.values.tolist()):
        # None that comes later dominates it: it would be in front of it.
        values = member.values
        if front and ((kept[:, 0] < values[0]) | (kept <= values).all(axis=1)).any():
            continue
        front.append(member)
        kept = np.vstack([kept, values]) if len(front) > 1 else values[None]
    return tuple(front)


def verified_front(
    domain: Puzzle, problem: Problem, instance: Any, members: Sequence[FrontMember]
) -> tuple[FrontPoint, ...]:
    """Return the answers of a front, with what the rules alone say of them.

    Raises
    ------
    VerificationError
        If an answer breaks a rule, or the values that the search knows are not its own: a bug.
    """
    from solver.contract.fronts.objectives import objectives_of
    from solver.kernels.replay import replay_moves

    names, points = objectives_of(domain), []
    for member in members:
        state = domain.new_state(instance)
        replay_moves(instance, state, member.moves)
        answer = answer_in(domain, instance, state)
        domain.verify(problem, answer)
        feasible = domain.feasible(problem, answer)
        if feasible != (member.values[0] == 0):
            found = "feasible" if feasible else "not feasible"
            raise VerificationError(
                f"{problem.name}: an answer of the front is {found}, and the search says otherwise"
            )
        facts = domain.facts(problem, answer)
        points.append(FrontPoint(answer, {name: facts[name] for name in names}, feasible))
    _verify_values(problem, points, members)
    return tuple(points)


def _verify_values(
    problem: Problem, points: Sequence[FrontPoint], members: Sequence[FrontMember]
) -> None:
    """Compare values with those of the search, from which they differ by a constant at most."""
    if not points:
        return
    known = np.array([member.values[1:] for member in members])
    told = np.array([[*point.objectives.values()] for point in points])
    off = np.abs((told - known) - (told - known)[0])
    if (off > 2 * ROUNDING * np.maximum(1.0, np.abs(known))).any():
        raise VerificationError(f"{problem.name}: the front has other values than its answers")


def hypervolume(points: Floats, reference: Floats) -> float:
    """Area that a front of two objectives dominates, up to a reference point.

    Parameters
    ----------
    points : float64[n, 2]
        Values of feasible answers, least is best. One that is not below the reference in both
        counts nothing.
    reference : float64[2]
    """
    area, below = 0.0, float(reference[1])
    for first, second in sorted(map(tuple, np.asarray(points, np.float64).reshape(-1, 2))):
        if first < reference[0] and second < below:
            area += (reference[0] - first) * (below - second)
            below = second
    return float(area)
