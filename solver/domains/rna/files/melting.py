"""Melting of primers: nearest neighbours of DNA, unified parameters.

References
----------
.. [1] J. SantaLucia, A unified view of polymer, dumbbell, and oligonucleotide DNA nearest-neighbor
   thermodynamics, 1998: tables 1 and 2, equations 1 to 3, and the salt correction of entropies.
"""

from __future__ import annotations

import itertools
import math

#: Enthalpy in kcal/mol and entropy in cal/(mol K) of a step of one strand, 1 M NaCl.
_STEPS = {
    "AA": (-7.9, -22.2), "AT": (-7.2, -20.4), "TA": (-7.2, -21.3), "CA": (-8.5, -22.7),
    "GT": (-8.4, -22.4), "CT": (-7.8, -21.0), "GA": (-8.2, -22.2), "CG": (-10.6, -27.2),
    "GC": (-9.8, -24.4), "GG": (-8.0, -19.9),
}  # fmt: skip
#: The same of an end of a duplex, by its base.
_ENDS = {"G": (0.1, -2.8), "C": (0.1, -2.8), "A": (2.3, 4.1), "T": (2.3, 4.1)}
#: Entropy of a sequence that is its own complement.
_SYMMETRY = -1.4
_GAS, _ZERO = 1.987, 273.15
_SALT = 0.368
#: Concentrations in mol/l, those of a usual PCR: primer, and monovalent cations.
PRIMER, SODIUM = 50e-9, 0.05
_COMPLEMENT = str.maketrans("ACGT", "TGCA")


def complement(dna: str) -> str:
    """Reverse complement of DNA."""
    return dna.translate(_COMPLEMENT)[::-1]


def duplex(dna: str) -> tuple[float, float]:
    """Enthalpy, in kcal/mol, and entropy, in cal/(mol K), of DNA with its complement, 1 M NaCl."""
    terms = [_ENDS[dna[0]], _ENDS[dna[-1]]]
    for step in map("".join, itertools.pairwise(dna)):
        terms.append(_STEPS.get(step) or _STEPS[complement(step)])
    enthalpy, entropy = (sum(column) for column in zip(*terms, strict=True))
    return enthalpy, entropy + (_SYMMETRY if dna == complement(dna) else 0.0)


def melting_celsius(dna: str, primer: float = PRIMER, sodium: float = SODIUM) -> float:
    """Temperature, in degrees Celsius, at which half of a primer is in a duplex.

    Parameters
    ----------
    dna : str
        A, C, G, T, two or more.
    primer, sodium : float
        Concentrations in mol/l.
    """
    enthalpy, entropy = duplex(dna)
    entropy += _SALT * (len(dna) - 1) * math.log(sodium)
    share = primer if dna == complement(dna) else primer / 4
    return 1000 * enthalpy / (entropy + _GAS * math.log(share)) - _ZERO
