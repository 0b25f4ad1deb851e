"""Better words, as bases near to a sequence or codons that are used more, while all else holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random

from solver.domains.rna.plans.table import Preference, cost_of, letters_at
from solver.domains.rna.states.assignments import Assignments

#: Pairs of changes drawn in vain, none of which is cheaper, after which the search ends.
MOST_IN_VAIN = 2000


def total_cost(sequence: str, preferences: Sequence[Preference]) -> float:
    """Cost of a sequence."""
    return sum(cost_of(sequence, preference) for preference in preferences)


def cheaper(
    sequence: str,
    preferences: Sequence[Preference],
    changes: Assignments,
    distance: Callable[[str], float],
    random: Random,
) -> Iterator[tuple[str, float]]:
    """Yield the best sequence so far, which is right, after each one that was folded.

    One word after the other is exchanged for a cheaper one, then two at a time; what is not right
    any more, by `distance`, is taken back.
    """
    best, least = sequence, total_cost(sequence, preferences)
    waiting: list[dict[int, str]] = _exchanges(best, preferences, random)
    in_vain = 0
    while least > 0 and in_vain < MOST_IN_VAIN:
        if waiting:
            wanted = waiting.pop()
        else:
            both = _exchanges(best, preferences, random)[:2]
            wanted = {place: letter for each in both for place, letter in each.items()}
        tried = changes.with_letters(best, wanted, random)
        cost = total_cost(tried, preferences)
        if cost >= least - 1e-9:
            in_vain += 1
            continue
        if distance(tried) == 0.0:
            best, least, in_vain = tried, cost, 0
            waiting = _exchanges(best, preferences, random)
        yield best, 1.0


def _exchanges(
    sequence: str, preferences: Sequence[Preference], random: Random
) -> list[dict[int, str]]:
    """Cheaper words, in random order, as letters by their positions."""
    found = []
    for preference in preferences:
        now = cost_of(sequence, preference)
        for word, cost in preference.costs.items():
            if cost < now and word != letters_at(sequence, preference.positions):
                found.append(dict(zip(preference.positions, word, strict=True)))
    random.shuffle(found)
    return found
