"""The alpha-beta for Gomoku that tree search plays against."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.gomoku_alpha_beta import (
    FIVE,
    FOUR_BITS,
    FOURS,
    SUMS,
    VALUE,
    WORTH,
    AlphaBeta,
    change,
    new_position,
)

SIZE = 9


def cells(*places: tuple[int, int]) -> list[int]:
    return [row * SIZE + column for row, column in places]


def test_counts_are_those_of_the_board() -> None:
    """Sums kept while stones come and go are those counted from the board."""
    at, random = new_position(SIZE), np.random.default_rng(1)
    stones = random.permutation(SIZE * SIZE)[:40]
    for number, cell in enumerate(stones):
        change(at, cell, number % 2, 1)
    for number in (39, 38, 37, 36, 35):
        change(at, stones[number], number % 2, -1)
    owners = at.owner[at.windows]
    for player in range(2):
        n = (owners == player).sum(axis=1)
        alone = (owners == 1 - player).sum(axis=1) == 0
        assert (at.counts[player] == n).all()
        assert at.numbers[SUMS + player] == VALUE[n[alone]].sum()
        assert at.numbers[FOURS + player] == (n[alone] == FIVE - 1).sum()
        for cell in range(SIZE * SIZE):
            through = (at.windows == cell).any(axis=1) & alone
            assert at.worth[player, cell] == WORTH[n[through]].sum()
    assert int(WORTH[2]) * 4 * FIVE < WORTH[3]
    assert int(WORTH[3]) * 4 * FIVE < 1 << FOUR_BITS


@pytest.mark.parametrize(
    ("moves", "right"),
    [
        # Five, in place of the block of a four.
        (((4, 2), (0, 0), (4, 3), (0, 1), (4, 4), (0, 2), (4, 5), (0, 3)), ((4, 1), (4, 6))),
        # The block of a four that a stone bounds.
        (((4, 1), (4, 0), (4, 2), (8, 8), (4, 3), (7, 0), (4, 4)), ((4, 5),)),
        # An open four.
        (((4, 3), (0, 0), (4, 4), (0, 8), (4, 5), (8, 0)), ((4, 2), (4, 6))),
        # An answer to an open three: next to it, or one beyond.
        (((4, 3), (0, 0), (4, 4), (0, 8), (4, 5)), ((4, 2), (4, 6), (4, 1), (4, 7))),
    ],
)
def test_threats_are_answered(
    moves: tuple[tuple[int, int], ...], right: tuple[tuple[int, int], ...]
) -> None:
    """Fives, fours and open threes are made and stopped."""
    assert AlphaBeta(SIZE).choose(cells(*moves), 0.05) in cells(*right)
