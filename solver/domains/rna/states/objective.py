"""Objectives of targets that the compiled search does not take, improved while all else holds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

from solver.domains.rna.plans.complexes import Complex, Molecules
from solver.domains.rna.plans.overlaps import inclusion_exclusion
from solver.domains.rna.requests.options import BOTH, DEFECT, PROBABILITY
from solver.domains.rna.states.search import Changes
from solver.domains.rna.text import OPEN


def objective_lack(part: Complex, objective: str) -> str:
    """Return words for what a complex has that the objective is not known of, "" if nothing."""
    n_strands = len(part.spans)
    has_open = any(OPEN in structure for structure in part.structures)
    if part.ligand is not None:
        return "a ligand"
    if n_strands > 2:
        return f"{n_strands} strands"
    if has_open and n_strands > 1:
        return "open positions of two strands"
    if objective != PROBABILITY and n_strands > 1:
        return "two strands"
    if has_open and inclusion_exclusion(tuple(part.structures)) is None:
        return f"so many structures with folds in common ({len(part.structures)})"
    if objective != PROBABILITY and (has_open or len(part.structures) > 1):
        return "open positions" if has_open else "several structures"
    return ""


def objective_cost(
    complexes: Sequence[Complex], sequence: str, model: Any, objective: str
) -> float:
    """Mean defect, or negative logarithm of the product of the probabilities of a sequence.

    For both the mean defect, and what the geometric mean of the probabilities lacks of 1.
    """
    found = [Molecules(part, sequence, model) for part in complexes]
    defect = logarithm = 0.0
    if objective != PROBABILITY:
        defect = sum(molecules.defect() for molecules in found) / len(found)
    if objective != DEFECT:
        logarithm = sum(molecules.log_probability() or 0.0 for molecules in found)
    if objective == BOTH:
        return defect + 1.0 - math.exp(logarithm / len(found))
    return defect - logarithm


def improved(
    sequence: str,
    changes: Changes,
    distance: Callable[[str], float],
    cost: Callable[[str], float],
    random: Random,
) -> Iterator[tuple[str, float]]:
    """Yield the best sequence so far, which is right, after each one that was evaluated.

    A base is changed at a time; what is worse by `cost`, or not right by `distance`, is taken
    back.
    """
    best, least = sequence, cost(sequence)
    while least > 0:
        tried = changes.changed(best, random.randrange(len(best)), random)
        if tried != best:
            found = cost(tried)
            if found <= least and distance(tried) == 0.0:
                best, least = tried, found
        yield best, 1.0
    yield best, 1.0
