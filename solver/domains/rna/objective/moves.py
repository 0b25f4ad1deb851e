"""Changes of a design: a neighbour, and a sequence to begin again with.

A change is drawn at a site by how probable its bases are not as in the target, as in the
defect-weighted mutation of [1]_. Some change a second site near it, too: two pairs of a helix,
a pair and a base next to it, or both bases of a mismatch may be better only together.

References
----------
.. [1] J. Zadeh, B. Wolfe, N. Pierce, Nucleic Acid Sequence Design via Efficient Ensemble Defect
   Optimization, 2011.
"""

from __future__ import annotations

from typing import Any

from solver.compiling.copies import copy_items
from solver.compiling.jit import called, inlined
from solver.compiling.random import next_below, next_uniform
from solver.domains.rna.objective.memory import (
    BESIDE,
    EXCESS,
    FRESH,
    KICK,
    MOST_CHOICES,
    Goal,
    SearchMemory,
)
from solver.domains.rna.requests.kernels import excess, position_to_change

#: Draws in vain after which a change, or a step, is given up.
DRAWS = 200
#: Further changes of a step that may mend a request.
MENDS = 3
#: Share of changes at a position that may fulfil a request, while one is not met.
MENDING = 0.7
#: Most positions between a base and one that counts as beside it, on either side.
REACH = 2


@inlined
def _site_at(goal: Goal, position: int) -> int:
    """Site of a position, -1 where it has no choice or is outside the sequence."""
    for site in range(len(goal.position) if position >= 0 else 0):
        if goal.position[site] == position or goal.partner[site] == position:
            return site
    return -1


@inlined
def _draw_choice(goal: Goal, memory: SearchMemory, site: int) -> int:
    drawn = next_uniform(memory.stream)
    choice = 0
    while choice < goal.n_choices[site] - 1 and goal.odds[site * MOST_CHOICES + choice] <= drawn:
        choice += 1
    return choice


@inlined
def _place_choice(goal: Goal, sequence: Any, site: int, choice: int) -> bool:
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
def _change(goal: Goal, memory: SearchMemory, site: int) -> None:
    """Write another choice of a site into the tried sequence."""
    for _ in range(DRAWS):
        if _place_choice(goal, memory.tried, site, _draw_choice(goal, memory, site)):
            break


@inlined
def _across(goal: Goal, site: int, position: int, side: int) -> int:
    """Position across the pair next to an unpaired `position`, on its `side`.

    The bases of a mismatch face each other so. It is -1 where there is no such pair, or one that
    cannot change.
    """
    beside = _site_at(goal, position + side)
    if goal.partner[site] >= 0 or beside < 0 or goal.partner[beside] < 0:
        return -1
    first = goal.position[beside]
    return int((goal.partner[beside] if first == position + side else first) + side)


@inlined
def _change_beside(goal: Goal, memory: SearchMemory, site: int) -> None:
    """Change a site near a base of `site` in the tried sequence.

    It is at most `REACH` positions away. For an unpaired base next to a pair, the base on the
    other side of that pair replaces the one farthest away. Where the position drawn has no choice
    nothing changes.
    """
    position = goal.position[site]
    if goal.partner[site] >= 0 and next_below(memory.stream, 2) == 0:
        position = goal.partner[site]
    side = 1 if next_below(memory.stream, 2) == 0 else -1
    away = 1 + next_below(memory.stream, REACH)
    across = _across(goal, site, position, side) if away == REACH else -1
    beside = _site_at(goal, across if across >= 0 else position + side * away)
    if beside >= 0 and beside != site:
        _change(goal, memory, beside)


@inlined
def _drawn_site(memory: SearchMemory, weights: Any) -> int:
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
def draw_neighbour(goal: Goal, memory: SearchMemory, requests: Any) -> bool:
    """Write a neighbour of the current sequence into the tried one.

    Returns
    -------
    bool
        False where all that were drawn meet fewer requests.
    """
    now = memory.counters[EXCESS]
    for _ in range(DRAWS):
        copy_items(memory.current.sequence, memory.tried)
        site = -1
        if now > 0 and next_uniform(memory.stream) < MENDING:
            position = position_to_change(requests, memory.tried, memory.stream)
            site = _site_at(goal, position)
        if site < 0:
            site = _drawn_site(memory, memory.current.weights)
        _change(goal, memory, site)
        if next_uniform(memory.stream) < memory.parameters[BESIDE]:
            _change_beside(goal, memory, site)
        lacks = excess(requests, memory.tried)
        mends = 0
        while lacks > now and mends < MENDS:
            site = _site_at(goal, position_to_change(requests, memory.tried, memory.stream))
            if site >= 0:
                _change(goal, memory, site)
                lacks = excess(requests, memory.tried)
            mends += 1
        if lacks <= now:
            return True
    return False


@called
def draw_start(goal: Goal, memory: SearchMemory) -> None:
    """Write a new sequence into the tried one, or the best with a window of it drawn anew."""
    n, sites = len(memory.tried) - 1, len(goal.position)
    copy_items(memory.best.sequence, memory.tried)
    if next_uniform(memory.stream) < memory.parameters[FRESH]:
        for site in range(sites):
            _place_choice(goal, memory.tried, site, _draw_choice(goal, memory, site))
        return
    centre = _drawn_site(memory, memory.best.weights)
    middle, half = goal.position[centre], 2 + next_below(memory.stream, max(n // 6, 1))
    for site in range(sites):
        near = abs(goal.position[site] - middle) <= half
        near = near or (goal.partner[site] >= 0 and abs(goal.partner[site] - middle) <= half)
        if near and next_uniform(memory.stream) < memory.parameters[KICK]:
            _place_choice(goal, memory.tried, site, _draw_choice(goal, memory, site))
