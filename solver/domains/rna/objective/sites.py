"""Draws of sites and of their bases."""

from __future__ import annotations

from typing import Any

from solver.compiling.jit import inlined
from solver.compiling.random import next_uniform
from solver.domains.rna.objective.memory import (
    BACKGROUND,
    MOST_CHOICES,
    PAIRING,
    USUAL,
    Goal,
    SearchMemory,
)

#: Draws of a choice that differs from the present one, at most.
DRAWS = 200


@inlined
def site_at(goal: Goal, position: int) -> int:
    """Site of a position, -1 where it has no choice."""
    for site in range(len(goal.position)):
        if goal.position[site] == position or goal.partner[site] == position:
            return site
    return -1


@inlined
def drawn_site(memory: SearchMemory, weights: Any) -> int:
    """Draw a site by the ascending sums of weights."""
    last = len(weights) - 1
    drawn = next_uniform(memory.stream) * weights[last]
    low, high = 0, last
    while low < high:
        middle = (low + high) // 2
        if weights[middle] <= drawn:
            low = middle + 1
        else:
            high = middle
    return low


@inlined
def first_odds(goal: Goal, memory: SearchMemory, site: int, usual: bool) -> int:
    """Place of the odds of a site's choices, by the palette of the restart or as usual."""
    palette = memory.palette[BACKGROUND if goal.partner[site] < 0 else PAIRING]
    row = USUAL if usual else palette
    return (row * len(goal.position) + site) * MOST_CHOICES


@inlined
def draw_choice(goal: Goal, memory: SearchMemory, site: int, usual: bool) -> int:
    """Draw a choice of a site."""
    place, choice = first_odds(goal, memory, site, usual), 0
    left = next_uniform(memory.stream) - goal.odds[place]
    while left >= 0.0 and choice < goal.n_choices[site] - 1:
        choice += 1
        left -= goal.odds[place + choice]
    return choice


@inlined
def place_choice(goal: Goal, sequence: Any, site: int, choice: int) -> bool:
    """Write a choice; returns whether that changes the sequence."""
    place = 2 * (site * MOST_CHOICES + choice)
    first, second = goal.choices[place], goal.choices[place + 1]
    position, partner = goal.position[site], goal.partner[site]
    differs = sequence[position] != first
    sequence[position] = first
    if partner >= 0:
        differs = differs or sequence[partner] != second
        sequence[partner] = second
    return bool(differs)


@inlined
def change_site(goal: Goal, memory: SearchMemory, site: int) -> None:
    """Write another choice of a site into the tried sequence."""
    for _ in range(DRAWS):
        choice = draw_choice(goal, memory, site, True)
        if place_choice(goal, memory.tried, site, choice):
            break
