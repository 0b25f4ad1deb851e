"""Searches in one file that show how: their values against the formulas of papers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from solver import Budget, Mcps, analyse, load_game
from solver.algorithms import algorithm_named
from solver.kernels.tree.node import Node, move_value

FILE = Path(__file__).parents[2] / "docs/examples/mcps_star.py"


def test_weights_of_the_derivation() -> None:
    """α*, β* and γ* are the shares of n, n~ and n^ in their sum; moves without any come first."""
    algorithm: Any = algorithm_named(str(FILE))()
    n, amaf, permuted = np.array([4, 0], np.int32), np.array([[9.0, 6.0]]), np.zeros((2, 2))
    permuted[:, 0] = 7.0, 2.0
    sums = np.vstack([amaf, np.zeros((1, 2))])
    code, prior = np.array([0, 1], np.int32), np.zeros(0)
    node = Node(4, 1, 4, 0.0, 1.0, 2, n, np.array([3.0, 0.0]), code, sums, permuted, prior)
    alpha, beta, gamma = 4 / 20, 9 / 20, 7 / 20
    expected = alpha * 3 / 4 + beta * 6 / 9 + gamma * 2 / 7
    value = move_value(algorithm.rule(), node, 0)
    assert abs(value - expected) < 1e-12
    assert move_value(algorithm.rule(), node, 1) == np.inf


def test_it_searches() -> None:
    """As many playouts as `mcps` has are given to other moves."""
    game = load_game("hex")
    options = game.options(size=4)
    instance = game.instance(game.start(options), options)
    star: Any = algorithm_named(str(FILE))
    found = analyse(game, instance, star(), Budget(playouts=500), seed=1)
    plain = analyse(game, instance, Mcps(), Budget(playouts=500), seed=1)
    assert found.playouts == plain.playouts == 500
    assert found.candidates != plain.candidates
