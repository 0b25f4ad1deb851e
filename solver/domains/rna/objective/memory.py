"""State of the search for an objective: its knowledge of a target, its current design."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from solver.compiling.random import Stream
from solver.domains.rna.ensemble.factors import BoltzmannFactors, Ensembles
from solver.domains.rna.ensemble.vectors import Floats
from solver.domains.rna.ensemble.workspace import (
    EnsembleWorkspace,
    OutsideWorkspace,
    new_ensemble_workspace,
    new_outside_workspace,
)
from solver.domains.rna.fold.check import pairs_of
from solver.domains.rna.fold.parameters import FoldParameters
from solver.domains.rna.fold.vectors import Int32s
from solver.domains.rna.folding import Text, as_text
from solver.domains.rna.objective.pool import Pool, new_pool
from solver.domains.rna.requests.contradictions import Site

#: Most bases or pairs that a site can have.
MOST_CHOICES = 6
#: Odds of unpaired bases, by palette: the usual ones, which moves are drawn by, too; mostly A;
#: mostly U.
BACKGROUNDS = (
    {"A": 0.4, "C": 0.15, "G": 0.25, "U": 0.2},
    {"A": 0.85, "C": 0.05, "G": 0.05, "U": 0.05},
    {"A": 0.1, "C": 0.1, "G": 0.05, "U": 0.75},
)
#: Odds of pairs, by palette: the usual ones; nearly all of them strong; with AU.
PAIRINGS = (
    {"GC": 0.3, "CG": 0.3, "AU": 0.15, "UA": 0.15, "GU": 0.05, "UG": 0.05},
    {"GC": 0.48, "CG": 0.48, "AU": 0.01, "UA": 0.01, "GU": 0.01, "UG": 0.01},
    {"GC": 0.3, "CG": 0.3, "AU": 0.19, "UA": 0.19, "GU": 0.01, "UG": 0.01},
)
#: How much the energy of the target counts in a drawn sequence, by palette, in units of 1/kT.
HEATS = (0.0, 0.3, 1.0)
N_PALETTES, USUAL = 3, 0
#: Parts of a palette.
BACKGROUND, PAIRING, HEAT = range(3)
KINDS = 3


class Tuning(NamedTuple):
    """Parameters of the search."""

    memory: int = 10
    """Steps before, whose objective is accepted."""
    floor: float = 0.02
    """Least weight of a site that is as it should be, beside the probability that it is not."""
    patience: float = 20.0
    """Steps without a gain, for each site, after which the search begins again."""
    kick: float = 0.5
    """Share of the sites in a window of the best sequence that are drawn again then."""
    fresh: float = 0.3
    """Share of restarts that draw all sites."""
    screen: float = 1.0
    """By how much the logarithm of the probability may fall for the defect to be computed."""
    pool: int = 60
    """Structures that bound the probability, 0 for none."""
    drawn: int = 2
    """Structures drawn for them after each accepted change."""
    mixed: float = 0.2
    """Share of restarts that take a part of the end of another one."""
    ends: int = 12
    """Ends of restarts that are kept for their parts, and to rank others."""
    backgrounds: tuple[Mapping[str, float], ...] = BACKGROUNDS
    pairings: tuple[Mapping[str, float], ...] = PAIRINGS
    heats: tuple[float, ...] = HEATS


#: Parameters that kernels read.
_PARAMETERS = ("floor", "patience", "kick", "fresh", "screen", "drawn", "mixed")
DEFAULT = Tuning()
#: kT in 1/100 kcal/mol at 37 degrees; at other temperatures the energies of a fold, which the pool
#: has, are rounded, and bounds are wrong by less than this.
_THERMAL, _SLACK = 61.632, 0.3


class Goal(NamedTuple):
    """A target, its sites, and the objective."""

    energies: FoldParameters
    factors: BoltzmannFactors
    pairs: Int32s
    """int32[n + 1]: the other end of the pair of each position, from 1, or 0."""
    position: Int32s
    """int32[sites]: of the first base of each site that has a choice, from 0."""
    partner: Int32s
    """int32[sites]: of the second base, -1 where there is none."""
    n_choices: Int32s
    """int32[sites]."""
    choices: Text
    """uint8[sites * 12]: letters of the choices of each site, two for each."""
    odds: Floats
    """float64[3 * sites * 6]: by palette, how often each choice is drawn; they add up to 1."""
    heats: Floats
    """float64[3]."""
    loop: Int32s
    """int32[n + 1]: the 5' base of the pair that closes the loop of each position, 0 outside of
    all; of a base that pairs, the loop outside of its pair."""
    by_defect: bool
    """True for the ensemble defect, False for the probability."""


class Place(NamedTuple):
    """A sequence on the way, and what is known of it."""

    sequence: Text
    """uint8[n + 1]."""
    weights: Floats
    """float64[sites]: ascending sums of how much each site is to be changed."""
    numbers: Floats
    """float64[3]: by `VALUE`, `LOGARITHM`, `DEFECT`."""


class SearchMemory(NamedTuple):
    """Current state of the search, and its scratch."""

    workspace: EnsembleWorkspace
    outside: OutsideWorkspace
    current: Place
    trial: Place
    nearest: Place
    """The best since the last restart."""
    best: Place
    """The best of all."""
    tried: Text
    """uint8[n + 1]."""
    defects: Floats
    """float64[n + 1]: probability that each position is not as in the target."""
    code: Int32s
    """int32[n + 10]: codes of the bases of a sequence."""
    history: Floats
    """float64[memory]: values of as many steps before."""
    counters: Int32s
    """int32[5]: by `STEPS` and the numbers below."""
    palette: Int32s
    """int32[3]: the palette of the restart, by `BACKGROUND`, `PAIRING` and `HEAT`."""
    credit: Floats
    """float64[3 * 3 * 2]: by part of a palette and its number, ranks added up, and how many."""
    ends: Floats
    """float64[ends]: values that the last restarts have ended with."""
    kept: Text
    """uint8[ends * (n + 1)]: their sequences."""
    kept_weights: Floats
    """float64[ends * sites]: the weights of their sites."""
    choice_weights: Floats
    """float64[6]: scratch."""
    stream: Stream
    parameters: Floats
    """float64[8]: of `Tuning` what `_PARAMETERS` names, and by how much the logarithm that the pool
    bounds may be wrong."""
    pool: Pool


#: Numbers of a place: what is compared, higher is better; the logarithm of the probability; the
#: ensemble defect, 1 where it is not known.
VALUE, LOGARITHM, DEFECT = range(3)
#: Counters: steps since the restart, those since the last gain, restarts, requests not met, and
#: whether all sites were drawn anew.
STEPS, IDLE, RESTARTS, EXCESS, IS_FRESH = range(5)
#: Parameters.
FLOOR, PATIENCE, KICK, FRESH, SCREEN, DRAWN, MIXED, SLACK = range(8)


def loops_of(pairs: Int32s) -> Int32s:
    """Return the loop of each position, int32[n + 1], as `Goal.loop` says."""
    loop, around = np.zeros(len(pairs), np.int32), 0
    for position in range(1, len(pairs)):
        partner = int(pairs[position])
        if 0 < partner < position:
            around = int(loop[partner])
        loop[position] = around
        if partner > position:
            around = position
    return loop


def new_goal(
    structure: str,
    sites: list[Site],
    ensembles: Ensembles,
    tuning: Tuning = DEFAULT,
    *,
    by_defect: bool,
) -> Goal:
    """Return the goal of a target."""
    free = [site for site in sites if len(site.choices) > 1]
    choices = np.zeros((len(free), MOST_CHOICES, 2), np.uint8)
    odds = np.zeros((N_PALETTES, len(free), MOST_CHOICES))
    for row, site in enumerate(free):
        palettes = tuning.backgrounds if site.partner < 0 else tuning.pairings
        for palette, known in enumerate(palettes):
            weights = np.array([known[choice] for choice in site.choices])
            odds[palette, row, : len(weights)] = weights / weights.sum()
        for place, choice in enumerate(site.choices):
            choices[row, place] = ord(choice[0]), ord(choice[-1])
    return Goal(
        energies=ensembles.energies,
        factors=ensembles.factors,
        pairs=pairs_of(structure),
        position=np.array([site.position for site in free], np.int32),
        partner=np.array([site.partner for site in free], np.int32),
        n_choices=np.array([len(site.choices) for site in free], np.int32),
        choices=choices.ravel(),
        odds=odds.ravel(),
        heats=np.array(tuning.heats),
        loop=loops_of(pairs_of(structure)),
        by_defect=by_defect,
    )


def _new_place(n: int, n_sites: int) -> Place:
    return Place(as_text("A" * n), np.zeros(max(n_sites, 1)), np.full(3, -np.inf))


def new_search_memory(
    n: int, goal: Goal, ensembles: Ensembles, stream: Stream, tuning: Tuning = DEFAULT
) -> SearchMemory:
    """Allocate the memory of a search on `n` bases; it consumes `stream`."""
    n_sites = len(goal.position)
    slack = 0.0 if abs(ensembles.thermal - _THERMAL) < 0.01 else _SLACK
    return SearchMemory(
        workspace=new_ensemble_workspace(n, ensembles),
        outside=new_outside_workspace(n),
        current=_new_place(n, n_sites),
        trial=_new_place(n, n_sites),
        nearest=_new_place(n, n_sites),
        best=_new_place(n, n_sites),
        tried=as_text("A" * n),
        defects=np.zeros(n + 1),
        code=np.zeros(n + 10, np.int32),
        history=np.full(tuning.memory, -np.inf),
        counters=np.zeros(5, np.int32),
        palette=np.zeros(KINDS, np.int32),
        credit=np.zeros(KINDS * N_PALETTES * 2),
        ends=np.full(tuning.ends, -np.inf),
        kept=np.zeros(tuning.ends * (n + 1), np.uint8),
        kept_weights=np.zeros(tuning.ends * max(n_sites, 1)),
        choice_weights=np.zeros(MOST_CHOICES),
        stream=stream,
        parameters=np.array([*(getattr(tuning, name) for name in _PARAMETERS), slack]),
        pool=new_pool(goal.pairs, tuning.pool),
    )
