"""Energies of loops, read from ViennaRNA's parameter structure at load time.

No energy is written down here: an engine's tables are those that ViennaRNA folds with, so that
both fold alike. Nothing promises that its structure stays as it is; `load_fold_parameters`
therefore compares energies of structures with every kind of loop, and returns None where they
differ.
"""

from __future__ import annotations

import ctypes
import itertools
import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import called
from solver.domains.rna.engines import use_engine
from solver.domains.rna.fold.sizes import MAX_LOOP, STRETCH
from solver.domains.rna.fold.vectors import Int32s, part

#: More than every energy, little enough to add a few times.
INFINITE = 10_000_000
#: Fewest unpaired bases of a hairpin.
MIN_HAIRPIN = 3
#: Longest sequence that can be folded.
MAX_BASES = 4096

N_TYPES, N_CODES = 7, 5
#: Type of a pair, by ViennaRNA's numbers; 0 is no pair. Codes of bases: A 1, C 2, G 3, U 4,
#: and 0 where there is none, beyond the ends.
PAIR_TYPES = {"CG": 1, "GC": 2, "GU": 3, "UG": 4, "AU": 5, "UA": 6}
CODES = {"A": 1, "C": 2, "G": 3, "U": 4}

_INT = ctypes.c_int
_PAIRS, _BASES = 8, 5


class _ViennaParameters(ctypes.Structure):
    """The first part of `vrna_param_t`, as in ViennaRNA 2.7 (params/basic.h)."""

    _fields_ = (
        ("id", _INT),
        ("stack", _INT * _PAIRS**2),
        ("hairpin", _INT * 31),
        ("bulge", _INT * (MAX_LOOP + 1)),
        ("internal_loop", _INT * (MAX_LOOP + 1)),
        ("mismatch_exterior", _INT * (_PAIRS * _BASES**2)),
        ("mismatch_interior", _INT * (_PAIRS * _BASES**2)),
        ("mismatch_1n", _INT * (_PAIRS * _BASES**2)),
        ("mismatch_23", _INT * (_PAIRS * _BASES**2)),
        ("mismatch_hairpin", _INT * (_PAIRS * _BASES**2)),
        ("mismatch_multi", _INT * (_PAIRS * _BASES**2)),
        ("dangle5", _INT * (_PAIRS * _BASES)),
        ("dangle3", _INT * (_PAIRS * _BASES)),
        ("int11", _INT * (_PAIRS**2 * _BASES**2)),
        ("int21", _INT * (_PAIRS**2 * _BASES**3)),
        ("int22", _INT * (_PAIRS**2 * _BASES**4)),
        ("ninio", _INT * 5),
        ("lxc", ctypes.c_double),
        ("multi_base", _INT),
        ("multi_intern", _INT * _PAIRS),
        ("multi_closing", _INT),
        ("terminal_au", _INT),
        ("duplex_init", _INT),
        ("tetraloop_energies", _INT * 200),
        ("tetraloops", ctypes.c_char * 1401),
        ("triloop_energies", _INT * 40),
        ("triloops", ctypes.c_char * 241),
        ("hexaloop_energies", _INT * 40),
        ("hexaloops", ctypes.c_char * 1801),
    )


class FoldParameters(NamedTuple):
    """Energies of loops in 1/100 kcal/mol, int32, all of one dimension.

    Tables by the type of a pair and two bases beside it have a place for every code of a base:
    (type * 5 + one) * 5 + other. Those of small interior loops, inside of which there is always
    a base, count bases from 0 (A) to 3 (U).
    """

    code: Int32s
    """int32[256]: of each letter, 0 of those that are no base."""
    pair_type: Int32s
    """int32[25]: type of a pair by the codes of its bases, 5' * 5 + 3'."""
    terminal: Int32s
    """int32[7]: penalty of a helix that ends with a pair of each type."""
    hairpin: Int32s
    """int32[MAX_BASES]: by the number of unpaired bases."""
    hairpin_mismatch: Int32s
    """int32[7 * 25]: by the bases behind the first base of the pair and before the second."""
    special: Int32s
    """int32[128]: hairpins of energies of their own, by `special_number`, ascending; 0 for none."""
    special_energy: Int32s
    """int32[128]."""
    stack: Int32s
    """int32[7 * 7]: by the types of the outer pair and of the inner, both seen from the loop."""
    bulge: Int32s
    """int32[32]: by size, of 2 and more; others are infinite."""
    interior: Int32s
    """int32[32]: by size, of 6 and more; others are infinite."""
    one_by_n: Int32s
    """int32[32]: one base on one side, by those on the other, 3 and more; others are infinite."""
    unequal: Int32s
    """int32[32]: how much a difference between the sides costs."""
    unequal_edge: Int32s
    """int32[32]: the same by size, where one side has two bases."""
    interior_mismatch: Int32s
    """int32[7 * 25]: as `hairpin_mismatch`."""
    one_by_n_mismatch: Int32s
    """int32[7 * 25]."""
    two_three_mismatch: Int32s
    """int32[7 * 25]."""
    int11: Int32s
    """int32[7 * 7 * 16]: by both types and both bases."""
    int21: Int32s
    """int32[7 * 7 * 64]: the type seen from the single base first."""
    int22: Int32s
    """int32[7 * 7 * 256]."""
    exterior: Int32s
    """int32[7 * 25]: a helix outside of all pairs, by the bases that dangle on it (0: none)."""
    multi: Int32s
    """int32[7 * 25]: the same, in a loop of several helices."""
    scalars: Int32s
    """int32[6]: by the numbers below."""


#: Room for hairpins with energies of their own; what is not needed has number 0.
_SPECIALS = 128

#: Scalars of parameters.
DANGLES, MULTI_CLOSING, MULTI_BASE, BULGE_OF_ONE, TWO_THREE, LEAST_EXTERIOR = range(6)


#: Length of each table, in the order of the fields of `FoldParameters`.
_LENGTHS = (
    *(256, 25, N_TYPES, MAX_BASES, 7 * 25, _SPECIALS, _SPECIALS, 7 * 7),
    *(STRETCH,) * 5,
    *(7 * 25,) * 3,
    *(7 * 7 * 16, 7 * 7 * 64, 7 * 7 * 256, 7 * 25, 7 * 25, 6),
)
_BEGINS = (0, *itertools.accumulate(_LENGTHS))


def packed(parameters: FoldParameters) -> Int32s:
    """All tables one behind the other, for `parameters_of`."""
    return np.concatenate(parameters)


@called
def parameters_of(energies: Int32s) -> FoldParameters:
    """Return the tables in `energies`, as `packed` has left them."""
    return FoldParameters(
        code=part(energies, _BEGINS[0], _LENGTHS[0]),
        pair_type=part(energies, _BEGINS[1], _LENGTHS[1]),
        terminal=part(energies, _BEGINS[2], _LENGTHS[2]),
        hairpin=part(energies, _BEGINS[3], _LENGTHS[3]),
        hairpin_mismatch=part(energies, _BEGINS[4], _LENGTHS[4]),
        special=part(energies, _BEGINS[5], _LENGTHS[5]),
        special_energy=part(energies, _BEGINS[6], _LENGTHS[6]),
        stack=part(energies, _BEGINS[7], _LENGTHS[7]),
        bulge=part(energies, _BEGINS[8], _LENGTHS[8]),
        interior=part(energies, _BEGINS[9], _LENGTHS[9]),
        one_by_n=part(energies, _BEGINS[10], _LENGTHS[10]),
        unequal=part(energies, _BEGINS[11], _LENGTHS[11]),
        unequal_edge=part(energies, _BEGINS[12], _LENGTHS[12]),
        interior_mismatch=part(energies, _BEGINS[13], _LENGTHS[13]),
        one_by_n_mismatch=part(energies, _BEGINS[14], _LENGTHS[14]),
        two_three_mismatch=part(energies, _BEGINS[15], _LENGTHS[15]),
        int11=part(energies, _BEGINS[16], _LENGTHS[16]),
        int21=part(energies, _BEGINS[17], _LENGTHS[17]),
        int22=part(energies, _BEGINS[18], _LENGTHS[18]),
        exterior=part(energies, _BEGINS[19], _LENGTHS[19]),
        multi=part(energies, _BEGINS[20], _LENGTHS[20]),
        scalars=part(energies, _BEGINS[21], _LENGTHS[21]),
    )


def special_number(loop: str) -> int:
    """Number of a hairpin with its pair, different for each sequence and each length."""
    number = 1
    for base in loop:
        number = number * 4 + CODES[base] - 1
    return number


def _specials(vienna: _ViennaParameters) -> dict[int, int]:
    """Energies of hairpins that are listed by sequence; the first of a sequence counts."""
    found: dict[int, int] = {}
    for text, energies in (
        (vienna.triloops, vienna.triloop_energies),
        (vienna.tetraloops, vienna.tetraloop_energies),
        (vienna.hexaloops, vienna.hexaloop_energies),
    ):
        for place, loop in enumerate(text.decode().split()):
            found.setdefault(special_number(loop), energies[place])
    return dict(sorted(found.items()))


def _int32s(values: Any) -> Int32s:
    return np.ascontiguousarray(np.ravel(values), np.int32)


def _padded(values: list[int]) -> Int32s:
    return _int32s(values + [0] * (_SPECIALS - len(values)))


def _by_size(costs: Any, first: int, last: int = MAX_LOOP) -> Int32s:
    """A row of `STRETCH` numbers, infinite outside of first ... last."""
    row = np.full(STRETCH, INFINITE, np.int32)
    row[first : last + 1] = costs[first : last + 1]
    return row


def _small(table: Any, n_bases: int) -> Int32s:
    """Loops of a few bases, by types 0 ... 6 and bases 0 ... 3; infinite if one is no pair."""
    shaped = np.array(table, np.int32).reshape((_PAIRS,) * 2 + (_BASES,) * n_bases)
    kept = shaped[(slice(0, N_TYPES),) * 2 + (slice(1, 5),) * n_bases].copy()
    kept[0] = kept[:, 0] = INFINITE
    return _int32s(kept)


def _mismatch(table: Any) -> npt.NDArray[np.int32]:
    """Mismatches of pairs, int32[7, 5, 5]; infinite for no pair."""
    kept = np.array(table, np.int32).reshape(_PAIRS, _BASES, _BASES)[:N_TYPES].copy()
    kept[0] = INFINITE
    return kept


def _stem(vienna: _ViennaParameters, mismatch: Any, terminal: Any, intern: Any) -> Int32s:
    """A helix in a loop by what dangles: both bases, one, or none."""
    both = _mismatch(mismatch)
    both[:, 1:, 0] = np.array(vienna.dangle5).reshape(_PAIRS, _BASES)[:N_TYPES, 1:]
    both[:, 0, 1:] = np.array(vienna.dangle3).reshape(_PAIRS, _BASES)[:N_TYPES, 1:]
    both[:, 0, 0] = 0
    both += (np.asarray(terminal) + np.asarray(intern))[:, None, None].astype(np.int32)
    both[0] = INFINITE
    return _int32s(both)


def _converted(vienna: _ViennaParameters, max_ninio: int, dangles: int) -> FoldParameters:
    pair_type = np.zeros((N_CODES, N_CODES), np.int32)
    for pair, number in PAIR_TYPES.items():
        pair_type[CODES[pair[0]], CODES[pair[1]]] = number
    terminal = np.where(np.arange(N_TYPES) > 2, vienna.terminal_au, 0)
    sizes = np.arange(STRETCH)
    unequal = np.minimum(max_ninio, sizes * vienna.ninio[2])
    longer = [
        vienna.hairpin[30] + int(vienna.lxc * math.log(size / 30.0))
        for size in range(31, MAX_BASES)
    ]
    specials = _specials(vienna)
    # one base on one side and n on the other are a loop of n + 1
    one_by_n = np.array([*vienna.internal_loop[1:], INFINITE]) + unequal[np.abs(sizes[:31] - 1)]
    exterior = _stem(vienna, vienna.mismatch_exterior, terminal, np.zeros(N_TYPES))
    code = np.zeros(256, np.int32)
    for base, number in CODES.items():
        code[ord(base)] = number
    return FoldParameters(
        code=code,
        pair_type=_int32s(pair_type),
        terminal=_int32s([INFINITE, *terminal[1:]]),
        hairpin=_int32s([*vienna.hairpin, *longer]),
        hairpin_mismatch=_int32s(_mismatch(vienna.mismatch_hairpin)),
        special=_padded(list(specials)),
        special_energy=_padded(list(specials.values())),
        stack=_small(vienna.stack, 0),
        bulge=_by_size(vienna.bulge, 2),
        interior=_by_size(vienna.internal_loop, 6),
        one_by_n=_by_size(one_by_n, 3, MAX_LOOP - 1),
        unequal=_int32s(unequal),
        unequal_edge=_int32s(unequal[np.abs(sizes - 4)]),
        interior_mismatch=_int32s(_mismatch(vienna.mismatch_interior)),
        one_by_n_mismatch=_int32s(_mismatch(vienna.mismatch_1n)),
        two_three_mismatch=_int32s(_mismatch(vienna.mismatch_23)),
        int11=_small(vienna.int11, 2),
        int21=_small(vienna.int21, 3),
        int22=_small(vienna.int22, 4),
        exterior=exterior,
        multi=_stem(vienna, vienna.mismatch_multi, terminal, vienna.multi_intern[:N_TYPES]),
        scalars=_int32s(
            [
                dangles,
                vienna.multi_closing,
                vienna.multi_base,
                vienna.bulge[1],
                vienna.internal_loop[5] + vienna.ninio[2],
                exterior.min(),
            ]
        ),
    )


def read_fold_parameters(engine: str) -> FoldParameters | None:
    """Read the energies of `engine`, unchecked; None if ViennaRNA does not export them."""
    import RNA

    model = use_engine(engine)
    library = ctypes.CDLL(RNA._RNA.__file__)
    try:
        read = library.vrna_params
        max_ninio = ctypes.c_int.in_dll(library, "MAX_NINIO").value
    except (AttributeError, ValueError):
        return None
    read.argtypes, read.restype = [ctypes.c_void_p], ctypes.POINTER(_ViennaParameters)
    vienna = read(int(model.this)).contents
    if model.dangles:
        return _converted(vienna, max_ninio, model.dangles)
    return without_dangles(_converted(vienna, max_ninio, 2))


def without_dangles(parameters: FoldParameters) -> FoldParameters:
    """Energies of helices whatever is beside them (dangles 0), folded as those of dangles 2."""
    tables = {
        name: np.repeat(getattr(parameters, name)[:: N_CODES**2], N_CODES**2)
        for name in ("exterior", "multi")
    }
    scalars = parameters.scalars.copy()
    scalars[LEAST_EXTERIOR] = tables["exterior"].min()
    return parameters._replace(scalars=scalars, **tables)
