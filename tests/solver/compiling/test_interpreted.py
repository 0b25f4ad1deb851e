"""Kernels run as plain Python under NUMBA_DISABLE_JIT=1, with the same results."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from solver.algorithms import Gnrpa, Nmcs, Sampling
from solver.domains import load_domain
from solver.domains.latin_square.domain import LatinSquareDomain
from solver.domains.latin_square.kernels import LatinSquareOptions
from solver.priors.priors import NoPrior
from tests.helpers import advance, begun, needs_jit, random_prior, toy, weights_of_codes
from tests.instances import problems
from tests.toys.sequence import SequenceDomain

PLAYOUTS = 30
ROOT = Path(__file__).parents[3]


def results() -> list[Any]:
    """Score, moves, stream and weights of some small searches."""
    square = LatinSquareDomain()
    domain = SequenceDomain()
    prior = random_prior(domain.priors["pair"], seed=1)
    stuck = square.instance(problems("latin-square")["order-05-stuck"], LatinSquareOptions())
    tours, kakuro, samegame = (load_domain(name) for name in ("tsptw", "kakuro", "samegame"))
    customers = tours.instance(problems("tsptw")["seven-customers"], tours.options())
    runs = kakuro.instance(problems("kakuro")["black-6-7"], kakuro.options())
    board = samegame.instance(problems("samegame")["random-06-3"], samegame.options())
    found: list[Any] = []
    for rules, instance, table, algorithm in [
        (square, stuck, NoPrior(), Sampling()),
        (square, stuck, NoPrior(), Gnrpa(2, 4, dead_ends=2)),
        (domain, toy("..3...0.1"), prior, Sampling(dead_ends=1)),
        (domain, toy("..3...0.1"), prior, Gnrpa(2, 4, 0.9, 1.3)),
        (domain, toy("..3...0.1", hashed=True), NoPrior(), Gnrpa(3, 3)),
        (tours, customers, tours.handmade["distance"], Gnrpa(2, 4, local_search=True)),
        (kakuro, runs, random_prior(kakuro.priors["chance"], seed=2), Gnrpa(2, 4, dead_ends=1)),
        (samegame, board, random_prior(samegame.priors["group"], seed=3), Gnrpa(2, 4)),
        (domain, toy("..3...0.1"), prior, Nmcs(2)),
    ]:
        run = begun(algorithm, rules, instance, table, seed=6)
        advance(run, PLAYOUTS)
        score, moves = run.best()
        found.append([score, moves.tolist(), run.stream.tolist()])
        if isinstance(algorithm, Gnrpa):
            weights = weights_of_codes(run.policy, 1)
            found.append(sorted([code, weight] for code, weight in weights.items()))
    return found


SCRIPT = """
import json
import numba
import numpy as np
from tests.solver.compiling.test_interpreted import results
assert numba.config.DISABLE_JIT
with np.errstate(over="ignore"):  # the streams wrap around
    print(json.dumps(results()))
"""


@needs_jit
def test_interpreted_searches_equal_compiled_ones() -> None:
    """Scores, moves and random numbers are the same bits, weights the same to rounding."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)},
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    interpreted, compiled = json.loads(done.stdout), results()
    assert len(interpreted) == len(compiled) == 15
    for one, two in zip(interpreted, compiled, strict=True):
        if isinstance(two[0], float):
            assert one == two
        else:
            assert [code for code, _ in one] == [code for code, _ in two]
            weights = [weight for _, weight in two]
            assert [weight for _, weight in one] == pytest.approx(weights, rel=1e-12)
