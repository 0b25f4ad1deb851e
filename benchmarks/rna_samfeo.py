"""SAMFEO's loop [1]_, written anew over ViennaRNA's Python API, as a peer of `rna_published`.

A frontier of ten designs; each step draws one of them, the better ones more often, draws a position
by its defect, changes the pair or base there, both bases of a mismatch at the end of a loop
together, and keeps the result among the ten if it is better than the worst. It begins with strong
pairs and A elsewhere. It is not its authors' program.

References
----------
.. [1] T. Zhou et al., RNA design via structure-aware multifrontier ensemble optimization, 2023.
"""

from __future__ import annotations

import math
import time
from random import Random
from typing import NamedTuple

import numpy as np
import RNA

from solver.domains.rna.text import PAIRS, pair_partners

FRONTIER = 10
#: Mismatches beside a pair that lower its energy, and others.
MISMATCHES = ("GA", "AG", "GG", "UU", "AA", "CA", "AC", "UC")


class Design(NamedTuple):
    """A design and what it is worth."""

    worth: float
    """Probability, or the defect with its sign changed."""
    sequence: str
    defects: tuple[float, ...]
    """Probability that each position is not as in the target."""


def evaluated(sequence: str, structure: str, partner: list[int], by_defect: bool) -> Design:
    """Evaluate a sequence by ViennaRNA."""
    compound = RNA.fold_compound(sequence)
    compound.exp_params_rescale(compound.eval_structure(structure))
    compound.pf()
    upper = np.array(compound.bpp())[1:, 1:]
    shares, ends = upper + upper.T, np.array(partner)
    right = np.where(ends >= 0, shares[np.arange(len(ends)), ends], 1.0 - shares.sum(0))
    defects = tuple((1.0 - right).tolist())
    worth = -float(np.mean(defects)) if by_defect else float(compound.pr_structure(structure))
    return Design(worth, sequence, defects)


def begun(partner: list[int], random: Random) -> str:
    """Return a first sequence: strong pairs, A elsewhere."""
    letters = ["A"] * len(partner)
    for i, j in enumerate(partner):
        if j > i:
            letters[i], letters[j] = random.choice((("G", "C"), ("C", "G")))
    return "".join(letters)


def changed(sequence: str, partner: list[int], position: int, random: Random) -> str:
    """Return a sequence with the pair, mismatch or base at a position changed."""
    letters, n, other = list(sequence), len(sequence), partner[position]
    if other >= 0:
        now = letters[position] + letters[other]
        letters[position], letters[other] = list(random.choice([p for p in PAIRS if p != now]))
        return "".join(letters)
    for beside in (position - 1, position + 1):  # an end of a loop: both bases of the mismatch
        if 0 <= beside < n and partner[beside] >= 0:
            across = partner[beside] + (beside - position)
            if 0 <= across < n and partner[across] < 0 and across != position:
                now = letters[position] + letters[across]
                choice = random.choice([one for one in MISMATCHES if one != now])
                letters[position], letters[across] = list(choice)
                return "".join(letters)
    letters[position] = random.choice([base for base in "ACGU" if base != letters[position]])
    return "".join(letters)


def samfeo(structure: str, objective: str, seconds: float, seed: int) -> str:
    """Return the best design after so many seconds of processor time."""
    begin, random = time.process_time(), Random(seed)
    partner, by_defect = pair_partners(structure, "target"), objective == "defect"
    frontier = [evaluated(begun(partner, random), structure, partner, by_defect)]
    known = {frontier[0].sequence}
    while time.process_time() - begin < seconds:
        best = frontier[0].worth
        scale = 0.01 if by_defect else max(best, 1e-300)
        odds = [math.exp(max((one.worth - best) / scale, -50.0)) for one in frontier]
        (source,) = random.choices(frontier, odds)
        weights = [share + 1e-3 for share in source.defects]
        (position,) = random.choices(range(len(structure)), weights)
        tried = changed(source.sequence, partner, position, random)
        if tried in known:
            continue
        known.add(tried)
        frontier.append(evaluated(tried, structure, partner, by_defect))
        frontier.sort(reverse=True)
        del frontier[FRONTIER:]
    return frontier[0].sequence
