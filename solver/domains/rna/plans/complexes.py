"""Complexes: strands that meet in a state, with the structures that they shall have, by ViennaRNA.

The process that refolds designs imports this, too: nothing of the search, no compiled code.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from solver.domains.rna.energies.modified import (
    UNPAIRED,
    constrained_energy,
    energy_in_ensemble,
    enforce,
    free_energy,
    has_ensemble,
    has_exact_energies,
    least_fold,
    new_compound,
)
from solver.domains.rna.plans.groups import Group, least_apart
from solver.domains.rna.plans.overlaps import inclusion_exclusion
from solver.domains.rna.text import OPEN, PAIRS, STRANDS, pair_partners


class Ligand(NamedTuple):
    """A ligand that binds where a motif is formed."""

    name: str
    sequence: str
    """Bases, with `&` between the two sides of an interior loop."""
    structure: str
    """Dot-bracket, likewise."""
    energy: float
    """Energy of binding, kcal/mol."""


#: Known aptamers. Theophylline at 37 degrees and 1 mM or more, as ViennaRNA's manual has it: -9.22
#: kcal/mol from a dissociation constant of 0.32 uM (Jenison et al. 1994).
LIGANDS = {
    "theophylline": Ligand("theophylline", "GAUACCAG&CCCUUGGCAGC", "(...((((&)...)))...)", -9.22)
}


class Complex(NamedTuple):
    """Strands together, and the structures that they shall have: more than one of a switch."""

    name: str
    spans: Sequence[tuple[int, int]]
    """First position of each strand in the sequence of all, and the first behind it."""
    structures: Sequence[str]
    """Dot-bracket of all strands, one behind the other; N where nothing is asked."""
    within: float = 0.0
    """Energy that each structure may have above the fold, in kcal/mol."""
    ligand: Ligand | None = None

    @property
    def positions(self) -> list[int]:
        """Position in the sequence of all strands of each position of a structure."""
        return [position for first, end in self.spans for position in range(first, end)]

    @property
    def cuts(self) -> list[int]:
        """Positions of a structure at which a strand begins, the first one left out."""
        ends, total = [], 0
        for first, end in self.spans:
            total += end - first
            ends.append(total)
        return ends[:-1]

    def partners(self, structure: str) -> list[int]:
        """Partners of the positions of a structure."""
        return pair_partners(structure, "structure", *self.cuts)

    def shown(self, structure: str) -> str:
        """Structure with `&` between the strands."""
        for cut in reversed(self.cuts):
            structure = f"{structure[:cut]}{STRANDS}{structure[cut:]}"
        return structure

    def text(self, sequence: str) -> str:
        """Bases of the strands, with `&` between them, of the sequence of all."""
        return STRANDS.join(sequence[first:end] for first, end in self.spans)


def of_json(fields: Sequence[Any]) -> Complex:
    """Return the complex whose fields JSON has made lists of."""
    found = Complex(*fields)
    return found._replace(ligand=None if found.ligand is None else Ligand(*found.ligand))


def agrees(structure: str, fold: str) -> bool:
    """Return whether a fold has the pairs and unpaired positions of a structure."""
    if structure == fold:
        return True
    if OPEN not in structure:
        return False
    asked, found = (
        pair_partners(structure, "", *range(len(fold))),
        pair_partners(fold, "", *range(len(fold))),
    )
    return all(
        mark == OPEN or one == other
        for mark, one, other in zip(structure, asked, found, strict=True)
    )


class Molecules:
    """The strands of a complex, folded by ViennaRNA.

    Parameters
    ----------
    complex_ : Complex
        Strands.
    sequence : str
        Bases of all strands, of others too, one behind the other.
    model : RNA.md
        ViennaRNA's model details.
    options : int
        Of `RNA.fold_compound`.
    """

    def __init__(self, complex_: Complex, sequence: str, model: Any, options: int = 0) -> None:
        self._complex = complex_
        self._model = model
        self._text = complex_.text(sequence)
        self._letters = self._text.replace(STRANDS, "")
        self._compound = new_compound(self._text, model, options)

    def _with_ligand(self, compound: Any) -> Any:
        ligand = self._complex.ligand
        if ligand is not None:
            compound.sc_add_hi_motif(ligand.sequence, ligand.structure, ligand.energy)
        return compound

    def fold(self) -> tuple[str, float]:
        """Structure of least energy of the strands, together or apart, and its energy."""
        n_strands = len(self._complex.spans)
        bound = self._complex.ligand is not None
        if n_strands > 2:
            best = self._apart(None, bound)
        else:
            compound = self._with_ligand(self._compound)
            best = least_fold(compound, dimer=n_strands == 2)
        # ViennaRNA never binds a ligand whose motif ends where a strand does.
        asked = self._complex.structures if bound else ()
        return min([best, *map(self.completed, asked)], key=lambda found: round(found[1], 2))

    def _apart(self, asked: str | None, bound: bool) -> tuple[str, float]:
        """Fold the strands in groups that do not cross, in the order written.

        Parameters
        ----------
        asked : str, optional
            Structure with open positions, which the fold is to agree with.
        bound : bool
            True if the ligand may bind.
        """
        strands = self._text.split(STRANDS)
        ends = [*self._complex.cuts, len(self._letters)]
        starts = [0, *ends[:-1]]

        def fold(group: Group) -> tuple[str, float]:
            marks = asked and "".join(asked[starts[i] : ends[i]] for i in group)
            return self._connected(STRANDS.join(strands[i] for i in group), marks, bound)

        return least_apart(
            strands, fold, lambda groups: asked is None or self._keeps_pairs(groups, asked)
        )

    def _keeps_pairs(self, groups: Sequence[Group], asked: str) -> bool:
        """Return whether each pair of a structure lies within a group of strands."""
        cuts = self._complex.cuts
        group_of = {strand: group for group in groups for strand in group}

        def strand(position: int) -> int:
            return sum(cut <= position for cut in cuts)

        return all(
            group_of[strand(i)] == group_of[strand(j)]
            for i, j in enumerate(self._complex.partners(asked))
            if i < j
        )

    def _connected(self, text: str, marks: str | None, bound: bool) -> tuple[str, float]:
        """Fold strands that hold together, those of `text`; with `marks` as they ask."""
        compound = new_compound(text, self._model)
        if bound:
            self._with_ligand(compound)
        if marks is not None:
            enforce(compound, marks.replace(".", UNPAIRED).replace(OPEN, "."))
        # `mfe_dimer` would crash with such constraints (ViennaRNA 2.7.2).
        return least_fold(compound)

    def energy_of(self, structure: str) -> float:
        """Energy of a structure without open positions, in kcal/mol, ligand included."""
        energy = float(self._compound.eval_structure(structure))
        ligand = self._complex.ligand
        if ligand is not None:
            energy += ligand.energy * _binds(ligand, self._letters, structure)
        return energy

    def completed(self, structure: str) -> tuple[str, float]:
        """Best structure that agrees with one that has open positions, and its energy."""
        if OPEN not in structure and has_exact_energies(self._model):
            return structure, self.energy_of(structure)
        ligand = self._complex.ligand is not None
        best = structure.replace(OPEN, "."), float("inf")
        # ViennaRNA takes what is within a motif for a loop, in which no pair can be enforced: so
        # where the structure has the motif, its energy is added.
        for bound in (True, False) if ligand else (False,):
            found, energy = self._apart(structure, bound)
            if found and agrees(structure, found):
                if not bound:
                    energy = self.energy_of(found) if ligand else energy
                if energy < best[1]:
                    best = found, energy
        if best[1] == float("inf"):  # a loop that no engine forms
            return best[0], self.energy_of(best[0])
        return best

    def formable(self, structure: str, asked: str) -> str:
        """`structure` without those pairs of open positions that the bases cannot form."""
        if OPEN not in asked:
            return structure
        marks = list(structure)
        for i, j in enumerate(self._complex.partners(structure)):
            if i < j and asked[i] == OPEN and self._letters[i] + self._letters[j] not in PAIRS:
                marks[i] = marks[j] = "."
        return "".join(marks)

    def ensemble_energy(self) -> float | None:
        """Free energy of the ensemble, kcal/mol; None of three strands or more, or a ligand."""
        if len(self._complex.spans) > 2 or not has_ensemble(self._model) or self._complex.ligand:
            return None
        _, lowest = self.fold()
        self._compound.exp_params_rescale(lowest)
        return free_energy(self._compound, self._text.split(STRANDS))

    def log_probability(self) -> float | None:
        """Natural logarithm of the share of the structures in the ensemble; None as there.

        Of two strands, without open positions, or of one.
        """
        ensemble = self.ensemble_energy()
        open_ = any(OPEN in structure for structure in self._complex.structures)
        if ensemble is None or (open_ and len(self._complex.spans) > 1):
            return None
        kt = self._compound.exp_params.kT / 1000
        counts = inclusion_exclusion(tuple(self._complex.structures))
        if counts is None:
            return None
        above = [(n, ensemble - self._part_energy(known)) for known, n in counts.items()]
        most = max(each for _, each in above)
        if most == -math.inf:
            return most
        share = sum(n * math.exp((each - most) / kt) for n, each in above)
        return min(0.0, most / kt + math.log(max(share, 1.0)))

    def _part_energy(self, structure: str) -> float:
        """Free energy of the ensemble of what agrees with a structure; open ones of one strand."""
        ends = enumerate(self._complex.partners(structure))
        if not all(self._letters[i] + self._letters[j] in PAIRS for i, j in ends if i < j):
            return float("inf")
        if OPEN not in structure:
            energy = self.energy_of(structure)
            return energy_in_ensemble(self._text, structure, self._model, energy)
        best, lowest = self.completed(structure)
        if not agrees(structure, best):
            return float("inf")
        marks = structure.replace(".", UNPAIRED).replace(OPEN, ".")
        return constrained_energy(self._text, marks, self._model, lowest)

    @property
    def has_defect(self) -> bool:
        """True of one strand with one structure, no position of which is open, and no ligand."""
        complex_ = self._complex
        alone = len(complex_.spans) == len(complex_.structures) == 1 and complex_.ligand is None
        return alone and OPEN not in complex_.structures[0]

    def defect(self) -> float:
        """Normalised ensemble defect of the one structure of one strand."""
        self.ensemble_energy()
        return float(self._compound.ensemble_defect(self._complex.structures[0]))


def _binds(ligand: Ligand, letters: str, structure: str) -> int:
    """Number of places at which a structure has the motif of a ligand."""
    sides = ligand.sequence.split(STRANDS)
    motif = ligand.structure.replace(STRANDS, "")
    pairs = pair_partners(motif, "", *range(len(motif)))
    found = pair_partners(structure, "", *range(len(structure)))
    starts: list[list[int]] = [
        [i for i in range(len(letters) - len(side) + 1) if letters.startswith(side, i)]
        for side in sides
    ]
    if len(sides) == 1:
        places = [list(range(i, i + len(sides[0]))) for i in starts[0]]
    else:
        places = [
            [*range(i, i + len(sides[0])), *range(j, j + len(sides[1]))]
            for i in starts[0]
            for j in starts[1]
            if j >= i + len(sides[0])
        ]
    return sum(
        all(
            found[place[k]] == (place[partner] if partner >= 0 else -1)
            for k, partner in enumerate(pairs)
        )
        for place in places
    )
