"""Values of the openings of small Hex, proved and by a search with must-play regions."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.hex_must_play import MustPlay
from benchmarks.hex_openings import main
from tests.helpers import needs_jit


class AlphaBeta:
    """Winner of small boards by nothing but wins in one and a cut at the first win."""

    def __init__(self, size: int) -> None:
        self.size, self.known = size, dict[tuple[int, int, int], bool]()
        column = sum(1 << row * size for row in range(size))
        self.all, self.left, self.right = (1 << size * size) - 1, column, column << size - 1
        row = (1 << size) - 1
        self.sides = ((row, row << size * (size - 1)), (self.left, self.right))
        middle = (size - 1) / 2
        self.order = sorted(
            range(size * size),
            key=lambda cell: sum(abs(place - middle) for place in divmod(cell, size)),
        )

    def beside(self, cells: int) -> int:
        """Neighbours of a set of cells."""
        size, not_left, not_right = self.size, cells & ~self.left, cells & ~self.right
        found = not_left >> 1 | not_right << 1 | cells >> size | cells << size
        return (found | not_left << size - 1 | not_right >> size - 1) & self.all

    def reached(self, stones: int, side: int) -> int:
        """Stones that are connected to a side."""
        reached, more = 0, stones & side
        while more:
            reached |= more
            more = self.beside(reached) & stones & ~reached
        return reached

    def connects(self, stones: int, player: int) -> bool:
        """True if the stones connect upper and lower side (0), or left and right (1)."""
        first, last = self.sides[player]
        return self.reached(stones, first) & last != 0

    def connecting(self, stones: int, free: int, player: int) -> int:
        """Free cells that connect both sides if taken."""
        for side in self.sides[player]:
            free &= side | self.beside(self.reached(stones, side))
        return free

    def wins(self, stones: tuple[int, int], mover: int) -> bool:
        """True if who moves wins; nobody has connected yet."""
        key = (*stones, mover)
        if key not in self.known:
            self.known[key] = self._wins(stones, mover)
        return self.known[key]

    def _wins(self, stones: tuple[int, int], mover: int) -> bool:
        mine, others = stones[mover], stones[1 - mover]
        free = self.all & ~(mine | others)
        if self.connecting(mine, free, mover):
            return True
        threats = self.connecting(others, free, 1 - mover)
        if threats & (threats - 1):  # several
            return False
        for cell in self.order:
            if not (threats or free) >> cell & 1:
                continue
            after = mine | 1 << cell
            both = (after, others) if mover == 0 else (others, after)
            if not self.wins(both, 1 - mover):
                return True
        return False


def won_by(size: int) -> set[int]:
    """Openings that win."""
    plain = MustPlay(size)
    return {cell for cell in range(size * size) if not plain.wins((1 << cell, 0), 1)}


def random_position(
    plain: AlphaBeta, free: int, random: np.random.Generator
) -> tuple[tuple[int, int], int] | None:
    """Stones set in turns, and who moves; None if somebody has connected."""
    cells = random.permutation(plain.size**2)[free:]
    stones = [sum(1 << int(cell) for cell in cells[player::2]) for player in (0, 1)]
    if any(plain.connects(stones[player], player) for player in (0, 1)):
        return None
    return (stones[0], stones[1]), len(cells) % 2


def test_must_play_knows_small_boards() -> None:
    """On 2 x 2 the short diagonal wins; a board of 3 x 3 turned around has the same values."""
    assert won_by(2) == {1, 2}
    assert won_by(3) == {8 - cell for cell in won_by(3)}
    assert 4 in won_by(3)


@needs_jit
@pytest.mark.parametrize("size", [3, 4])
def test_must_play_and_alpha_beta_agree_on_openings(size: int) -> None:
    """Regions and carriers change nothing."""
    plain = AlphaBeta(size)
    expected = {cell for cell in range(size * size) if not plain.wins((1 << cell, 0), 1)}
    assert won_by(size) == expected


@needs_jit
@pytest.mark.parametrize("free", [4, 7, 9])
def test_must_play_and_alpha_beta_agree_on_positions(free: int) -> None:
    """Positions of 5 x 5 with few free cells; states are kept from one to the next."""
    plain, quick, random = AlphaBeta(5), MustPlay(5), np.random.default_rng(free)
    values = list[bool]()
    while len(values) < 40:
        position = random_position(plain, free, random)
        if position is not None:
            values.append(plain.wins(*position))
            assert quick.wins(*position) == values[-1], position
    assert 0 < sum(values) < len(values)


def test_larger_boards_are_refused() -> None:
    """Two sets of stones of 6 x 6 do not fit into a key."""
    with pytest.raises(ValueError, match=r"^size 6, expected at most 5$"):
        MustPlay(6)


@pytest.mark.parametrize("size", [3, 4])
def test_every_opening_is_proved(
    size: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    """The search proves each, and must-play says the same; a second command reads its rows."""
    words = ["hex_openings", "--size", str(size), "--out", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", words)
    assert main() == 0
    first = capsys.readouterr().out
    assert first.count("\n") == 2 + size * size
    assert main() == 0
    assert capsys.readouterr().out == first
