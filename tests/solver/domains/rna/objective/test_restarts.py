"""Restarts: sequences drawn by palettes, parts taken from others, and what is learned of them."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from solver.compiling.jit import kernel
from solver.compiling.random import new_stream
from solver.domains.rna.ensemble.factors import load_ensembles
from solver.domains.rna.fold.check import pairs_of, structure_energy
from solver.domains.rna.folding import as_text
from solver.domains.rna.objective.memory import (
    BACKGROUND,
    BACKGROUNDS,
    HEAT,
    PAIRING,
    PAIRINGS,
    Goal,
    SearchMemory,
    Tuning,
    loops_of,
    new_goal,
    new_search_memory,
)
from solver.domains.rna.objective.restarts import draw_start, note_end
from solver.domains.rna.requests.contradictions import sites_of
from solver.domains.rna.text import PAIRS, new_target
from tests.helpers import needs_jit

SMALL = "((...))"
ARMS = "((...))..((...)).."


@kernel
def _draw_start(goal: Goal, memory: SearchMemory, thermal: float) -> None:
    draw_start(goal, memory, thermal)


@kernel
def _note_end(memory: SearchMemory) -> None:
    note_end(memory)


def search_of(structure: str, tuning: Tuning) -> tuple[Any, Any, float]:
    ensembles = load_ensembles("vienna2")
    assert ensembles is not None
    sites = sites_of(new_target(structure, "", "p"))
    goal = new_goal(structure, sites, ensembles, tuning, by_defect=False)
    memory = new_search_memory(len(structure), goal, ensembles, new_stream(5), tuning)
    memory.best.weights[:] = np.arange(len(sites)) + 1.0
    return goal, memory, ensembles.thermal


def text(sequence: Any) -> str:
    return bytes(sequence).rstrip(b"\0").decode()


def test_loops_of_positions() -> None:
    """An unpaired base belongs to the loop around it, a paired one to that outside of its pair."""
    assert loops_of(pairs_of(".((...).)")).tolist() == [0, 0, 0, 2, 3, 3, 3, 2, 2, 0]


@needs_jit
@pytest.mark.parametrize(("background", "pairing", "heat"), [(0, 0, 0.0), (2, 1, 0.0), (1, 2, 1.0)])
def test_distribution_of_drawn_sequences(background: int, pairing: int, heat: float) -> None:
    """Sequences are drawn by the odds of the palette times the target's Boltzmann factor."""
    tuning = Tuning(
        fresh=1.0, backgrounds=(BACKGROUNDS[background],) * 3, pairings=(PAIRINGS[pairing],) * 3,
        heats=(heat,) * 3,
    )  # fmt: skip
    goal, memory, thermal = search_of(SMALL, tuning)
    energies, weights = [], []
    for one, two in itertools.product(PAIRS, repeat=2):
        for loop in itertools.product("ACGU", repeat=3):
            sequence = f"{one[0]}{two[0]}{''.join(loop)}{two[1]}{one[1]}"
            energy = structure_energy(goal.energies, sequence, SMALL)
            odds = PAIRINGS[pairing][one] * PAIRINGS[pairing][two]
            odds *= float(np.prod([BACKGROUNDS[background][base] for base in loop]))
            energies.append(energy)
            weights.append(odds * np.exp(-heat * energy / thermal))
    mean = np.average(energies, weights=weights)
    spread = np.sqrt(np.average((np.array(energies) - mean) ** 2, weights=weights))
    drawn = []
    for _ in range(2000):
        _draw_start(goal, memory, thermal)
        drawn.append(structure_energy(goal.energies, text(memory.tried), SMALL))
    assert abs(np.mean(drawn) - mean) < 5 * spread / np.sqrt(len(drawn))


@needs_jit
def test_parts_of_other_restarts() -> None:
    """The part that a pair encloses comes from another end, all else from the best."""
    goal, memory, thermal = search_of(ARMS, Tuning(fresh=0.0, mixed=1.0))
    best, other = "GGAAACCAAGGAAACCAA", "CCUUUGGUUCCUUUGGUU"
    memory.best.sequence[:] = as_text(best)
    memory.nearest.sequence[:] = as_text(other)
    _note_end(memory)
    memory.counters[2] = 1
    found = set()
    for _ in range(100):
        _draw_start(goal, memory, thermal)
        found.add(text(memory.tried))
    parts = [(0, 7), (1, 6), (9, 16), (10, 15)]
    mixed = {best[:first] + other[first:last] + best[last:] for first, last in parts}
    assert mixed <= found


@needs_jit
def test_palettes_that_pay_are_drawn_more_often() -> None:
    """Palettes whose restarts ended best are drawn more often than those that ended worst."""
    goal, memory, thermal = search_of(ARMS, Tuning(fresh=1.0))
    random, good = np.random.default_rng(1), {BACKGROUND: 2, PAIRING: 1, HEAT: 0}
    for number in range(60):
        _draw_start(goal, memory, thermal)
        hits = sum(memory.palette[kind] == palette for kind, palette in good.items())
        memory.nearest.numbers[0] = hits + 0.01 * random.random()
        _note_end(memory)
        memory.counters[2] = number + 1
    drawn = np.zeros((3, 3))
    for _ in range(600):
        _draw_start(goal, memory, thermal)
        for kind in good:
            drawn[kind, memory.palette[kind]] += 1
    for kind, palette in good.items():
        assert drawn[kind].argmax() == palette
        assert drawn[kind, palette] > 1.3 * np.delete(drawn[kind], palette).max()
