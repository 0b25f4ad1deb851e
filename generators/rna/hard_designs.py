"""Designs of hard targets, found by search: what survives one teaches more than nature does."""

from __future__ import annotations

import numpy as np

from generators.rna.hard_folds import KINDS, hard_target
from solver.algorithms import Cegls
from solver.domain import Problem
from solver.domains.rna.designs import RnaDesign
from solver.domains.rna.domain import RnaDomain
from solver.domains.rna.text import RnaTarget
from solver.driver import Budget
from solver.priors import named_prior
from solver.solution import solve

#: Folds of the search for a design; where they are not enough, another target is drawn.
EFFORT = 3000
#: Lengths of the targets, drawn evenly by their logarithm.
LENGTHS = (50, 160)
#: Prior of the search: the table that ships. A better one in its place teaches the next round.
GUIDE = "ngram"


def hard_design(engine: str, seed: int, number: int) -> tuple[Problem, RnaDesign]:
    """Design `number` of `seed` that folds by `engine` into a hard target, and that target."""
    domain = RnaDomain()
    prior = named_prior(GUIDE, domain).table
    kind = list(KINDS)[number % len(KINDS)]
    chance = np.random.default_rng([seed, number])
    while True:
        length = int(np.exp(chance.uniform(*np.log(LENGTHS))))
        target = hard_target(kind, length, int(chance.integers(2**32)))
        problem = Problem(f"{kind}-{seed}-{number}", RnaTarget(target, "N" * len(target)))
        found = solve(
            domain, problem, domain.options(engine=engine), Cegls(), Budget(playouts=EFFORT),
            prior=prior, seed=int(chance.integers(2**32)),
        )  # fmt: skip
        if found.solved:
            return problem, found.answer
