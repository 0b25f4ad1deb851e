"""Boltzmann factors of loops, read from ViennaRNA's parameter structure at load time.

ViennaRNA's partition function has energies of its own: at other temperatures than 37 degrees they
are not rounded, and dangles near 0 are smoothed. If its structure is unknown here, factors
are those of the energies that sequences are folded with, which differ by up to 0.02 kcal/mol a
loop.
"""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.domains.rna.energies.modified import CELSIUS
from solver.domains.rna.engines import use_engine
from solver.domains.rna.ensemble.vectors import Floats
from solver.domains.rna.fold.check import load_fold_parameters
from solver.domains.rna.fold.parameters import (
    BULGE_OF_ONE,
    INFINITE,
    MAX_BASES,
    MULTI_BASE,
    MULTI_CLOSING,
    N_TYPES,
    TWO_THREE,
    FoldParameters,
    special_number,
)
from solver.domains.rna.fold.sizes import MAX_LOOP, STRETCH
from solver.domains.rna.fold.vectors import Int32s
from solver.system.forks import lock_over_forks

#: Largest difference in 1/100 kcal/mol of a loop's energy from that of a fold: what smoothing and
#: rounding do, and for tables by the difference of two sides, of which each base is rounded.
TOLERATED, TOLERATED_BY_SIDES = 4.0, 30.0
#: Parts of 1/100 kcal/mol that energies are counted in where they are not rounded, and what is
#: infinite then.
PARTS, _INFINITE = 1e4, 500_000_000

_DOUBLE = ctypes.c_double
_PAIRS, _BASES = 8, 5


class _ViennaFactors(ctypes.Structure):
    """The first part of `vrna_exp_param_t`, as in ViennaRNA 2.7 (params/basic.h)."""

    _fields_ = (
        ("id", ctypes.c_int),
        ("stack", _DOUBLE * _PAIRS**2),
        ("hairpin", _DOUBLE * 31),
        ("bulge", _DOUBLE * (MAX_LOOP + 1)),
        ("internal_loop", _DOUBLE * (MAX_LOOP + 1)),
        ("mismatch_exterior", _DOUBLE * (_PAIRS * _BASES**2)),
        ("mismatch_interior", _DOUBLE * (_PAIRS * _BASES**2)),
        ("mismatch_23", _DOUBLE * (_PAIRS * _BASES**2)),
        ("mismatch_1n", _DOUBLE * (_PAIRS * _BASES**2)),
        ("mismatch_hairpin", _DOUBLE * (_PAIRS * _BASES**2)),
        ("mismatch_multi", _DOUBLE * (_PAIRS * _BASES**2)),
        ("dangle5", _DOUBLE * (_PAIRS * _BASES)),
        ("dangle3", _DOUBLE * (_PAIRS * _BASES)),
        ("int11", _DOUBLE * (_PAIRS**2 * _BASES**2)),
        ("int21", _DOUBLE * (_PAIRS**2 * _BASES**3)),
        ("int22", _DOUBLE * (_PAIRS**2 * _BASES**4)),
        ("ninio", _DOUBLE * (5 * (MAX_LOOP + 1))),
        ("lxc", _DOUBLE),
        ("multi_base", _DOUBLE),
        ("multi_intern", _DOUBLE * _PAIRS),
        ("multi_closing", _DOUBLE),
        ("terminal_au", _DOUBLE),
        ("duplex_init", _DOUBLE),
        ("tetraloop", _DOUBLE * 40),
        ("triloop", _DOUBLE * 40),
        ("hexaloop", _DOUBLE * 40),
    )


class BoltzmannFactors(NamedTuple):
    """Boltzmann factors exp(-E / kT) of loops, float64, of one dimension; 0 where there is no loop.

    Tables are those of `FoldParameters` with the same names.
    """

    hairpin: Floats
    hairpin_mismatch: Floats
    special: Floats
    """float64[128]: of the hairpins with energies of their own, in the order of their numbers."""
    terminal: Floats
    stack: Floats
    bulge: Floats
    interior: Floats
    one_by_n: Floats
    unequal: Floats
    unequal_edge: Floats
    interior_mismatch: Floats
    one_by_n_mismatch: Floats
    two_three_mismatch: Floats
    int11: Floats
    int21: Floats
    int22: Floats
    exterior: Floats
    multi: Floats
    scalars: Floats
    """float64[4]: by the numbers below."""


#: Scalars of factors: what closes a multiloop, an unpaired base in it, a bulge of one, a loop of
#: two and three.
CLOSING, BASE, BULGE_ONE, TWO_BY_THREE = range(4)
#: The same of energies.
_SCALARS = [MULTI_CLOSING, MULTI_BASE, BULGE_OF_ONE, TWO_THREE]


class Ensembles(NamedTuple):
    """Data of an engine that its partition functions are computed with."""

    energies: FoldParameters
    factors: BoltzmannFactors
    thermal: float
    """kT in 1/100 kcal/mol."""
    weighed: FoldParameters
    """Energies of a structure that can form as its share has them: `energies` at 37 degrees, else
    those that the factors are of, as they are not rounded."""
    parts: float
    """Parts of 1/100 kcal/mol that `weighed` counts: 1 at 37 degrees, else `PARTS`."""


def _table(values: Any, n_bases: int) -> npt.NDArray[np.float64]:
    """Table by two types of pairs and bases, for types 0 ... 6 and bases 0 ... 3."""
    shaped = np.array(values).reshape((_PAIRS,) * 2 + (_BASES,) * n_bases)
    kept = shaped[(slice(0, N_TYPES),) * 2 + (slice(1, 5),) * n_bases].copy()
    kept[0] = kept[:, 0] = 0.0
    return kept.ravel()


def _mismatch(values: Any) -> npt.NDArray[np.float64]:
    kept = np.array(values).reshape(_PAIRS, _BASES, _BASES)[:N_TYPES].copy()
    kept[0] = 0.0
    return kept


def _stem(vienna: _ViennaFactors, mismatch: Any, terminal: Floats, intern: Any) -> Floats:
    both = _mismatch(mismatch)
    both[:, 1:, 0] = np.array(vienna.dangle5).reshape(_PAIRS, _BASES)[:N_TYPES, 1:]
    both[:, 0, 1:] = np.array(vienna.dangle3).reshape(_PAIRS, _BASES)[:N_TYPES, 1:]
    both[:, 0, 0] = 1.0
    both *= (terminal * np.asarray(intern))[:, None, None]
    both[0] = 0.0
    return both.ravel()


def _specials(engine: str, vienna: _ViennaFactors, energies: FoldParameters) -> Floats:
    """Factors of hairpins that are listed by sequence, in the order of their numbers."""
    import RNA

    texts = RNA.exp_param(use_engine(engine))
    found: dict[int, float] = {}
    for text, factors in (
        (texts.Triloops, vienna.triloop),
        (texts.Tetraloops, vienna.tetraloop),
        (texts.Hexaloops, vienna.hexaloop),
    ):
        for place, loop in enumerate(text.split()):
            found.setdefault(special_number(loop), factors[place])
    return np.array([found.get(number, 0.0) for number in energies.special.tolist()])


def _by_size(values: Any, first: int, last: int = MAX_LOOP) -> Floats:
    row = np.zeros(STRETCH)
    row[first : last + 1] = values[first : last + 1]
    return row


def _read(engine: str, energies: FoldParameters) -> tuple[BoltzmannFactors, float] | None:
    """Read factors and kT, unchecked; None if ViennaRNA does not export them."""
    import RNA

    model = use_engine(engine)
    kt = float(RNA.exp_param(model).kT) / 10.0
    try:
        read = ctypes.CDLL(RNA._RNA.__file__).vrna_exp_params
    except AttributeError:
        return None
    read.argtypes, read.restype = [ctypes.c_void_p], ctypes.POINTER(_ViennaFactors)
    vienna = read(int(model.this)).contents
    terminal = np.where(np.arange(N_TYPES) > 2, vienna.terminal_au, 1.0)
    ninio = np.array(vienna.ninio).reshape(5, MAX_LOOP + 1)[2]
    unequal = np.append(ninio, ninio[-1])
    sizes = np.arange(STRETCH)
    longer = np.arange(31, MAX_BASES)
    hairpin = vienna.hairpin[30] * np.exp(-vienna.lxc * np.log(longer / 30.0) / kt)
    internal = np.array(vienna.internal_loop)
    one_by_n = np.append(internal[1:], 0.0) * unequal[np.abs(sizes[:31] - 1)]
    factors = BoltzmannFactors(
        hairpin=np.concatenate((vienna.hairpin, hairpin)),
        hairpin_mismatch=_mismatch(vienna.mismatch_hairpin).ravel(),
        special=_specials(engine, vienna, energies),
        terminal=np.concatenate(([0.0], terminal[1:])),
        stack=_table(vienna.stack, 0),
        bulge=_by_size(vienna.bulge, 2),
        interior=_by_size(internal, 6),
        one_by_n=_by_size(one_by_n, 3, MAX_LOOP - 1),
        unequal=unequal,
        unequal_edge=unequal[np.abs(sizes - 4)],
        interior_mismatch=_mismatch(vienna.mismatch_interior).ravel(),
        one_by_n_mismatch=_mismatch(vienna.mismatch_1n).ravel(),
        two_three_mismatch=_mismatch(vienna.mismatch_23).ravel(),
        int11=_table(vienna.int11, 2),
        int21=_table(vienna.int21, 3),
        int22=_table(vienna.int22, 4),
        exterior=_stem(vienna, vienna.mismatch_exterior, terminal, np.ones(N_TYPES)),
        multi=_stem(vienna, vienna.mismatch_multi, terminal, vienna.multi_intern[:N_TYPES]),
        scalars=np.array(
            [vienna.multi_closing, vienna.multi_base, vienna.bulge[1], internal[5] * ninio[1]]
        ),
    )
    return factors, kt


def _of_energies(energies: FoldParameters, kt: float) -> BoltzmannFactors:
    """Factors of the energies that sequences are folded with."""

    def factor(table: Int32s) -> Floats:
        return np.where(table < INFINITE // 2, np.exp(-np.minimum(table, 10**5) / kt), 0.0)

    tables = {name: factor(getattr(energies, name)) for name in BoltzmannFactors._fields}
    tables["special"] = np.exp(-energies.special_energy / kt) * (energies.special > 0)
    tables["scalars"] = factor(energies.scalars[_SCALARS])
    return BoltzmannFactors(**tables)


def _energies_of(factors: BoltzmannFactors, energies: FoldParameters, kt: float) -> FoldParameters:
    """Energies that factors are of, in `PARTS` of 1/100 kcal/mol."""

    def table(of: Floats) -> Int32s:
        known = np.where(of > 0.0, of, 1.0)
        found = np.where(of > 0.0, np.rint(-PARTS * kt * np.log(known)), _INFINITE)
        return found.astype(np.int32)

    tables = {name: table(getattr(factors, name)) for name in BoltzmannFactors._fields}
    tables["special_energy"] = tables.pop("special")
    scalars = energies.scalars.copy()
    scalars[_SCALARS] = tables["scalars"]
    return energies._replace(**{**tables, "scalars": scalars})


def agree(factors: BoltzmannFactors, energies: FoldParameters, kt: float) -> bool:
    """Return whether factors are those of `energies`, nearly, each of every table."""
    with np.errstate(divide="ignore"):
        expected = _of_energies(energies, kt)
        for name, one, other in zip(factors._fields, factors, expected, strict=True):
            by_sides = name in ("one_by_n", "unequal", "unequal_edge")
            known, most = other > 0, TOLERATED_BY_SIDES if by_sides else TOLERATED
            if not np.array_equal(one > 0, known):
                return False
            if np.abs(kt * np.log(one[known] / other[known])).max(initial=0.0) > most:
                return False
    return True


_lock = lock_over_forks()
_loaded: dict[str, Ensembles | None] = {}


def load_ensembles(engine: str) -> Ensembles | None:
    """Load the Boltzmann factors of `engine`, for the rest of the process.

    Returns
    -------
    Ensembles or None
        None where `load_fold_parameters` has no energies.
    """
    energies = load_fold_parameters(engine)
    with _lock:
        if engine not in _loaded:
            _loaded[engine] = None
            if energies is not None:
                _loaded[engine] = _checked(engine, energies)
        return _loaded[engine]


def _checked(engine: str, energies: FoldParameters) -> Ensembles:
    import RNA

    model = use_engine(engine)
    found = _read(engine, energies)
    if found is not None and agree(found[0], energies, found[1]):
        factors, kt = found
    else:
        kt = float(RNA.exp_param(model).kT) / 10.0
        factors = _of_energies(energies, kt)
    if model.temperature == CELSIUS:
        return Ensembles(energies, factors, kt, energies, 1.0)
    return Ensembles(energies, factors, kt, _energies_of(factors, energies, kt), PARTS)
