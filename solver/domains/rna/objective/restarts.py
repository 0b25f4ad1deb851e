"""Sequences that the search begins again with, and what it has learned of them.

A sequence is drawn by a palette: odds of unpaired bases, odds of pairs, and how much the energy of
the target counts, by heat-bath sampling of sequences as in [1]_. Or a part of the best one is drawn
again by a palette, or taken from the end of another restart. Which palettes pay is learned: each of
the three is drawn by the mean rank of what its restarts have ended with, a bandit.

References
----------
.. [1] A. Levin et al., A global sampling approach to designing and reengineering RNA secondary
   structures, 2012.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.compiling.copies import copy_items
from solver.compiling.jit import called, inlined
from solver.compiling.random import next_below, next_uniform
from solver.domains.rna.fold.loops import loop_energy
from solver.domains.rna.objective.memory import (
    FRESH,
    HEAT,
    IS_FRESH,
    KICK,
    KINDS,
    MIXED,
    N_PALETTES,
    RESTARTS,
    VALUE,
    Goal,
    SearchMemory,
)
from solver.domains.rna.objective.sites import draw_choice, drawn_site, first_odds, place_choice

#: Sweeps of heat-bath sampling over all sites.
SWEEPS = 3
#: How much more often a palette is drawn whose restarts all end best than one that ends worst.
EAGERNESS = 4.0


@called
def note_end(memory: SearchMemory) -> None:
    """Learn from what a restart has ended with, and keep its best sequence for its parts."""
    value, past = memory.nearest.numbers[VALUE], memory.ends
    known = min(memory.counters[RESTARTS], len(past))
    below = 0.0
    for end in range(known):
        below += 1.0 if past[end] < value else (0.5 if past[end] == value else 0.0)
    if memory.counters[IS_FRESH] and known > 0:
        for kind in range(KINDS):
            place = 2 * (kind * N_PALETTES + memory.palette[kind])
            memory.credit[place] += below / known
            memory.credit[place + 1] += 1.0
    replaced = memory.counters[RESTARTS] % len(past)
    past[replaced] = value
    n, sites = len(memory.tried), len(memory.nearest.weights)
    for position in range(n):
        memory.kept[replaced * n + position] = memory.nearest.sequence[position]
    for site in range(sites):
        memory.kept_weights[replaced * sites + site] = memory.nearest.weights[site]


@inlined
def _draw_palette(memory: SearchMemory) -> None:
    """Draw the three parts of a palette, each by what restarts with it have ended with."""
    for kind in range(KINDS):
        total, chosen = 0.0, 0
        for palette in range(N_PALETTES):
            place = 2 * (kind * N_PALETTES + palette)
            mean = (memory.credit[place] + 1.0) / (memory.credit[place + 1] + 2.0)
            weight = np.exp(EAGERNESS * mean)
            total += weight
            if next_uniform(memory.stream) * total < weight:
                chosen = palette
        memory.palette[kind] = chosen


@inlined
def _write_code(goal: Goal, memory: SearchMemory, position: int) -> None:
    memory.code[position + 1] = goal.energies.code[memory.tried[position]]


@inlined
def _site_energy(goal: Goal, memory: SearchMemory, site: int) -> int:
    """Energy of the loops of the target that a site is part of, in 1/100 kcal/mol."""
    position, energy = goal.position[site] + 1, 0
    for inner in range(2 if goal.partner[site] >= 0 else 1):
        loop = position if inner else goal.loop[position]
        energy += loop_energy(goal.energies, memory.code, goal.pairs, loop)
    return energy


@called
def _sample(goal: Goal, memory: SearchMemory, thermal: float) -> None:
    """Draw all sites again and again, by odds and by the energy of the target."""
    heat = goal.heats[memory.palette[HEAT]] / thermal
    if heat == 0.0:
        return
    for position in range(len(memory.tried) - 1):
        _write_code(goal, memory, position)
    weights = memory.choice_weights
    for _ in range(SWEEPS):
        for site in range(len(goal.position)):
            place, total, lowest = first_odds(goal, memory, site, False), 0.0, 0
            for choice in range(goal.n_choices[site]):
                _place(goal, memory, site, choice)
                energy = _site_energy(goal, memory, site)
                lowest = energy if choice == 0 else min(lowest, energy)
                weights[choice] = energy
            for choice in range(goal.n_choices[site]):
                factor = np.exp(heat * (lowest - weights[choice]))
                weights[choice] = goal.odds[place + choice] * factor
                total += weights[choice]
            left, chosen = next_uniform(memory.stream) * total - weights[0], 0
            while left >= 0.0 and chosen < goal.n_choices[site] - 1:
                chosen += 1
                left -= weights[chosen]
            _place(goal, memory, site, chosen)


@inlined
def _place(goal: Goal, memory: SearchMemory, site: int, choice: int) -> None:
    """Write a choice into the tried sequence and the codes."""
    place_choice(goal, memory.tried, site, choice)
    _write_code(goal, memory, goal.position[site])
    if goal.partner[site] >= 0:
        _write_code(goal, memory, goal.partner[site])


@inlined
def _kick(goal: Goal, memory: SearchMemory) -> None:
    """Draw sites in a window of the best sequence again."""
    n = len(memory.tried) - 1
    centre = drawn_site(memory, memory.best.weights)
    middle, half = goal.position[centre], 2 + next_below(memory.stream, max(n // 6, 1))
    for site in range(len(goal.position)):
        near = abs(goal.position[site] - middle) <= half
        near = near or (goal.partner[site] >= 0 and abs(goal.partner[site] - middle) <= half)
        if near and next_uniform(memory.stream) < memory.parameters[KICK]:
            choice = draw_choice(goal, memory, site, False)
            place_choice(goal, memory.tried, site, choice)


@inlined
def _sum(weights: Any, begin: int, first: int, last: int) -> float:
    """Weight of the sites first ... last, of ascending sums from `begin` on."""
    before = weights[begin + first - 1] if first > 0 else 0.0
    return float(weights[begin + last] - before)


@called
def _recombine(goal: Goal, memory: SearchMemory) -> bool:
    """Replace what a pair encloses by that of another restart's end; False where it is the same."""
    n, sites = len(memory.tried), len(goal.position)
    position = goal.position[drawn_site(memory, memory.best.weights)] + 1
    opening = position if goal.pairs[position] > 0 else goal.loop[position]
    for _ in range(next_below(memory.stream, 4)):
        opening = goal.loop[opening] if opening > 0 else 0
    if opening == 0:
        return False
    first, last = 0, sites - 1
    while goal.position[first] + 1 < opening:
        first += 1
    while goal.position[last] + 1 > goal.pairs[opening]:
        last -= 1
    donor, least, seen = -1, 0.0, 0
    by_weight = next_uniform(memory.stream) < 0.5
    for end in range(min(memory.counters[RESTARTS], len(memory.ends))):
        differs = False
        for place in range(opening - 1, goal.pairs[opening]):
            differs = differs or memory.kept[end * n + place] != memory.tried[place]
        if not differs:
            continue
        seen += 1
        weight = _sum(memory.kept_weights, end * sites, first, last)
        lighter = donor < 0 or weight < least
        taken = lighter if by_weight else next_below(memory.stream, seen) == 0
        if taken:
            donor, least = end, weight
    if donor < 0:
        return False
    for place in range(opening - 1, goal.pairs[opening]):
        memory.tried[place] = memory.kept[donor * n + place]
    return True


@called
def draw_start(goal: Goal, memory: SearchMemory, thermal: float) -> None:
    """Draw a sequence by a palette, or change a part of the best one."""
    copy_items(memory.best.sequence, memory.tried)
    _draw_palette(memory)
    drawn = next_uniform(memory.stream)
    memory.counters[IS_FRESH] = drawn < memory.parameters[FRESH]
    if memory.counters[IS_FRESH]:
        for site in range(len(goal.position)):
            place_choice(goal, memory.tried, site, draw_choice(goal, memory, site, False))
        _sample(goal, memory, thermal)
        return
    mixed = drawn < memory.parameters[FRESH] + memory.parameters[MIXED]
    if not (mixed and _recombine(goal, memory)):
        _kick(goal, memory)
