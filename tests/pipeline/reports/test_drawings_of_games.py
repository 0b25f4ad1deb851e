"""Positions of games drawn: all that their texts say is there, and what the last move changed."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest

from pipeline.reports.figures.style import COLOURS
from solver.contract.domain import Problem
from solver.contract.references import resolve
from solver.contract.rules import play, reset
from solver.games import GAMES, load_game
from solver.games.moves import moves_by_text

SVG = "{http://www.w3.org/2000/svg}"


def positions(name: str, moves: int, **options: Any) -> list[Problem]:
    """Positions of a random game, the start first."""
    game = load_game(name)
    chosen = game.options(**options)
    instance = game.instance(game.start(chosen), chosen)
    state, draws, found = game.new_state(instance), np.random.default_rng(3), []
    reset(instance, state)
    for _ in range(moves):
        found.append(Problem("test", game.position(instance, state)))
        possible = list(moves_by_text(game, instance, state).values())
        play(instance, state, possible[draws.integers(len(possible))])
    return [*found, Problem("test", game.position(instance, state))]


def drawn(name: str, now: Problem, before: Problem | None = None) -> ET.Element:
    """The drawing of a position, parsed."""
    game = load_game(name)
    return ET.fromstring(resolve(game.drawing).draw(game, now, before))


def words_of(svg: ET.Element) -> list[str]:
    return [text.text or "" for text in svg.iter(f"{SVG}text")]


def framed(svg: ET.Element) -> int:
    """Count the frames about the last change."""
    return outlines(svg, "stroke: var(--series-5)")


def outlines(svg: ET.Element, look: str) -> int:
    """Count the shapes whose style has `look`."""
    paths = [one for one in svg.iter(f"{SVG}path") if look in one.get("style", "")]
    return sum(one.get("d", "").count("M") for one in paths)


@pytest.mark.parametrize("name", GAMES)
def test_drawings_stand_in_the_page(name: str) -> None:
    """They have the colours of the page for dark and light, a description, and no other colour."""
    before, now = positions(name, 7)[-2:]
    svg = drawn(name, now, before)
    text = ET.tostring(svg, encoding="unicode")
    assert {*re.findall(r"var\(--([^)]*)\)", text)} <= {*COLOURS}
    assert not re.search(r"#[0-9a-f]{3}|nan|inf", text)
    game = load_game(name)
    assert svg.get("aria-label") == f"{name}: {game.format_problem(now).splitlines()[-1]}"
    assert framed(svg) > 0
    assert framed(drawn(name, now)) == 0


@pytest.mark.parametrize("name", ["hex", "gomoku", "atarigo", "nogo"])
def test_stones_have_letters(name: str) -> None:
    """Players differ by letters, too, and the last stone has a frame."""
    before, now = positions(name, 7)[-2:]
    svg = drawn(name, now, before)
    board = load_game(name).format_problem(now).rpartition("\n")[0].rpartition("\n")[0]
    assert words_of(svg).count("x") == board.count("x")
    assert words_of(svg).count("o") == board.count("o")
    assert framed(svg) == 1
    assert {"a", "1"} <= {*words_of(svg)}


def test_a_third_player_has_a_letter() -> None:
    """Z stands on his stones."""
    assert words_of(drawn("nogo", positions("nogo", 3, players=3)[-1])).count("z") == 1


@pytest.mark.parametrize(("name", "figures"), [("breakthrough", "♟♙"), ("knightthrough", "♞♘")])
def test_pieces_are_full_and_hollow(name: str, figures: str) -> None:
    """Full and hollow pieces are as many as on the board, and the last move is framed."""
    before, now = positions(name, 7)[-2:]
    svg = drawn(name, now, before)
    found = "".join(words_of(svg))
    assert [found.count(figure) for figure in figures] == [
        int((now.data.cells == player).sum()) for player in (1, 2)
    ]
    assert framed(svg) == 2


@pytest.mark.parametrize("name", ["wargame", "investment", "video-game"])
def test_units_have_names_and_bars(name: str) -> None:
    """A bar for each point of health or wealth, beside the unit's name."""
    before, now = positions(name, 7)[-2:]
    svg = drawn(name, now, before)
    data = now.data
    points = data.health if name == "video-game" else data.points
    assert outlines(svg, "fill: var(--series") == points.sum()
    assert {"A1", "B1"} <= {*words_of(svg)}
