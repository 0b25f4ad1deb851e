"""A page of games to click through, self-contained: buttons, arrow keys, a drawing a move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.reports.figures.style import style_sheet
from pipeline.reports.report import TEMPLATES, render
from solver.system.files import replacing


@dataclass(frozen=True)
class Frame:
    """A position of a game."""

    caption: str
    """The move that led to the position, and its player."""
    svg: str | None
    """None where the game has no drawing."""
    text: str


@dataclass(frozen=True)
class Replay:
    """A game, from the start to its end."""

    title: str
    note: str
    frames: list[Frame]


def write_replays(
    path: Path, title: str, results: Sequence[Any], replays: Sequence[Replay]
) -> None:
    """Write a page of results and games.

    `results` have a title, options, a warning and grids, tables of a header and rows.
    """
    css = style_sheet() + (TEMPLATES / "report.css").read_text(encoding="utf-8")
    context = {"title": title, "style": css, "results": results, "replays": replays}
    with replacing(path) as partial:
        partial.write_text(render("replays.html.j2", context), encoding="utf-8", newline="\n")
