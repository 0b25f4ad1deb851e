"""A structure as an SVG: bases as lettered discs, pairs as lines, numbers every ten bases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import quoteattr

from solver.domains.rna.drawings.layout import SPACE, Place, beside, between, layout, moved
from solver.domains.rna.text import pair_partners
from solver.system.svg import lines, number

RADIUS = 6.2
#: Around the bases, for numbers and ends.
EDGE = 24.0
#: Numbers stand at every so many bases.
STEP = 10
#: Height of the legend of probabilities, and the shares it shows.
LEGEND, SHOWN = 26.0, (0.0, 0.25, 0.5, 0.75, 1.0)


def draw_structure(
    structure: str, letters: str, description: str, shares: Sequence[float] | None = None
) -> str:
    """Draw `structure` with a letter at each position, none where it is N.

    Parameters
    ----------
    letters : str
        Bases, or the IUPAC letters that are fixed.
    description : str
        Description of the picture, for readers who cannot see it.
    shares : sequence of float, optional
        A probability for each position, 0 ... 1: discs are coloured by it, not by their letters.
    """
    places = moved(layout(structure), EDGE)
    width, height = (max(axis) + EDGE for axis in zip(*places, strict=True))
    width = max(width, 4 * 3.6 * RADIUS + 2 * EDGE if shares is not None else 0)
    partners = pair_partners(structure, "structure")
    pairs = [
        (*between(places[i], places[j]), *between(places[j], places[i]))
        for i, j in enumerate(partners)
        if j > i
    ]
    backbone = "M" + "L".join(f"{number(x)} {number(y)}" for x, y in places)
    parts = [
        f'<path class="backbone" d="{backbone}"/>',
        lines(pairs, 'class="pairs"'),
        *_discs(places, letters, shares),
        *_numbers(places),
        *(_legend(height) if shares is not None else ()),
    ]
    if shares is not None:
        height += LEGEND
    return document(width, height, description, parts)


def document(width: float, height: float, description: str, parts: Sequence[str]) -> str:
    """Put parts into an SVG; `rna.css` says how its classes look."""
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" class="rna" role="img" '
        f'aria-label={quoteattr(description)} viewBox="0 0 {number(width)} {number(height)}">',
        *filter(None, parts),
        "</svg>\n",
    ])  # fmt: skip


def _discs(places: Sequence[Place], letters: str, shares: Sequence[float] | None) -> Iterator[str]:
    for position, ((x, y), letter) in enumerate(zip(places, letters, strict=True)):
        kind = f"base {letter}" if shares is None else "base"
        yield f'<circle class="{kind}" cx="{number(x)}" cy="{number(y)}" r="{number(RADIUS)}"/>'
        if shares is not None:
            yield _share(x, y, shares[position])
    at = [(place, letter) for place, letter in zip(places, letters, strict=True) if letter != "N"]
    for (x, y), letter in at:
        yield f'<text class="letter" x="{number(x)}" y="{number(y + 3.1)}">{letter}</text>'


def _share(x: float, y: float, share: float) -> str:
    return (
        f'<circle class="share" cx="{number(x)}" cy="{number(y)}" r="{number(RADIUS)}" '
        f'fill-opacity="{share:.3g}"/>'
    )


def _numbers(places: Sequence[Place]) -> Iterator[str]:
    """Mark both ends, and number every tenth base."""
    last = len(places) - 1
    marks = [(0, "5′", "end"), (last, "3′", "end")]  # noqa: RUF001 - primes
    marks += [(position, str(position + 1), "number") for position in range(STEP - 1, last, STEP)]
    taken = list(places)
    for position, mark, kind in marks:
        x, y = beside(places[position], taken, 0.95 * SPACE)
        taken.append((x, y))
        yield f'<text class="{kind}" x="{number(x)}" y="{number(y + 2.8)}">{mark}</text>'


def _legend(top: float) -> Iterator[str]:
    for place, share in enumerate(SHOWN):
        x, y = EDGE + 3.6 * RADIUS * place, top
        yield f'<circle class="base" cx="{number(x)}" cy="{number(y)}" r="{number(RADIUS)}"/>'
        yield _share(x, y, share)
        yield f'<text class="number" x="{number(x)}" y="{number(y + 15)}">{share:g}</text>'
