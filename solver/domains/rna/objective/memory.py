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
from solver.domains.rna.fold.call import fold_address
from solver.domains.rna.fold.check import pairs_of
from solver.domains.rna.fold.parameters import FoldParameters, packed
from solver.domains.rna.fold.vectors import Int32s
from solver.domains.rna.fold.workspace import new_fold_memory
from solver.domains.rna.folding import Text, as_text
from solver.domains.rna.objective.pool import Pool, new_pool
from solver.domains.rna.requests.contradictions import Site
from solver.domains.rna.requests.options import OBJECTIVES

#: Most bases or pairs that a site can have.
MOST_CHOICES = 6
#: How often each base and each pair is drawn.
ODDS = {
    "A": 0.4,
    "C": 0.15,
    "G": 0.25,
    "U": 0.2,
    "GC": 0.3,
    "CG": 0.3,
    "AU": 0.15,
    "UA": 0.15,
    "GU": 0.05,
    "UG": 0.05,
}


class Tuning(NamedTuple):
    """Parameters of the search."""

    memory: int = 10
    """Steps before, whose objective is accepted."""
    floor: float = 0.02
    """Least weight of a site that is as it should be, beside the probability that it is not."""
    beside: float = 0.3
    """Share of changes that change a site near the first, too, where there is one."""
    patience: float = 5.0
    """Steps without a gain, for each site, after which the search begins again."""
    kick: float = 0.5
    """Share of the sites in a window of the best sequence that are drawn again then."""
    fresh: float = 0.3
    """Share of restarts that draw all sites."""
    share: float = 0.003
    """Weight of the logarithm of the probability where both are the objective."""
    screen: float = 1.0
    """By how much the logarithm of the probability may fall for the defect to be computed."""
    pool: int = 60
    """Structures that bound the probability, 0 for none."""
    drawn: int = 2
    """Structures drawn for them after each accepted change."""
    odds: Mapping[str, float] = ODDS


#: Parameters that kernels read.
_PARAMETERS = ("floor", "beside", "patience", "kick", "fresh", "screen", "drawn", "share")
DEFAULT = Tuning()
#: kT in 1/100 kcal/mol at 37 degrees; at other temperatures the energies of a fold, which the pool
#: has, are rounded, and bounds are wrong by less than this.
_THERMAL, _SLACK = 61.632, 0.3


class Goal(NamedTuple):
    """A target, its sites, and the objective."""

    energies: FoldParameters
    weighed: FoldParameters
    """Energies of the target, see `Ensembles`, as `parts`."""
    parts: float
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
    """float64[sites * 6]: how often each choice is drawn, ascending sums up to 1."""
    objective: int
    """`BY_PROBABILITY`, `BY_DEFECT` or `BY_BOTH`."""
    folding: int
    """Address of the compiled fold."""
    packed: Int32s
    """int32[...]: energies of the fold."""


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
    stream: Stream
    parameters: Floats
    """float64[9]: by `FLOOR` and its like: those of `Tuning`, and by how much the logarithm that
    the pool bounds may be wrong."""
    pool: Pool
    folding: Int32s
    """int32[...]: memory of the fold."""
    folded: Int32s
    """int32[n]: the other end of the pair of each position in the fold, from 0, or -1."""


#: Numbers of a place: what is compared, higher is better; the logarithm of the probability; the
#: ensemble defect, 1 where it is not known.
VALUE, LOGARITHM, DEFECT = range(3)
#: Counters: steps since the restart, those since the last gain, restarts, requests not met; 1 while
#: the probability alone is climbed, though both are the objective.
STEPS, IDLE, RESTARTS, EXCESS, CLIMBS = range(5)
#: Parameters.
FLOOR, BESIDE, PATIENCE, KICK, FRESH, SCREEN, DRAWN, SHARE, SLACK = range(9)
#: Objectives.
_, BY_PROBABILITY, BY_DEFECT, BY_BOTH = range(len(OBJECTIVES))


def new_goal(
    structure: str,
    sites: list[Site],
    ensembles: Ensembles,
    tuning: Tuning = DEFAULT,
    *,
    objective: str,
) -> Goal:
    """Return the goal of a target."""
    free = [site for site in sites if len(site.choices) > 1]
    choices = np.zeros((len(free), MOST_CHOICES, 2), np.uint8)
    sums = np.ones((len(free), MOST_CHOICES))
    for row, site in enumerate(free):
        weights = np.array([tuning.odds[choice] for choice in site.choices])
        sums[row, : len(weights)] = np.cumsum(weights) / weights.sum()
        for place, choice in enumerate(site.choices):
            choices[row, place] = ord(choice[0]), ord(choice[-1])
    return Goal(
        energies=ensembles.energies,
        weighed=ensembles.weighed,
        parts=ensembles.parts,
        factors=ensembles.factors,
        pairs=pairs_of(structure),
        position=np.array([site.position for site in free], np.int32),
        partner=np.array([site.partner for site in free], np.int32),
        n_choices=np.array([len(site.choices) for site in free], np.int32),
        choices=choices.ravel(),
        odds=sums.ravel(),
        objective=OBJECTIVES.index(objective),
        folding=fold_address(),
        packed=packed(ensembles.energies),
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
        stream=stream,
        parameters=np.array([*(getattr(tuning, name) for name in _PARAMETERS), slack]),
        pool=new_pool(goal.pairs, tuning.pool),
        folding=new_fold_memory(n),
        folded=np.zeros(n, np.int32),
    )
