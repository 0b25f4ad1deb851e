"""Palettes: their weights, and which of them is drawn."""

from __future__ import annotations

import numpy as np
import pytest

from solver.compiling.jit import kernel
from solver.compiling.random import new_stream
from solver.kernels.guided.palettes import LESS_OFTEN, PLAIN, Palette, Palettes, apply_palette

SHARES = [(0.5, 0.01, 0.0, 0.0), (0.0, 0.0, 0.9, 0.1)]


@kernel
def _applied(palette: Palette, drawn: float, moves: np.ndarray, weights: np.ndarray) -> None:
    apply_palette(palette, drawn, moves, len(moves), weights)


@pytest.mark.parametrize(
    ("number", "drawn", "expected"),
    [
        (PLAIN, 0.0, [2.0, 3.0, 4.0]),
        (1, 0.0, [2.0, 0.01 * LESS_OFTEN, 0.5]),
        (1, 0.9, [2.0, 3.0 * LESS_OFTEN, 4.0]),
        (2, 0.0, [0.1, 3.0, 4.0]),
        (2, 0.9, [2.0, 3.0, 4.0]),
    ],
)
def test_weights(number: int, drawn: float, expected: list[float]) -> None:
    """Shares replace weights by the first prior; rare moves are rare by every prior."""
    palettes = Palettes(0.8, 4, SHARES)
    palettes.use(number)
    weights = np.array([2.0, 3.0, 4.0])
    _applied(palettes.palette, drawn, np.array([3, 1, 0]), weights)
    np.testing.assert_allclose(weights, expected)


def test_a_palette_that_has_led_nearer_is_drawn_more_often() -> None:
    """The worst of three is drawn only against itself; one that was not tried wins."""
    palettes = Palettes(0.8, 4, SHARES)
    for number, distance in ((0, 9.0), (1, 1.0), (2, 4.0), (2, 2.0)):
        palettes.use(number)
        palettes.note(distance)
    drawn = [palettes.draw(new_stream(seed)) for seed in range(900)]
    shares = np.bincount(drawn, minlength=3) / len(drawn)
    np.testing.assert_allclose(shares, [1 / 9, 5 / 9, 3 / 9], atol=0.05)
    palettes.begin()
    assert palettes.number == PLAIN
    assert palettes.tried.sum() == 0
    palettes.note(5.0)
    shares = np.bincount([palettes.draw(new_stream(seed)) for seed in range(900)]) / 900
    assert shares[0] == pytest.approx(1 / 9, abs=0.05)
