"""Drawings of structures and dot plots: well-formed, complete, labels clear of the bases."""

from __future__ import annotations

import itertools
import math
import xml.etree.ElementTree as ET

import pytest

from solver.domains.rna.drawings.dots import SIDE, draw_dots
from solver.domains.rna.drawings.layout import SPACE, beside, layout, moved
from solver.domains.rna.drawings.pictures import position_shares, standing_alone
from solver.domains.rna.drawings.structure import draw_structure

SVG = "{http://www.w3.org/2000/svg}"
CLOVER = "((((((..((((...))))..((((...)))).))))))"
STRUCTURES = ["...", "(...)", CLOVER, "." * 60]


def texts(svg: ET.Element, kind: str) -> list[str]:
    return [one.text or "" for one in svg.iter(f"{SVG}text") if kind in one.attrib["class"]]


def discs(svg: ET.Element, kind: str) -> list[ET.Element]:
    return [one for one in svg.iter(f"{SVG}circle") if kind in one.attrib["class"].split()]


@pytest.mark.parametrize("structure", STRUCTURES)
def test_all_is_drawn(structure: str) -> None:
    """A lettered disc for each base, a line for each pair, a number at every tenth base, ends."""
    n = len(structure)
    svg = ET.fromstring(draw_structure(structure, "A" * n, 'a "design" & more'))
    assert svg.attrib["aria-label"] == 'a "design" & more'
    assert texts(svg, "letter") == ["A"] * n
    assert len(discs(svg, "A")) == n
    pairs = [one.attrib["d"] for one in svg.iter(f"{SVG}path") if one.attrib["class"] == "pairs"]
    assert sum(path.count("M") for path in pairs) == structure.count("(")
    assert texts(svg, "number") == [str(k) for k in range(10, n, 10)]
    assert len(texts(svg, "end")) == 2


def test_free_bases_have_no_letter() -> None:
    """Only fixed bases of a target are labelled."""
    svg = ET.fromstring(draw_structure("(...)", "GNNRN", "target"))
    assert texts(svg, "letter") == ["G", "R"]
    assert len(discs(svg, "base")) == 5


@pytest.mark.parametrize("structure", STRUCTURES)
def test_labels_have_room(structure: str) -> None:
    """Neighbours lie apart, nothing beyond the edge, and labels on no base."""
    places = moved(layout(structure), 20.0)
    assert min(min(place) for place in places) == pytest.approx(20)
    for one, other in itertools.pairwise(places):
        assert math.dist(one, other) > 0.5 * SPACE
    for position in range(len(places)):
        label = beside(places[position], places, SPACE)
        assert math.dist(label, places[position]) == pytest.approx(SPACE)
        assert min(math.dist(label, place) for place in places) > 0.4 * SPACE


def test_colours_by_probability() -> None:
    """The opacity of a disc is its share; a legend stands below."""
    shares = [0.0, 0.25, 0.5, 0.75, 1.0]
    svg = ET.fromstring(draw_structure("(...)", "GAAAC", "design", shares))
    drawn = [float(one.attrib["fill-opacity"]) for one in discs(svg, "share")]
    assert drawn == shares + shares
    assert texts(svg, "number") == ["0", "0.25", "0.5", "0.75", "1"]


def test_shares_of_positions() -> None:
    """A paired position has its pair's probability, an unpaired one that of being free."""
    shares = position_shares("(...)", [(0, 4, 0.7), (0, 3, 0.2)])
    assert shares == pytest.approx([0.7, 1, 1, 0.8, 0.7])


def test_dot_plot() -> None:
    """Areas are probabilities, above the diagonal; the fold lies below; other pairs are apart."""
    pairs = [(0, 5, 0.25), (0, 4, 0.04), (1, 5, 1e-4)]
    svg = ET.fromstring(draw_dots("(....)", "(....)", pairs, "dots"))
    paths = {one.attrib["class"]: one.attrib["d"] for one in svg.iter(f"{SVG}path")}
    cell = SIDE / 6
    assert paths["wanted"].count("M") == 2
    assert f"h{cell / 2:g}v{cell / 2:g}" in paths["wanted"]
    assert f"h{cell:g}v{cell:g}" in paths["wanted"]
    assert paths["other"].count("M") == 1
    assert f"h{cell / 5:g}v{cell / 5:g}" in paths["other"]


def test_a_drawing_stands_alone() -> None:
    """With its style sheet inside it is still well-formed."""
    svg = ET.fromstring(standing_alone(draw_structure("(...)", "GAAAC", "a > b")))
    (style,) = svg.findall(f"{SVG}style")
    assert ".backbone" in (style.text or "")
