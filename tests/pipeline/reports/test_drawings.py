"""Solutions drawn: each domain's on an instance of its own, well-formed and complete."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest

from generators import generator_named
from pipeline.reports.drawings import code_words, drawer, title, value_names
from pipeline.reports.drawings.svg import document, labels
from pipeline.reports.figures.style import COLOURS
from solver.contract.domain import Problem
from solver.domains import DOMAINS, load_domain
from solver.domains.rna.contexts import PLACE, contexts
from solver.domains.rna.designs import RnaDesign
from solver.domains.rna.kernels import MOVES
from solver.domains.samegame.text import parse_boards, parse_moves
from solver.system.svg import number

SVG = "{http://www.w3.org/2000/svg}"


def an_answer(name: str) -> tuple[Problem, Any]:
    """A problem with an answer to it."""
    domain = load_domain(name)
    if name == "rna":
        (problem,) = domain.parse(">hairpin & more\n((((...))))\n", "test")
        return problem, RnaDesign("GGGCAAAGCCC", "none")
    if name == "samegame":
        ((_, board),) = parse_boards("11\n12\n12\n", "test")
        return Problem("board", board), parse_moves("1,1 1,1", "test")
    if name == "morpion":
        (problem,) = domain.parse("5T\noooo.ooo.\n", "test")
        return problem, domain.parse_answer(problem, "5,1-5 9,1-5", "test")
    small = {"latin-square": {"order": 6}, "kakuro": {"rows": 4, "columns": 5}}
    small["sudoku"] = {"order": 6, "diagonals": True}
    generator: Any = generator_named(name)
    size = small.get(name, {"customers": 7, "tours": "construction"})
    return generator(**size).generate(1, 0)  # type: ignore[no-any-return]


def drawn(name: str) -> ET.Element:
    """The drawing of an answer, parsed."""
    draw = drawer(name)
    assert draw is not None
    return ET.fromstring(draw(*an_answer(name)))


def words_of(svg: ET.Element) -> list[str]:
    return [text.text or "" for text in svg.iter(f"{SVG}text")]


def test_every_domain_has_a_drawing() -> None:
    """Each domain that ships names one, with a title."""
    assert all(drawer(name) is not None for name in DOMAINS)
    assert len({title(name) for name in DOMAINS}) == len(DOMAINS)


@pytest.mark.parametrize("name", DOMAINS)
def test_drawings_stand_in_the_page(name: str) -> None:
    """Well-formed, with a text for who cannot see it, in colours that the page defines."""
    svg = drawn(name)
    assert svg.get("role") == "img"
    assert svg.get("aria-label")
    source = ET.tostring(svg, encoding="unicode")
    assert set(re.findall(r"var\(--([a-z0-9-]+)\)", source)) <= set(COLOURS)
    assert "nan" not in source
    assert not re.findall(r"(?:fill|stroke)[:=] ?\"?#", source)


@pytest.mark.parametrize("name", ["latin-square", "kakuro", "sudoku"])
def test_every_value_of_a_grid_is_there(name: str) -> None:
    """Each cell's value is written once, beside the clues."""
    problem, answer = an_answer(name)
    grid = answer[1:, 1:] if name == "kakuro" else answer + 1
    expected = [str(value) for value in grid.ravel()]
    if name == "kakuro":
        expected += [str(clue) for clue in problem.data.clues.ravel() if clue]
    assert sorted(words_of(drawn(name))) == sorted(expected)


def test_an_rna_shows_its_bases_and_pairs() -> None:
    """All letters are there, and a line for each pair."""
    svg = drawn("rna")
    assert sorted("".join(words_of(svg))) == sorted("GGGCAAAGCCC")
    backbone, pairs = (path.get("d", "") for path in svg.iter(f"{SVG}path"))
    assert (backbone.count("L"), pairs.count("M")) == (10, 4)


def test_a_game_says_which_move_takes_a_cell() -> None:
    """Cells have the numbers of their moves, and what is left a cross."""
    words = words_of(drawn("samegame"))
    assert words[:6] == ["1", "1", "1", "2", "2", "1"]  # column by column, from the bottom
    assert [word for word in words if word.startswith("move")] == ["move 1: 4", "move 2: 4"]


def test_a_sheet_has_its_moves_and_lines() -> None:
    """A number for each move, a circle for each dot, a line for each line."""
    svg = drawn("morpion")
    assert words_of(svg) == ["1", "2"]
    drawn_lines, start, added = (path.get("d", "") for path in svg.iter(f"{SVG}path"))
    assert (drawn_lines.count("L"), start.count("M"), added.count("M")) == (2, 7, 2)


def test_a_schedule_has_a_row_a_visit() -> None:
    """Nodes stand in the order of the tour, the depot last."""
    _, answer = an_answer("tsptw")
    names = [str(node) for node in answer.tolist()[1:]]
    assert words_of(drawn("tsptw"))[: len(names)] == names


@pytest.mark.parametrize(
    ("domain", "prior"),
    [(name, prior) for name in DOMAINS for prior in load_domain(name).priors],
)
def test_every_code_can_be_said(domain: str, prior: str) -> None:
    """The first and the last code of each prior, and codes between, have words of their own."""
    components = load_domain(domain).priors[prior].components
    said = set()
    for share in np.linspace(0, 1, 3):
        code = {name: int(share * (size - 1)) for name, size in components.items()}
        said.add(code_words(domain, prior, code))
    assert len(said) == 3
    for name, size in components.items():
        names = value_names(domain, name)
        assert names is None or len(names) == size, name


def test_a_base_in_its_loop_is_said() -> None:
    """The description of a base names its loop, neighbours, partner and engine."""
    place = int(contexts("(.(...).)")[7, PLACE])
    code = {"engine": 2, "place": place, "beside": 1 + MOVES.index("UA"), "across": 3, "move": 2}
    words = "G: 1 x 1, alone, 3' side, beside UA, G across, t99d2"
    assert code_words("rna", "loops", code) == words
    code |= {"engine": 0, "beside": 0, "across": 0}
    assert code_words("rna", "loops", code) == "G: 1 x 1, alone, 3' side"


def test_what_has_no_drawing_is_text() -> None:
    """A domain that is not listed has names made of its own, and the code's components."""
    assert drawer("bridges") is None
    assert title("wild-bridges") == "Wild bridges"
    assert code_words("bridges", "any", {"at_node": 3, "wide": 1}) == "at node 3, wide 1"
    assert value_names("bridges", "wide") is None


def test_coordinates_are_short_and_names_escaped() -> None:
    """Numbers have a decimal at most; markup in texts is text."""
    assert [number(x) for x in (0.0, 2.0, 1.25, -0.04, 10.06)] == ["0", "2", "1.2", "0", "10.1"]
    assert number(-0.5) == "-0.5"
    svg = ET.fromstring(document(9, 9, 'a "b" <c>', [labels([(1, 2, "<&>")], 10)]))
    assert svg.get("aria-label") == 'a "b" <c>'
    assert words_of(svg) == ["<&>"]
