"""Values of the openings of small Hex, proved and by alpha-beta."""

from __future__ import annotations

import sys

import pytest

from benchmarks.hex_openings import AlphaBeta, main


def won_by(size: int) -> set[int]:
    """Openings that win."""
    plain = AlphaBeta(size)
    return {cell for cell in range(size * size) if not plain.wins((1 << cell, 0), 1)}


def test_alpha_beta_knows_small_boards() -> None:
    """On 2 x 2 the short diagonal wins; a board of 3 x 3 turned around has the same values."""
    assert won_by(2) == {1, 2}
    assert won_by(3) == {8 - cell for cell in won_by(3)}
    assert 4 in won_by(3)


@pytest.mark.parametrize("size", [3, 4])
def test_every_opening_is_proved(
    size: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The search proves each, and alpha-beta says the same."""
    monkeypatch.setattr(sys, "argv", ["hex_openings", "--size", str(size)])
    assert main() == 0
    assert capsys.readouterr().out.count("\n") == 2 + size * size
