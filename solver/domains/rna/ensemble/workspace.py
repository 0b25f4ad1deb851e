"""Matrices of the last partition function, kept so that the next need not fill all of them.

Positions count from 1 and `n` is the number of bases. A matrix is one array with (i, j) at
(i + `EDGE`) * width + j; all around are zeros, so that sums may reach beyond its ends. A partition
function of m bases is kept times exp(-m * scale), with one scale for all, so that neither the short
ones nor the long ones leave the range of float64.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solver.compiling.jit import called, inlined
from solver.domains.rna.ensemble.factors import (
    BASE,
    BULGE_ONE,
    CLOSING,
    TWO_BY_THREE,
    BoltzmannFactors,
    Ensembles,
)
from solver.domains.rna.ensemble.sizes import LANES
from solver.domains.rna.ensemble.vectors import Floats
from solver.domains.rna.fold.parameters import MAX_BASES, N_CODES, FoldParameters
from solver.domains.rna.fold.sizes import MAX_LOOP, MIN_LOOP, STRETCH
from solver.domains.rna.fold.vectors import Int32s
from solver.domains.rna.fold.workspace import SPAN
from solver.domains.rna.folding import Text

#: Rows of zeros before and behind a matrix: loops reach so far.
EDGE = 32
#: Columns of zeros behind each row.
_MORE_COLUMNS = 48


class EnsembleWorkspace(NamedTuple):
    """Partition functions of a sequence of n bases, and scratch."""

    scalars: Int32s
    """int32[2]: n and `width`."""
    numbers: Floats
    """float64[2]: by `SCALE` and `THERMAL`, the latter kT in 1/100 kcal/mol."""
    scaled: BoltzmannFactors
    """Factors times those of the scale for the bases of their loops."""
    power: Floats
    """float64[n + 40]: exp(-k * scale)."""
    code: Int32s
    """int32[n + 40]: codes of the last sequence, 0 before and behind it."""
    fresh: Int32s
    """int32[n + 40]: those of the sequence that is being read."""
    sites: Int32s
    """int32[n + 40]: positions where the sequence differs from the last one."""
    partners: Int32s
    """int32[5 * width]: positions that can pair with a base of each code, ascending."""
    first_partner: Int32s
    """int32[5 * width]: how many of them there are before each position."""
    stem: Floats
    """float64[width]: of the row, a helix in a multiloop by its last base."""
    large: Floats
    """float64[width]: of the row, sums over interior loops with two bases on each side and more."""
    single: Floats
    """float64[width]: sums over those with one base on one side and three and more on the other."""
    bulged: Floats
    """float64[width]: sums over bulges of two and more bases."""
    several: Floats
    """float64[width]: of the row, a helix and more helices behind it, in a multiloop."""
    column: Floats
    """float64[2 * width]: part of a column of `inner`."""
    extended: Floats
    """float64[31 * 2 * width]: as in `extend_loops`."""
    suffix: Floats
    """float64[n + 40]: partition function of the bases i ... n, for each i."""
    closed: Floats
    """Matrix: partition function of i ... j where i pairs with j."""
    inner: Floats
    """Matrix: the same with the mismatch outside of the pair as in an interior loop."""
    inner_single: Floats
    """Matrix: the same, as in a loop of one base on one side and several on the other."""
    ended: Floats
    """Matrix: the same with the factor of the end of a helix."""
    multi: Floats
    """Matrix: partition function of i ... j as part of a multiloop, one helix or more."""
    two: Floats
    """Matrix: the same, two helices or more."""


class OutsideWorkspace(NamedTuple):
    """Outside sums of each pair, in the ensemble of the last sequence, and scratch."""

    prefix: Floats
    """float64[n + 40]: partition function of the bases 1 ... j, for each j."""
    paired: Floats
    """float64[n + 2]: probability that each base pairs."""
    outer: Floats
    """Matrix: partition function of all bases outside of the pair (i, j)."""
    inner: Floats
    """Matrix: the same with the mismatch inside of the pair as in an interior loop."""
    inner_single: Floats
    """Matrix: the same, as in a loop of one base on one side and several on the other."""
    ended: Floats
    """Matrix: the same with the factor of the end of a helix."""
    multi: Floats
    """Matrix: the derivative of the partition function by `EnsembleWorkspace.multi`."""
    two: Floats
    """float64[2 * width]: that by two rows of `EnsembleWorkspace.two`."""
    behind: Floats
    """float64[width]: of the row, the derivative by a last helix in a multiloop."""


#: Scalars and numbers of a workspace.
BASES, WIDTH = range(2)
SCALE, THERMAL = range(2)

#: Scale that a workspace begins with, by the free energy of many designs: -0.25 kcal/mol a base.
_FIRST_SCALE = 0.4


def _width(n: int) -> int:
    """Numbers in a row; columns would all fall into the same few lines of the cache at 512."""
    width = -(-(n + _MORE_COLUMNS) // LANES) * LANES
    return width + LANES if width % 128 == 0 else width


def new_ensemble_workspace(n: int, ensembles: Ensembles) -> EnsembleWorkspace:
    """Allocate a workspace for sequences of `n` bases, about 48 n^2 bytes.

    Raises
    ------
    ValueError
        If that is more than `MAX_BASES`.
    """
    if not 0 < n < MAX_BASES:
        raise ValueError(f"{n} bases, expected 1 to {MAX_BASES - 1}")
    width, row = _width(n), n + 40
    size = (n + 2 + 2 * EDGE) * width
    return EnsembleWorkspace(
        scalars=np.array([n, width], np.int32),
        numbers=np.array([_FIRST_SCALE, ensembles.thermal]),
        scaled=BoltzmannFactors(*(np.zeros_like(table) for table in ensembles.factors)),
        power=np.zeros(row),
        code=np.zeros(row, np.int32),
        fresh=np.zeros(row, np.int32),
        sites=np.zeros(row, np.int32),
        partners=np.zeros(N_CODES * width, np.int32),
        first_partner=np.zeros(N_CODES * width, np.int32),
        stem=np.zeros(width),
        large=np.zeros(width),
        single=np.zeros(width),
        bulged=np.zeros(width),
        several=np.zeros(width),
        column=np.zeros(2 * width),
        extended=np.zeros((MAX_LOOP + 1) * 2 * width),
        suffix=np.zeros(row),
        closed=np.zeros(size),
        inner=np.zeros(size),
        inner_single=np.zeros(size),
        ended=np.zeros(size),
        multi=np.zeros(size),
        two=np.zeros(size),
    )


def new_outside_workspace(n: int) -> OutsideWorkspace:
    """Allocate what pair probabilities of `n` bases are computed in, about 40 n^2 bytes."""
    width = _width(n)
    size = (n + 2 + 2 * EDGE) * width
    return OutsideWorkspace(
        prefix=np.zeros(n + 40),
        paired=np.zeros(n + 2),
        outer=np.zeros(size),
        inner=np.zeros(size),
        inner_single=np.zeros(size),
        ended=np.zeros(size),
        multi=np.zeros(size),
        two=np.zeros(2 * width),
        behind=np.zeros(width),
    )


@called
def scale_factors(workspace: EnsembleWorkspace, factors: BoltzmannFactors) -> None:
    """Set the factors of the workspace for its scale."""
    power, scaled = workspace.power, workspace.scaled
    n = workspace.scalars[BASES]
    for count in range(len(power)):
        power[count] = np.exp(-count * workspace.numbers[SCALE])
    for size in range(n - 1):
        scaled.hairpin[size] = factors.hairpin[size] * power[size + 2]
    for place in range(STRETCH):
        bases = min(place, MAX_LOOP) + 2
        scaled.bulge[place] = factors.bulge[place] * power[bases]
        scaled.interior[place] = factors.interior[place] * power[bases]
        scaled.one_by_n[place] = factors.one_by_n[place] * power[bases + 1]
    _scale_table(scaled.stack, factors.stack, power[2])
    _scale_table(scaled.int11, factors.int11, power[4])
    _scale_table(scaled.int21, factors.int21, power[5])
    _scale_table(scaled.int22, factors.int22, power[6])
    _scale_table(scaled.special, factors.special, 1.0)
    _scale_table(scaled.terminal, factors.terminal, 1.0)
    _scale_table(scaled.unequal, factors.unequal, 1.0)
    _scale_table(scaled.unequal_edge, factors.unequal_edge, 1.0)
    scaled.unequal_edge[MIN_LOOP] *= 0.5  # two bases on both sides: found from either
    _scale_table(scaled.hairpin_mismatch, factors.hairpin_mismatch, 1.0)
    _scale_table(scaled.interior_mismatch, factors.interior_mismatch, 1.0)
    _scale_table(scaled.one_by_n_mismatch, factors.one_by_n_mismatch, 1.0)
    _scale_table(scaled.two_three_mismatch, factors.two_three_mismatch, 1.0)
    _scale_table(scaled.exterior, factors.exterior, 1.0)
    _scale_table(scaled.multi, factors.multi, 1.0)
    scaled.scalars[CLOSING] = factors.scalars[CLOSING] * power[2]
    scaled.scalars[BASE] = factors.scalars[BASE] * power[1]
    scaled.scalars[BULGE_ONE] = factors.scalars[BULGE_ONE] * power[1]
    scaled.scalars[TWO_BY_THREE] = factors.scalars[TWO_BY_THREE] * power[7]


@called
def _scale_table(scaled: Floats, factors: Floats, power: float) -> None:
    for place in range(len(factors)):
        scaled[place] = factors[place] * power


@called
def read_sequence(workspace: EnsembleWorkspace, energies: FoldParameters, sequence: Text) -> int:
    """Take over `sequence` and note in `sites` where it differs; returns at how many places."""
    n, width = workspace.scalars[BASES], workspace.scalars[WIDTH]
    count = 0
    for position in range(1, n + 1):
        workspace.fresh[position] = energies.code[sequence[position - 1]]
        if workspace.fresh[position] != workspace.code[position]:
            workspace.sites[count] = position
            count += 1
    for place in range(count):
        workspace.code[workspace.sites[place]] = workspace.fresh[workspace.sites[place]]
    if count:
        for code in range(1, N_CODES):
            begin, found = code * width, 0
            for position in range(1, n + SPAN + 2):
                workspace.first_partner[begin + position] = found
                if energies.pair_type[code * N_CODES + workspace.code[position]] > 0:
                    workspace.partners[begin + found] = position
                    found += 1
    return count


@inlined
def row_of(workspace: EnsembleWorkspace, i: int) -> int:
    """Place of (i, 0) in a matrix."""
    return (i + EDGE) * workspace.scalars[WIDTH]
