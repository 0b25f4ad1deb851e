"""Priors for inverse RNA folding: the codes to learn, and NEMO's weights made by hand."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import inlined
from solver.contract import rules
from solver.contract.codes import PriorCode
from solver.domains.rna.contexts import ACROSS, BESIDE, N_PLACES, PLACE
from solver.domains.rna.kernels import (
    ENGINE_NAMES,
    MOVES,
    N_BASES,
    N_MOVES,
    STEP,
    Rna,
    RnaState,
)
from solver.domains.rna.loops import Situation
from solver.domains.rna.text import PAIRS
from solver.priors.priors import table_odds


class NgramTable(NamedTuple):
    """The paper's prior: the base before and the characters of the target (Algorithm 5)."""

    table: npt.NDArray[np.float64]


@inlined
def _base_number(letter: int) -> int:
    """1 ... 4 for A, C, G, U."""
    return 1 if letter == 65 else 2 if letter == 67 else 3 if letter == 71 else 4


@inlined
def _bracket_number(character: int) -> int:
    """0, 1, 2 for . ( )."""
    return 0 if character == 46 else 1 if character == 40 else 2


@rules.prior_code.register(NgramTable)
def ngram_code(prior: NgramTable, instance: Rna, state: RnaState, move: int) -> int:
    position = instance.position[state.scalars[STEP]]
    before, base = 3, 0
    if position > 0:
        before = _bracket_number(instance.target[position - 1])
        base = _base_number(state.sequence[position - 1])
    here = _bracket_number(instance.target[position])
    return int(((here * 4 + before) * 5 + base) * N_MOVES + move)


class LoopsTable(NamedTuple):
    """Place of the base, or of the pair, in its loops, and the bases known around it."""

    table: npt.NDArray[np.float64]


#: Neighbours of a base: nothing, a base that does not pair, a pair, its near base first.
N_BESIDE = 1 + N_BASES + len(PAIRS)


@inlined
def _pair_number(one: int, other: int) -> int:
    """0 ... 5 for GC, CG, AU, UA, GU, UG, as `PAIRS` has them."""
    if one == 71:
        return 0 if other == 67 else 4
    if one == 67:
        return 1
    if one == 65:
        return 2
    return 3 if other == 65 else 5


@rules.prior_code.register(LoopsTable)
def loops_code(prior: LoopsTable, instance: Rna, state: RnaState, move: int) -> int:
    position = instance.position[state.scalars[STEP]]
    context, sequence = instance.context[position], state.sequence
    place, paired, facing = context[PLACE], context[BESIDE], context[ACROSS]
    beside = across = 0
    if paired >= 0:
        pair = _pair_number(sequence[paired], sequence[instance.partner[paired]])
        beside = 1 + N_BASES + pair
    elif position > 0:
        beside = _base_number(sequence[position - 1])
    if facing >= 0:
        across = _base_number(sequence[facing])
    row = ((instance.engine + 1) * N_PLACES + place) * N_BESIDE + beside
    return int((row * (1 + N_BASES) + across) * N_MOVES + move)


for _table_class in (NgramTable, LoopsTable):
    rules.odds.register(_table_class)(table_odds)


PRIORS = {
    code.name: code
    for code in (
        PriorCode(
            "ngram",
            {"target": 2, "target_before": 4, "base_before": 5, "move": N_MOVES},
            NgramTable,
            temperature=16.0,
        ),
        PriorCode(
            "loops",
            {
                "engine": 1 + len(ENGINE_NAMES),
                "place": N_PLACES,
                "beside": N_BESIDE,
                "across": 1 + N_BASES,
                "move": N_MOVES,
            },
            LoopsTable,
            temperature=2.0,
            back_off=(
                ("place", "move"),
                ("place", "beside", "move"),
                ("place", "beside", "across", "move"),
            ),
        ),
    )
}


class NemoPrior(NamedTuple):
    """The handmade weights of NEMO (Portela 2018), by situation and move."""

    weight: npt.NDArray[np.float64]
    """float64[situations, moves]."""


def new_nemo_prior() -> NemoPrior:
    """Weights of NEMO; of its patterns for whole loops only the loop of one by one."""
    weight = np.ones((len(Situation), N_MOVES))
    pairs = {"GC": 16.0, "CG": 16.0, "UA": 9.0, "AU": 9.0, "UG": 2.0, "GU": 2.0}
    strong = np.array([pair in ("GC", "CG") for pair in MOVES])
    weak = np.array([pair in ("UA", "AU") for pair in MOVES])
    weight[:, N_BASES:] = [pairs[pair] for pair in PAIRS]
    weight[Situation.STACKED_RIGHT] += 6.0 * weak - 6.0 * strong
    weight[Situation.STACKED_LEFT] += 6.0 * strong - 6.0 * weak
    unpaired = {  # A, C, G, U
        Situation.PLAIN: (93, 5, 1, 1),
        Situation.HAIRPIN_FIRST: (15.5, 0.8, 83.3, 0.2),
        Situation.HAIRPIN_LAST: (83.3, 2.4, 11.9, 2.4),
        Situation.INTERNAL_5: (5, 1, 20, 1),
        Situation.INTERNAL_3: (21, 1, 4, 1),
        Situation.JUNCTION: (97, 1, 1, 1),
        Situation.ONE_ONE: (6.7, 6.7, 80, 6.6),
    }
    for situation, row in unpaired.items():
        weight[situation, :N_BASES] = row
    return NemoPrior(weight)


@rules.odds.register(NemoPrior)
def nemo_odds(prior: NemoPrior, instance: Rna, state: RnaState, move: int) -> float:
    position = instance.position[state.scalars[STEP]]
    situation = instance.situation[position]
    weak = move >= N_BASES + 2
    if situation == Situation.TRILOOP and weak and position > 0:
        outer, other = state.sequence[position - 1], instance.partner[position - 1]
        supported = other == instance.partner[position] + 1
        if supported and (outer == 71 or outer == 67) and state.sequence[other] != 85:
            return 1e-6  # only GC or CG, as far as the search does not insist
    return prior.weight[situation, move]


def _palettes() -> dict[str, tuple[float, ...]]:
    """Return the palettes of bases that do not pair, of pairs, and of both."""
    as_before = (0.0,) * N_BASES, (0.0,) * len(PAIRS)
    unpaired = {  # A, C, G, U
        "A": (0.90, 0.03, 0.05, 0.02),
        "AG": (0.75, 0.02, 0.20, 0.03),
        "Y": (0.01, 0.30, 0.01, 0.68),
    }
    strong = (0.50, 0.50, 0.02, 0.02, 0.01, 0.01)  # GC, CG, AU, UA, GU, UG
    found = {name: shares + as_before[1] for name, shares in unpaired.items()}
    found["GC"] = as_before[0] + strong
    return found | {f"{name}+GC": shares + strong for name, shares in unpaired.items()}


#: Palettes of the search for hard targets: of bases that do not pair, and of pairs of G and C.
PALETTES = _palettes()
