"""G-quadruplexes: whether a sequence prefers one to the fold that has none, by ViennaRNA.

The process that refolds designs imports this, too: nothing of the search, no compiled code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from solver.domains.rna.energies.modified import modifications, new_compound, with_modified
from solver.domains.rna.plans.groups import Group, least_apart
from solver.domains.rna.requests.check import Requirements, missing_of
from solver.domains.rna.text import STRANDS, with_strands

if TYPE_CHECKING:
    from solver.domains.rna.plans.complexes import Ligand
    from solver.domains.rna.requests.contradictions import Site

#: Four tracts of G with linkers of 1 to 15 bases, as ViennaRNA has them: necessary, not enough.
_TRACTS = re.compile(r"(?=GG.{1,15}?GG.{1,15}?GG.{1,15}?GG)")
#: Bases of the shortest quadruplex that these are.
_SHORTEST = 11
#: ViennaRNA's marks of the layers of a quadruplex in a structure.
LAYERS = "+~"
#: Energy, in kcal/mol, that a change may lose, on average, before the next.
NOISE = 1.0
#: Share of the changes that are made elsewhere: pairs that are stronger keep Gs from a quadruplex.
ELSEWHERE = 0.2
#: Changes without a gain after which a quadruplex of fixed bases is left as it is.
PATIENCE = 1000


class Quadruplex(NamedTuple):
    """Fold of a sequence that has a quadruplex."""

    energy: float
    """Energy of the whole fold, in kcal/mol."""
    positions: list[int]
    """Positions of its layers, from 0, strands one behind the other."""


def quadruplex_of(sequence: str, model: Any, ligand: Ligand | None = None) -> Quadruplex | None:
    """Fold `sequence` with quadruplexes permitted; None if the fold has none.

    Parameters
    ----------
    sequence : str
        Bases, with `&` between two strands.
    model : RNA.md
        ViennaRNA's model details of the engine.
    ligand : Ligand, optional
        That may bind.
    """
    if not _TRACTS.search(sequence.replace(STRANDS, "")):
        return None
    folded, energy = _permitted_fold(sequence.split(STRANDS), model, ligand)
    positions = [i for i, mark in enumerate(folded) if mark in LAYERS]
    return Quadruplex(round(float(energy), 2), positions) if positions else None


def _permitted_fold(strands: Sequence[str], model: Any, ligand: Ligand | None) -> tuple[str, float]:
    """Fold strands, together or apart, with quadruplexes permitted: structure and energy."""
    import RNA

    permitting = RNA.md()
    permitting.dangles, permitting.temperature = model.dangles, model.temperature
    permitting.noLP, permitting.gquad = model.noLP, 1

    def fold(group: Group) -> tuple[str, float]:
        text = STRANDS.join(strands[i] for i in group)
        # ViennaRNA 2.7.2 never ends where quadruplexes are permitted to fewer than 10 bases, in
        # `mfe_dimer` of one such strand, too.
        long = sum(len(strands[i]) for i in group) >= _SHORTEST
        compound = RNA.fold_compound(text, permitting if long else model)
        if ligand is not None:
            compound.sc_add_hi_motif(*ligand[1:])
        structure, energy = with_modified(compound, text, modifications(model)).mfe()
        return str(structure), float(energy)

    return least_apart(strands, fold)


def quadruplex_missing(found: Quadruplex | None, requirements: Requirements) -> list[str]:
    """Name a quadruplex that is not permitted."""
    if found is None or requirements.quadruplex:
        return []
    span = f"{found.positions[0] + 1}-{found.positions[-1] + 1}"
    return [
        f"a G-quadruplex at {span}, with which the fold has {found.energy:.2f} kcal/mol, "
        "expected none"
    ]


class Mending:
    """Local search for a sequence without a quadruplex; its fold without one stays the same.

    Parameters
    ----------
    sites : list of Site
        Permitted bases of each position or pair.
    requirements : Requirements
        Further requests, which each change keeps.
    model : RNA.md
        ViennaRNA's model details.
    random : random.Random
        Consumed if there is something to mend.
    """

    def __init__(
        self, sites: Sequence[Site], requirements: Requirements, model: Any, random: Random
    ) -> None:
        self._at = {i: site for site in sites for i in (site.position, site.partner) if i >= 0}
        self._free = self._free_of(sorted(self._at))
        self._requirements = requirements
        self._model = model
        self._random = random

    def quadruplex(self, sequence: str) -> Quadruplex | None:
        """Return the quadruplex of a sequence, given without `&`."""
        return quadruplex_of(with_strands(sequence, self._requirements.nick), self._model)

    def _fold(self, sequence: str) -> tuple[str, float]:
        structure, energy = new_compound(sequence, self._model).mfe()
        return str(structure), float(energy)

    def run(self, sequence: str) -> Iterator[tuple[str, float]]:
        """Yield the best sequence so far, and its score, after each change.

        The score is 1 without a quadruplex. It ends there, where no base can be changed, or after
        `PATIENCE` changes elsewhere without a gain.
        """
        found = self.quadruplex(sequence)
        if found is None:
            yield sequence, 1.0
            return
        structure, energy = self._fold(sequence)
        best, now = sequence, found.energy - energy
        least, idle = now, 0
        while found is not None:
            yield best, 1.0 / (1.01 - least)
            if not self._free or idle == PATIENCE:
                return
            idle = 0 if self._free_of(found.positions) else idle + 1
            tried = self._changed(sequence, found.positions)
            if missing_of(tried, self._requirements):
                continue
            folded, energy = self._fold(tried)
            if folded != structure:
                continue
            there = self.quadruplex(tried)
            gain = 0.0 if there is None else there.energy - energy
            if there is None or gain > now - self._random.expovariate(1 / NOISE):
                sequence, found, now = tried, there, gain
            if there is not None and gain > least:
                best, least, idle = tried, gain, 0
        yield sequence, 1.0

    def _free_of(self, positions: Sequence[int]) -> list[int]:
        """Return the positions at which there is a choice."""
        return [i for i in positions if len(self._at[i].choices) > 1]

    def _changed(self, sequence: str, positions: Sequence[int]) -> str:
        """Return `sequence` with another choice at a position, mostly of its quadruplex."""
        free = self._free_of(positions)
        if not free or self._random.random() < ELSEWHERE:
            free = self._free
        site = self._at[self._random.choice(free)]
        ends = [site.position] if site.partner < 0 else [site.position, site.partner]
        now = "".join(sequence[i] for i in ends)
        letters = list(sequence)
        choice = self._random.choice([choice for choice in site.choices if choice != now])
        for i, letter in zip(ends, choice, strict=True):
            letters[i] = letter
        return "".join(letters)


def without_quadruplexes(
    improved: Iterator[tuple[str, float]], mending: Mending
) -> Iterator[tuple[str, float]]:
    """Yield the items of a search, with the last sequence without a quadruplex where one has some.

    The score of a sequence with a quadruplex is less than 1.
    """
    last, clear = "", True
    kept: tuple[str, float] | None = None
    for sequence, score in improved:
        if sequence != last:
            last, clear = sequence, mending.quadruplex(sequence) is None
        if clear:
            kept = sequence, score
        yield kept or (sequence, min(score, 0.99))
