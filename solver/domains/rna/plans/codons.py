"""Genetic codes by their numbers at NCBI, and tables of the codons of a protein.

Source: NCBI, *The Genetic Codes*, https://www.ncbi.nlm.nih.gov/Taxonomy/Utils/wprintgc.cgi, by the
order of the bases U, C, A, G.
"""

from __future__ import annotations

import itertools

from solver.domains.rna.plans.table import Table
from solver.errors import FieldError, quoted

CODES = {
    1: "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
    2: "FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIMMTTTTNNKKSS**VVVVAAAADDEEGGGG",
    3: "FFLLSSSSYY**CCWWTTTTPPPPHHQQRRRRIIMMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
    4: "FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
    5: "FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIMMTTTTNNKKSSSSVVVVAAAADDEEGGGG",
    6: "FFLLSSSSYYQQCC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
    9: "FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIIMTTTTNNNKSSSSVVVVAAAADDEEGGGG",
    10: "FFLLSSSSYY**CCCWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
    11: "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
    12: "FFLLSSSSYY**CC*WLLLSPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
    13: "FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIMMTTTTNNKKSSGGVVVVAAAADDEEGGGG",
    14: "FFLLSSSSYYY*CCWWLLLLPPPPHHQQRRRRIIIMTTTTNNNKSSSSVVVVAAAADDEEGGGG",
    15: "FFLLSSSSYY*QCC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
    16: "FFLLSSSSYY*LCC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
    21: "FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIMMTTTTNNNKSSSSVVVVAAAADDEEGGGG",
    22: "FFLLSS*SYY*LCC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
    23: "FF*LSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
    24: "FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSSKVVVVAAAADDEEGGGG",
    25: "FFLLSSSSYY**CCGWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
    26: "FFLLSSSSYY**CC*WLLLAPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
    27: "FFLLSSSSYYQQCCWWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
    28: "FFLLSSSSYYQQCCWWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
    29: "FFLLSSSSYYYYCC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
    30: "FFLLSSSSYYEECC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
    31: "FFLLSSSSYYEECCWWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
    32: "FFLLSSSSYY*WCC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
    33: "FFLLSSSSYYY*CCWWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSSKVVVVAAAADDEEGGGG",
}
#: Codons that end a protein in codes in which they also stand for a residue.
ALSO_STOP = {27: ("UGA",), 28: ("UAA", "UAG", "UGA"), 31: ("UAA", "UAG")}
STOP = "*"
#: Ambiguous residues of IUPAC: any, Asn or Asp, Gln or Glu, Ile or Leu.
AMBIGUOUS = {"X": "ACDEFGHIKLMNPQRSTVWY", "B": "ND", "Z": "QE", "J": "IL"}
_CODONS = ["".join(bases) for bases in itertools.product("UCAG", repeat=3)]


def codons_of(residue: str, code: int) -> tuple[str, ...]:
    """Codons of a residue, or of a stop (`*`), in a genetic code; none of an unknown residue."""
    residues = AMBIGUOUS.get(residue, residue)
    found = [codon for codon, of in zip(_CODONS, CODES[code], strict=True) if of in residues]
    if residue == STOP:
        found += ALSO_STOP.get(code, ())
    return tuple(found)


def check_code(code: int) -> None:
    """Raise `FieldError` if NCBI has no genetic code of that number."""
    if code not in CODES:
        raise FieldError(
            "genetic_code", f"is {code}, expected one of: {', '.join(map(str, CODES))}"
        )


def protein_tables(protein: str, start: int, code: int) -> list[Table]:
    """Return a table for each codon of `protein`, whose first base is at `start`, from 0.

    Raises
    ------
    FieldError
        If a letter is no residue.
    """
    tables = []
    for number, residue in enumerate(protein.upper()):
        codons = codons_of(residue, code)
        if not codons:
            raise FieldError(
                "protein",
                f"has {quoted(protein[number])} at residue {number + 1}, expected letters of "
                "amino acids, and * for a stop",
            )
        first = start + 3 * number
        what = f"residue {number + 1}, {residue}"
        tables.append(Table(what, (first, first + 1, first + 2), codons))
    return tables
