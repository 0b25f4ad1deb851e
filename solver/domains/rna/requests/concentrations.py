"""Equilibrium of two strands at a concentration, from their ensembles by ViennaRNA.

The process that refolds designs imports this: nothing of the search, no compiled code.
"""

from __future__ import annotations

import math
from typing import Any

from solver.domains.rna.energies.modified import has_ensemble, new_compound, turns
from solver.domains.rna.text import STRANDS

#: mol/L, in umol/L.
MICRO = 1e6
#: Logarithm of a constant above which strands are bound, and squares would be infinite.
MOST_LOG = 300.0
#: Halvings of the interval in which a concentration lies.
_HALVINGS = 200


def bound_share(text: str, model: Any, concentration: float) -> float | None:
    """Share of two strands that are bound to each other, 0 ... 1; None where no ensemble is known.

    Dimers of either strand with itself compete; of two strands that are the same they are all
    there is. Both strands have the same concentration.

    Parameters
    ----------
    text : str
        Bases, with `&` between the strands.
    model : RNA.md
        ViennaRNA's model details.
    concentration : float
        Of each strand, in umol/L.
    """
    if not has_ensemble(model):
        return None
    one, other = text.split(STRANDS)
    total, kt = concentration / MICRO, 0.0
    bound: dict[str, tuple[float, float, float]] = {}
    for pair in (text, f"{one}{STRANDS}{one}", f"{other}{STRANDS}{other}"):
        compound = new_compound(pair, model)
        compound.exp_params_rescale(float(compound.mfe_dimer()[1]))
        _, first, second, dimer, _ = compound.pf_dimer()
        kt = compound.exp_params.kT / 1000
        # ViennaRNA divides by all turns, of which equal strands have two alike.
        strands = pair.split(STRANDS)
        alike = turns("".join(strands)) / (2 if strands[0] == strands[1] else 1)
        bound[pair] = first, second, dimer - kt * math.log(alike)
    constants = [math.exp(min((a + b - ab) / kt, MOST_LOG)) for a, b, ab in bound.values()]
    if one == other:
        return 1.0 - _free(constants[0], 1.0, 2 * total) / (2 * total)
    return dimer_concentration(constants, total) / total


def dimer_concentration(constants: list[float], total: float) -> float:
    """Concentration of the dimer of two strands, mol/L, by the law of mass action.

    Parameters
    ----------
    constants : list of float
        Association constants, L/mol, of both strands, of two of the first, of two of the second.
    total : float
        Concentration of each strand, free and bound, mol/L.
    """
    both, first, second = constants
    least, most = -1e3, math.log(total)
    for _ in range(_HALVINGS):
        middle = (least + most) / 2
        of_second = math.exp(middle)
        of_first = _free(first, 1.0 + both * of_second, total)
        if of_second * (1.0 + both * of_first) + 2 * second * of_second**2 > total:
            most = middle
        else:
            least = middle
    return both * of_first * of_second


def _free(constant: float, share: float, total: float) -> float:
    """Positive root x of share * x + 2 * constant * x ** 2 = total, without cancellation."""
    return 2 * total / (share + math.sqrt(share * share + 8 * constant * total))
