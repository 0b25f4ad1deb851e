"""Designs of ever higher objective, one after the other, from a first one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple

import numpy as np

from solver.compiling.copies import copy_arrays
from solver.compiling.jit import kernel
from solver.domains.rna.ensemble.factors import Ensembles
from solver.domains.rna.fold.call import fold_at
from solver.domains.rna.fold.vectors import Int32s
from solver.domains.rna.folding import Text, as_text
from solver.domains.rna.objective.memory import (
    DEFAULT,
    DEFECT,
    LOGARITHM,
    VALUE,
    Place,
    Tuning,
    new_goal,
    new_search_memory,
)
from solver.domains.rna.objective.search import SURE, improve_ensemble
from solver.domains.rna.requests.contradictions import Site
from solver.domains.rna.requests.kernels import excess
from solver.domains.rna.requests.options import BOTH

#: Between two looks at the clock, about 10 ms: steps of a sequence of one base, which fall with the
#: square of the length, and the most.
_STEPS, _MOST_STEPS = 1_000_000, 10_000


class _Found(NamedTuple):
    """The best design so far."""

    sequence: str
    is_right: bool
    """True if it folds into the target and meets all requests."""


@kernel
def _fold(address: int, memory: Int32s, energies: Int32s, sequence: Text, pairs: Int32s) -> None:
    fold_at(address, memory, energies, sequence, pairs)


@kernel
def _lacks(requests: Any, sequence: Text) -> int:
    return int(excess(requests, sequence))


def copy_place(place: Place) -> Place:
    """Return a copy."""
    return Place(place.sequence.copy(), place.weights.copy(), place.numbers.copy())


class EnsembleRefinement:
    """Search for the highest objective, from one design.

    Parameters
    ----------
    structure : str
        The target.
    sites : list of Site
        Permitted bases of each position or pair.
    requests : Requests or NoRequests
    objective : {"probability", "defect", "both"}
        With both a design that folds right is given up for another such one only.
    ensembles : Ensembles
    random : random.Random
        Consumed.
    accepts : callable, optional
        Tells of a sequence whether it is right in what the search does not know, as a gap. Then a
        design that is right is given up for another such one only.
    tuning : Tuning, optional
    """

    def __init__(
        self,
        structure: str,
        sites: list[Site],
        requests: Any,
        objective: str,
        ensembles: Ensembles,
        random: Random,
        accepts: Callable[[str], bool] | None = None,
        tuning: Tuning = DEFAULT,
    ) -> None:
        self._n = len(structure)
        self._requests = requests
        self._accepts = accepts
        self._keeps_right = accepts is not None or objective == BOTH
        self._goal = new_goal(structure, sites, ensembles, tuning, objective=objective)
        stream = np.array([random.getrandbits(64) for _ in range(4)], np.uint64)
        self._memory = new_search_memory(self._n, self._goal, ensembles, stream, tuning)

    def run(self, sequence: str) -> Iterator[tuple[str, float]]:
        """Yield the best sequence so far, and its score, after each step.

        The score is 1 where it folds right and meets the requests, and less where it does not.
        """
        goal, memory, requests = self._goal, self._memory, self._requests
        memory.tried[:] = as_text(sequence)
        improve_ensemble(goal, memory, requests, 0)
        best = self._found(memory.best)
        kept = copy_place(memory.best)
        yield best.sequence, self._score(best)
        count = min(max(_STEPS // self._n**2, 1), _MOST_STEPS)
        while len(goal.position):
            steps = improve_ensemble(goal, memory, requests, count)
            for _ in range(steps - 1):
                yield best.sequence, self._score(best)
            if memory.best.numbers[VALUE] > kept.numbers[VALUE]:
                found = self._found(memory.best)
                if best.is_right and not found.is_right and self._keeps_right:
                    copy_arrays(kept, memory.best)
                else:
                    best = found
                    copy_arrays(memory.best, kept)
            yield best.sequence, self._score(best)

    def _found(self, place: Place) -> _Found:
        """Return the sequence at a place, and whether it is a solution."""
        folds = place.numbers[LOGARITHM] > SURE or self._folds(place.sequence)
        lacks = _lacks(self._requests, place.sequence)
        sequence = place.sequence[:-1].tobytes().decode()
        accepted = self._accepts is None or self._accepts(sequence)
        return _Found(sequence, folds and lacks == 0 and accepted)

    def _folds(self, sequence: Text) -> bool:
        """Return whether a sequence folds into the target."""
        goal, memory = self._goal, self._memory
        _fold(goal.folding, memory.folding, goal.packed, sequence, memory.folded)
        return bool((memory.folded + 1 == goal.pairs[1:]).all())

    def _score(self, found: _Found) -> float:
        if found.is_right:
            return 1.0
        off = 1.0 + float(self._memory.best.numbers[DEFECT])
        return 1.0 / (1.01 + off)
