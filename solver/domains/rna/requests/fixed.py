"""Fixed bases that pair with each other otherwise than in the target, by ViennaRNA.

The process that refolds designs imports this: nothing of the search, no compiled code.
"""

from __future__ import annotations

from typing import Any

from solver.domains.rna.energies.modified import least_fold, new_compound
from solver.domains.rna.requests.check import Requirements
from solver.domains.rna.requests.ensemble import Ensemble
from solver.domains.rna.text import IUPAC, pair_partners, with_strands


def misfold_missing(ensemble: Ensemble, requirements: Requirements, model: Any) -> list[str]:
    """Name the distance of a design that folds otherwise, and helices of its fixed bases.

    The fixed bases are folded alone, all others being N, which never pair: what they form so they
    form by themselves, whatever else the design is.

    Parameters
    ----------
    ensemble : Ensemble
        Of the design, with its target.
    requirements : Requirements
        With the IUPAC letters of the target, if any is fixed.
    model : RNA.md
        ViennaRNA's model details.
    """
    structure, fold = ensemble.structure, ensemble.fold
    bases, nick = requirements.bases, requirements.nick
    above = f"{ensemble.energy - ensemble.lowest:.2f}"
    missing = [f"the fold is another one, {above} kcal/mol below the target"]
    if float(above) == 0.0:
        missing = ["the fold is another one of the same energy"]
    if not bases:
        return missing
    letters = "".join(letter if len(IUPAC[letter]) == 1 else "N" for letter in bases)
    compound = new_compound(with_strands(letters, nick), model)
    alone = least_fold(compound, dimer=nick > 0)[0]
    expected, found = pair_partners(structure, "", nick), pair_partners(fold, "", nick)
    foreign = [
        (i, j)
        for i, j in enumerate(pair_partners(alone, "", nick))
        if i < j and expected[i] != j and found[i] == j
    ]
    marks = ["."] * len(structure)
    for i, j in foreign:
        marks[i], marks[j] = "()"
    if not foreign:
        return missing
    energy = compound.eval_structure("".join(marks))
    helices = ", ".join(
        f"{_span(first[0], last[0])} with {_span(last[1], first[1])}"
        for first, last in _helices(foreign)
    )
    return [
        *missing,
        f"fixed bases pair, {helices}: {energy:.2f} kcal/mol by themselves, not in the target",
    ]


def _helices(pairs: list[tuple[int, int]]) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Outermost and innermost pairs of the helices of `pairs`, which are in order."""
    found: list[tuple[tuple[int, int], tuple[int, int]]] = []
    for i, j in pairs:
        if found and found[-1][1] == (i - 1, j + 1):
            found[-1] = found[-1][0], (i, j)
        else:
            found.append(((i, j), (i, j)))
    return found


def _span(first: int, last: int) -> str:
    """Positions, from 1, of a stretch."""
    return f"{first + 1}-{last + 1}" if first < last else str(first + 1)
