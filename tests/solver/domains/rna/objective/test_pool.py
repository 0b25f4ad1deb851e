"""Structures drawn from an ensemble bound probabilities of other sequences, and never wrongly."""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.compiling.jit import kernel
from solver.compiling.random import new_stream
from solver.domains.rna.ensemble.factors import Ensembles, load_ensembles
from solver.domains.rna.ensemble.inside import fill
from solver.domains.rna.ensemble.workspace import new_ensemble_workspace
from solver.domains.rna.fold.check import codes_of, pairs_of, structure_energy
from solver.domains.rna.folding import as_text
from solver.domains.rna.objective.pool import (
    Pool,
    clear_pool,
    draw_structures,
    exceeds,
    follow,
    new_pool,
)
from tests.helpers import needs_jit

STAR = "((((..((((....))))..((((....))))..((((....))))..))))"


@kernel
def _draw(
    pool: Pool, target: Any, workspace: Any, energies: Any, code: Any, stream: Any, count: int
) -> None:
    clear_pool(pool, target)
    draw_structures(pool, workspace, energies, code, stream, count)


@kernel
def _exceeds(
    pool: Pool, energies: Any, code: Any, target: float, thermal: float, limit: float
) -> bool:
    return bool(exceeds(pool, energies, code, target, thermal, limit))


@kernel
def _follow(pool: Pool, energies: Any, code: Any) -> None:
    follow(pool, energies, code)


def dot_bracket(pairs: list[int]) -> str:
    return "".join("." if q == 0 else "(" if q > p else ")" for p, q in enumerate(pairs) if p > 0)


def filled_pool(sequence: str, ensembles: Ensembles, size: int) -> Pool:
    n = len(sequence)
    workspace = new_ensemble_workspace(n, ensembles)
    fill(workspace, ensembles.energies, ensembles.factors, as_text(sequence))
    pool = new_pool(pairs_of(STAR), size)
    code, stream = codes_of(sequence), new_stream(4)
    _draw(pool, pairs_of(STAR), workspace, ensembles.energies, code, stream, 3 * size)
    return pool


def rows(pool: Pool) -> list[str]:
    """Structures of a pool, in its order."""
    table = pool.pairs.reshape(len(pool.total), -1)
    return [dot_bracket(table[row].tolist()) for row in pool.order[: pool.counts[0]]]


@needs_jit
def test_what_a_pool_says_of_neighbours() -> None:
    """Its sum is that of the energies, evaluated anew, and at most the partition function."""
    ensembles = load_ensembles("vienna2")
    assert ensembles is not None
    energies, thermal, random = ensembles.energies, ensembles.thermal, np.random.default_rng(3)
    sequence = STAR.replace(".", "A").replace("(", "G").replace(")", "U")
    pool = filled_pool(sequence, ensembles, 40)
    structures = rows(pool)
    assert len(set(structures)) == len(structures) == 40
    assert STAR not in structures
    workspace = new_ensemble_workspace(len(STAR), ensembles)
    for step in range(60):
        letters = list(sequence)
        sites = sorted(random.choice(len(STAR), 1 + step % 4, replace=False).tolist())
        for site in sites:
            letters[site] = str(random.choice([x for x in "ACGU" if x != letters[site]]))
        tried = "".join(letters)
        pool.changed[: len(sites) + 1] = [len(sites), *(site + 1 for site in sites)]
        code = codes_of(tried)
        target = float(min(structure_energy(energies, tried, STAR), 10**4))
        known = [structure_energy(energies, tried, one) for one in rows(pool)]
        total = 1.0 + sum(np.exp((target - energy) / thermal) for energy in known)
        for limit, above in ((total * 0.999, True), (total * 1.001, False)):
            assert _exceeds(pool, energies, code, target, thermal, limit) == above
        logarithm = fill(workspace, energies, ensembles.factors, as_text(tried))
        assert np.log(total) <= target / thermal + logarithm + 1e-9
        if step % 2:
            _follow(pool, energies, code)
            sequence = tried
            assert pool.total[pool.order].tolist() == sorted(pool.total.tolist())
            assert sorted(known) == sorted(pool.total.tolist())
