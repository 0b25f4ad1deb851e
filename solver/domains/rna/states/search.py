"""Search for sequences of several structures, of several strands, or that fulfil tables.

Guided by counterexamples as `solver.algorithms.cegls` is, in plain Python with ViennaRNA's
energies: what a sequence folds into instead becomes a rival. Each structure shall have no more
energy than every other, but for `within`; between two folds a local search
makes that hold, by a margin, against all rivals known, and for the structures of a switch
against each other, as in the cost of [1]_: how far they lie above the best, and how far apart.
A target may have several complexes, each of its strands: the cost is the sum of theirs. Of a
structure with open positions it is the best way to complete it that counts, found with each fold.

References
----------
.. [1] C. Flamm, I. Hofacker, S. Maurer-Stroh, P. Stadler, M. Zehl, Design of multistable RNA
   molecules, 2001.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, NamedTuple, Protocol

from solver.domains.rna.plans.complexes import Complex, Molecules, agrees
from solver.domains.rna.requests.check import SAME, Requirements
from solver.domains.rna.requests.ensemble import Ensemble
from solver.domains.rna.requests.quadruplex import quadruplex_of
from solver.domains.rna.states.lacks import lack_of
from solver.domains.rna.text import OPEN, PAIRS

#: Energy, in kcal/mol, by which a rival must be beaten, and that a lack of a request costs.
MARGIN, LACK_COST = 0.3, 1.0
#: Share of the mean energy of the structures in the cost of a sequence.
STABILITY = 0.1
#: As the parameters of `solver.algorithms.cegls` of these names.
MOVES, NOISE, REWEIGHT, MEMORY, PATIENCE = 100, 0.1, 0.02, 8, 60
#: Rivals kept; those longest not violated make room.
MOST_RIVALS = 60
#: Distance of a sequence that folds into another structure of the same energy.
TIE = 0.001
#: Distance of a sequence that forms a quadruplex where none is permitted.
QUADRUPLEX = 1.0
#: Share of moves of a sequence with a lack that change it for that, and not for a rival.
SHARE = 0.5
_EVAL_ONLY = 8  # RNA.OPTION_EVAL_ONLY: no matrices


class Changes(Protocol):
    """Sequences that are allowed, and changes between them: `Compatible`, or `Assignments`."""

    @property
    def is_single(self) -> bool:
        """True if exactly one sequence fits."""

    def drawn(self, random: Random) -> str:
        """Draw a sequence; consumes `random`."""

    def near(self, sequence: str, random: Random) -> str:
        """Return a sequence that fits, and has many of the letters of `sequence`."""

    def changed(self, sequence: str, position: int, random: Random) -> str:
        """Return a sequence with another letter at `position` if there is one that fits."""


class _Rival:
    """A structure that the strands of a complex had instead of the target structures."""

    def __init__(self, structure: str, number: int, part: Complex, asked: list[list[int]]) -> None:
        self.structure = structure
        self.number = number
        """Number of the complex."""
        pairs, at = part.partners(structure), part.positions
        self.pairs = [(at[i], at[j]) for i, j in enumerate(pairs) if j > i]
        differs = [
            any(
                pairs[i] != known[i] and marks[i] != OPEN
                for known, marks in zip(asked, part.structures, strict=True)
            )
            for i in range(len(pairs))
        ]
        ends = [i for i in range(len(pairs)) if any(differs[max(i - 1, 0) : i + 2])]
        if any(OPEN in marks for marks in part.structures):  # the other ends are open positions
            ends += sorted({pairs[i] for i in ends if pairs[i] >= 0} - set(ends))
        self.positions = [at[i] for i in ends]
        self.weight = 1.0
        self.used = 0

    def fits(self, sequence: str) -> bool:
        """Return whether a sequence can form the structure."""
        return all(sequence[i] + sequence[j] in PAIRS for i, j in self.pairs)


class _Cost(NamedTuple):
    """Cost of a sequence, and its causes."""

    total: float
    violated: list[_Rival]
    apart: list[int]
    """Complexes of which a structure of a switch lies too far above another one."""
    lacks: list[int]
    """Positions to change for a request, none where nothing lacks."""


class StatesSearch:
    """The search, from one sequence.

    Parameters
    ----------
    complexes : sequence of Complex
        Structures, of which strands.
    changes : Compatible or Assignments
        Sequences that can form them.
    requirements : Requirements
        Further requests.
    model : RNA.md or None
        ViennaRNA's model details; None where nothing is folded.
    random : random.Random
        Consumed.
    """

    def __init__(
        self,
        complexes: Sequence[Complex],
        changes: Changes,
        requirements: Requirements,
        model: Any,
        random: Random,
    ) -> None:
        self._complexes = list(complexes)
        self._partners = [
            [part.partners(structure) for structure in part.structures] for part in complexes
        ]
        self._completed = [list(part.structures) for part in complexes]
        """Structures without open positions, as they were in the last sequence that was folded."""
        self._changes = changes
        self._requirements = requirements
        self._model = model
        self._random = random
        self._rivals: list[_Rival] = []
        self._checks = 0

    def run(self, sequence: str) -> Iterator[tuple[str, float]]:
        """Yield the best sequence so far, and its score, after each one that was folded."""
        current = self._changes.near(sequence, self._random)
        best, nearest_of_all = current, math.inf
        anchor, nearest, history, idle = current, math.inf, [math.inf] * MEMORY, 0
        while True:
            distance = self.checked(current)
            if distance < nearest_of_all:
                best, nearest_of_all = current, distance
            yield best, 1.0 if nearest_of_all == 0.0 else 1.0 / (1.01 + nearest_of_all)
            if nearest_of_all == 0.0 or self._changes.is_single:
                return
            place = self._checks % MEMORY
            idle = 0 if distance < nearest else idle + 1
            if distance <= nearest:
                anchor, nearest = current, distance
            elif distance > history[place]:
                current, distance = anchor, nearest
            history[place] = distance
            if idle > PATIENCE:
                current = self._changes.drawn(self._random)
                nearest, history, idle = math.inf, [math.inf] * MEMORY, 0
                for rival in self._rivals:
                    rival.weight = 1.0
            else:
                current = self._improved(current)

    def checked(self, sequence: str) -> float:
        """Fold a sequence and learn from its fold; returns how far it is off, 0 if solved."""
        self._checks += 1
        lack = LACK_COST * lack_of(sequence, self._requirements, self._random).size
        if self._model is None:
            return lack
        return lack + sum(
            self._distance(number, part, sequence) for number, part in enumerate(self._complexes)
        )

    def _distance(self, number: int, part: Complex, sequence: str) -> float:
        """Fold the strands of a complex and learn from their fold."""
        molecules = Molecules(part, sequence, self._model)
        structure, lowest = molecules.fold()
        completed = [molecules.completed(known) for known in part.structures]
        self._completed[number] = [found for found, _ in completed]
        # Rounded as where designs are examined: ViennaRNA's floats differ by how they are added up.
        most = round(lowest, 2) + part.within + SAME
        above = sum(max(round(energy, 2) - most, 0.0) for _, energy in completed)
        if not self._requirements.quadruplex and above == 0.0:
            found = quadruplex_of(part.text(sequence), self._model, part.ligand)
            above = QUADRUPLEX * (found is not None)
        if not any(agrees(known, structure) for known in part.structures):
            self._learn(structure, number)
            if len(part.structures) == 1:
                above += TIE
        elif above == 0.0 and self._requirements.gap > 0:
            return self._gap_distance(number, part, sequence)
        return above

    def _gap_distance(self, number: int, part: Complex, sequence: str) -> float:
        """Learn from the second-best structure; returns what the gap lacks, in kcal/mol."""
        asked = self._requirements.gap
        ensemble = Ensemble(part.text(sequence), part.structures[0], self._model)
        gap, rival = ensemble.rival(asked)
        if gap is None or gap >= asked - SAME:
            return 0.0
        self._learn(rival, number)
        return asked - gap

    def _learn(self, structure: str, number: int) -> None:
        if any(rival.structure == structure and rival.number == number for rival in self._rivals):
            return
        if len(self._rivals) == MOST_RIVALS:
            self._rivals.remove(min(self._rivals, key=lambda rival: rival.used))
        rival = _Rival(structure, number, self._complexes[number], self._partners[number])
        rival.used = self._checks
        self._rivals.append(rival)

    def _cost(self, sequence: str) -> _Cost:
        lack = lack_of(sequence, self._requirements, self._random)
        if self._model is None:
            return _Cost(LACK_COST * lack.size, [], [], lack.positions)
        total, violated, apart = LACK_COST * lack.size, [], []
        for number, part in enumerate(self._complexes):
            molecules = Molecules(part, sequence, self._model, _EVAL_ONLY)
            energies = self._energies(number, molecules)
            highest, mean = max(energies), sum(energies) / len(energies)
            total += STABILITY * mean
            most = highest - part.within + MARGIN
            least = most + self._requirements.gap
            if most > min(energies) and len(energies) > 1:
                total += most - min(energies)
                apart.append(number)
            for rival in self._rivals:
                if rival.number == number and rival.fits(sequence):
                    violation = least - molecules.energy_of(rival.structure)
                    if violation > 0:
                        total += rival.weight * violation
                        violated.append(rival)
        return _Cost(total, violated, apart, lack.positions)

    def _energies(self, number: int, molecules: Molecules) -> list[float]:
        """Energies of the structures of a complex, open positions as they were last."""
        return [
            molecules.energy_of(molecules.formable(found, asked))
            for found, asked in zip(
                self._completed[number], self._complexes[number].structures, strict=True
            )
        ]

    def _improved(self, sequence: str) -> str:
        """Return a sequence that no known rival is better for, or the last of those tried."""
        random = self._random
        cost = self._cost(sequence)
        for _ in range(MOVES):
            if not (cost.violated or cost.apart or cost.lacks):
                break
            rival, positions = self._to_change(cost)
            tried = self._changes.changed(sequence, random.choice(positions), random)
            if tried == sequence:
                continue
            found = self._cost(tried)
            if found.total <= cost.total - NOISE * math.log(1.0 - random.random()):
                sequence, cost = tried, found
            elif rival is not None:
                rival.weight += REWEIGHT
        for rival in cost.violated:
            rival.used = self._checks
        return sequence

    def _to_change(self, cost: _Cost) -> tuple[_Rival | None, list[int]]:
        """Draw what to change a sequence for: the rival, if it is one, and positions."""
        if cost.lacks and (self._random.random() < SHARE or not (cost.violated or cost.apart)):
            return None, cost.lacks
        number = self._random.randrange(len(cost.violated) + len(cost.apart))
        if number < len(cost.violated):
            return cost.violated[number], cost.violated[number].positions
        which = cost.apart[number - len(cost.violated)]
        at, structures = self._complexes[which].positions, self._complexes[which].structures
        differing = _differing(self._partners[which]) or _differing(structures)
        return None, [at[i] for i in differing]


def _differing(of_structures: Sequence[Sequence[Any]]) -> list[int]:
    """Return the positions at which structures, or their partners, are not all the same."""
    return [i for i, each in enumerate(zip(*of_structures, strict=True)) if len(set(each)) > 1]
