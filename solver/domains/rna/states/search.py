"""Search for sequences that have several structures, or one of two strands.

Guided by counterexamples as `solver.algorithms.cegls` is, in plain Python with ViennaRNA's
energies: what a sequence folds into instead becomes a rival. Each structure shall have no more
energy than every other, but for `within`; between two folds a local search
makes that hold, by a margin, against all rivals known, and for the structures of a switch
against each other, as in the cost of [1]_: how far they lie above the best, and how far apart.

References
----------
.. [1] C. Flamm, I. Hofacker, S. Maurer-Stroh, P. Stadler, M. Zehl, Design of multistable RNA
   molecules, 2001.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

from solver.domains.rna.requests.check import SAME, Requirements
from solver.domains.rna.requests.quadruplex import quadruplex_of
from solver.domains.rna.states.compatible import Compatible
from solver.domains.rna.states.lacks import lack_of
from solver.domains.rna.text import PAIRS, pair_partners, with_strands

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


class _Rival:
    """A structure that a sequence had instead of the target structures."""

    def __init__(self, structure: str, nick: int, structures: list[list[int]]) -> None:
        self.structure = structure
        pairs = pair_partners(structure, "fold", nick)
        self.pairs = [(i, j) for i, j in enumerate(pairs) if j > i]
        differs = [any(pairs[i] != known[i] for known in structures) for i in range(len(pairs))]
        self.positions = [i for i in range(len(pairs)) if any(differs[max(i - 1, 0) : i + 2])]
        self.weight = 1.0
        self.used = 0

    def fits(self, sequence: str) -> bool:
        """Return whether a sequence can form the structure."""
        return all(sequence[i] + sequence[j] in PAIRS for i, j in self.pairs)


class _Cost(NamedTuple):
    """Cost of a sequence, and its causes."""

    total: float
    violated: list[_Rival]
    apart: bool
    """True if a structure of the switch lies too far above another one."""
    lacks: list[int]
    """Positions to change for a request, none where nothing lacks."""


class StatesSearch:
    """The search, from one sequence.

    Parameters
    ----------
    structures : sequence of str
        Dot-bracket.
    compatible : Compatible
        Sequences that can form them.
    requirements : Requirements
        Further requests; `nick` and `within` are read, too.
    model : RNA.md or None
        ViennaRNA's model details; None where nothing is folded.
    random : random.Random
        Consumed.
    """

    def __init__(
        self,
        structures: tuple[str, ...],
        compatible: Compatible,
        requirements: Requirements,
        model: Any,
        random: Random,
    ) -> None:
        self._structures = structures
        self._partners = [pair_partners(s, "structure", requirements.nick) for s in structures]
        self._compatible = compatible
        self._requirements = requirements
        self._within = requirements.within if len(structures) > 1 else 0.0
        self._model = model
        self._random = random
        self._rivals: list[_Rival] = []
        self._checks = 0

    def run(self, sequence: str) -> Iterator[tuple[str, float]]:
        """Yield the best sequence so far, and its score, after each one that was folded."""
        current = self._compatible.near(sequence, self._random)
        best, nearest_of_all = current, math.inf
        anchor, nearest, history, idle = current, math.inf, [math.inf] * MEMORY, 0
        while True:
            distance = self._checked(current)
            if distance < nearest_of_all:
                best, nearest_of_all = current, distance
            yield best, 1.0 if nearest_of_all == 0.0 else 1.0 / (1.01 + nearest_of_all)
            if nearest_of_all == 0.0 or self._compatible.is_single:
                return
            place = self._checks % MEMORY
            idle = 0 if distance < nearest else idle + 1
            if distance <= nearest:
                anchor, nearest = current, distance
            elif distance > history[place]:
                current, distance = anchor, nearest
            history[place] = distance
            if idle > PATIENCE:
                current = self._compatible.drawn(self._random)
                nearest, history, idle = math.inf, [math.inf] * MEMORY, 0
                for rival in self._rivals:
                    rival.weight = 1.0
            else:
                current = self._improved(current)

    def _compound(self, sequence: str, options: int) -> Any:
        import RNA

        return RNA.fold_compound(
            with_strands(sequence, self._requirements.nick), self._model, options
        )

    def _checked(self, sequence: str) -> float:
        """Fold a sequence and learn from its fold; returns how far it is off, 0 if solved."""
        self._checks += 1
        lack = LACK_COST * lack_of(sequence, self._requirements, self._random).size
        if self._model is None:
            return lack
        compound = self._compound(sequence, 0)
        structure, lowest = compound.mfe_dimer() if self._requirements.nick else compound.mfe()
        energies = [compound.eval_structure(known) for known in self._structures]
        above = sum(max(energy - lowest - self._within - SAME, 0.0) for energy in energies)
        if not self._requirements.quadruplex and above == 0.0 and self._has_quadruplex(sequence):
            above = QUADRUPLEX
        if structure not in self._structures:
            self._learn(structure)
            if len(self._structures) == 1:
                above += TIE
        return lack + above

    def _has_quadruplex(self, sequence: str) -> bool:
        text = with_strands(sequence, self._requirements.nick)
        return quadruplex_of(text, self._model) is not None

    def _learn(self, structure: str) -> None:
        if any(rival.structure == structure for rival in self._rivals):
            return
        if len(self._rivals) == MOST_RIVALS:
            self._rivals.remove(min(self._rivals, key=lambda rival: rival.used))
        rival = _Rival(structure, self._requirements.nick, self._partners)
        rival.used = self._checks
        self._rivals.append(rival)

    def _cost(self, sequence: str) -> _Cost:
        lack = lack_of(sequence, self._requirements, self._random)
        if self._model is None:
            return _Cost(LACK_COST * lack.size, [], False, lack.positions)
        compound = self._compound(sequence, 8)  # RNA.OPTION_EVAL_ONLY: no matrices
        energies = [compound.eval_structure(known) for known in self._structures]
        highest, mean = max(energies), sum(energies) / len(energies)
        total = LACK_COST * lack.size + STABILITY * mean
        most = highest - self._within + MARGIN
        apart = most > min(energies) and len(energies) > 1
        if apart:
            total += most - min(energies)
        violated = []
        for rival in self._rivals:
            if rival.fits(sequence):
                violation = most - compound.eval_structure(rival.structure)
                if violation > 0:
                    total += rival.weight * violation
                    violated.append(rival)
        return _Cost(total, violated, apart, lack.positions)

    def _improved(self, sequence: str) -> str:
        """Return a sequence that no known rival is better for, or the last of those tried."""
        random = self._random
        cost = self._cost(sequence)
        for _ in range(MOVES):
            if not (cost.violated or cost.apart or cost.lacks):
                break
            rival, positions = self._to_change(cost)
            tried = self._compatible.changed(sequence, random.choice(positions), random)
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
        number = self._random.randrange(len(cost.violated) + cost.apart)
        if number < len(cost.violated):
            return cost.violated[number], cost.violated[number].positions
        first, *others = self._partners
        return None, [i for i in range(len(first)) if any(first[i] != other[i] for other in others)]
