"""Sheets of puzzles: a page in HTML to print, solutions behind, and an SVG of each."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from generators.puzzles.making import Made
from pipeline.reports.drawings import drawer, title
from pipeline.reports.figures.style import resolve
from solver.errors import InputError
from solver.system.files import file_stem, replacing

#: Sheets on A4: two puzzles in a row, four solutions.
STYLE = """\
@page { size: A4; margin: 14mm; }
body { font: 11pt system-ui, sans-serif; color: #1f2328; background: #fff; max-width: 190mm;
  margin: 0 auto; }
h1 { font-size: 16pt; margin: 0 0 6mm; }
section { display: grid; gap: 8mm; grid-template-columns: repeat(2, 1fr); }
section.solutions { grid-template-columns: repeat(4, 1fr); font-size: 8pt; gap: 5mm; }
section + h1 { break-before: page; }
figure { margin: 0; break-inside: avoid; }
figure svg { width: 100%; height: auto; }
figcaption { margin-bottom: 2mm; }"""


def caption(made: Made) -> str:
    """Name of a puzzle, its grade, and how much is given."""
    given = "" if made.givens is None else f", {made.givens} givens"
    return f"{made.problem.name} ({made.grade}{given})"


def drawn(domain: str, made: Made, *, solved: bool) -> str:
    """Draw a puzzle, or its solution, as an SVG that stands alone.

    Raises
    ------
    InputError
        If the domain has no drawing.
    """
    draw = drawer(domain)
    if draw is None:
        raise InputError(f"{domain} has no drawing")
    return resolve(draw(made.problem, made.answer if solved else None))


def sheet(domain: str, puzzles: Sequence[Made]) -> str:
    """Return the page: puzzles with their captions, then the solutions."""
    parts = []
    for heading, kind, solved in (("", "puzzles", False), (": solutions", "solutions", True)):
        parts.append(f'<h1>{escape(title(domain) + heading)}</h1>\n<section class="{kind}">')
        for made in puzzles:
            svg = drawn(domain, made, solved=solved).partition("?>\n")[2]
            name = made.problem.name if solved else caption(made)
            parts.append(f"<figure><figcaption>{escape(name)}</figcaption>\n{svg}</figure>")
        parts.append("</section>")
    head = (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{escape(title(domain))}</title><style>\n{STYLE}\n</style></head><body>\n"
    )
    return head + "\n".join(parts) + "\n</body></html>\n"


def write_pictures(folder: Path, domain: str, puzzles: Sequence[Made]) -> None:
    """Write `NAME.svg` and `NAME-solution.svg` of each puzzle into `folder`."""
    for made in puzzles:
        for end, solved in (("", False), ("-solution", True)):
            with replacing(folder / f"{file_stem(made.problem.name)}{end}.svg") as path:
                path.write_text(drawn(domain, made, solved=solved), encoding="utf-8")
