"""Files of tours in every layout, mutated."""

from __future__ import annotations

import random

import numpy as np
import pytest

from solver.domains.tsptw.text import check_tsptw, format_tsptw, parse_tsptw
from solver.errors import InputError
from tests.solver.domains.tsptw.layouts.test_columns import TEXT
from tests.solver.domains.tsptw.layouts.test_tsplib import MATRIX, PLANE
from tests.solver.domains.tsptw.layouts.test_vroom import TEXT as VROOM
from tests.solver.domains.tsptw.test_coordinates import DUMAS, SOLOMON

ROWS = "0 3 5 0 0 99 0\n1 4 9 10 16 71 10\n2 3 7 7 5 60 5\n"
LAYOUTS = {
    "collections": "2\n0 3.25\n4 0\n0 100\n5 9\n", "dumas": DUMAS, "solomon": SOLOMON,
    "windows": "2\n0 3.25\n4 0\n0 100\n5 9 11 12\n0 1\n", "vroom": VROOM, "rows": ROWS,
    "columns": TEXT, "tsplib-matrix": MATRIX, "tsplib-plane": PLANE,
}  # fmt: skip
PIECES = (
    "", " ", "\n", "#", ",", ";", "\t", '"', ":", "\0", "\u2028", "0", "1", "-1", "2 2", "7" * 4000,
    "1e308", "-1e308", "1e400", "nan", "x", "due", "ready2", "DIMENSION : 4\n", "EOF\n",
    "1 0 5 7 9\n", "EDGE_WEIGHT_TYPE : CEIL_2D\n", "NODE_COORD_SECTION\n", "CUST NO. XCOORD.\n",
    "NUMBER CAPACITY\n", "[", "]", "{", "}", "null", "true", "[3, 9], ", '"breaks": 1, ',
)  # fmt: skip
N_TEXTS = 560


def mutated(text: str, draw: random.Random) -> str:
    """Replace, repeat, swap or cut one to three pieces of `text`."""
    for _ in range(draw.randint(1, 3)):
        start = draw.randint(0, len(text))
        end = min(len(text), start + draw.choice((0, 1, 2, 8, 40)))
        kept = text[start:end]
        piece = draw.choice((draw.choice(PIECES), draw.choice(PIECES), kept * 2, kept[::-1]))
        text = text[:start] + piece + text[end:]
        text = text[:start] if draw.random() < 0.03 else text
    return text


@pytest.mark.parametrize("name", LAYOUTS)
def test_mutated_files(name: str) -> None:
    """A mutated file is an instance that is written and read back, or an error of one line."""
    draw = random.Random(name)
    n_read = 0
    for _ in range(N_TEXTS):
        text = mutated(LAYOUTS[name], draw)
        try:
            data = parse_tsptw(text, "f", draw.choice(("auto", "auto", "truncate", "floor")))
        except InputError as error:
            message = str(error)
            assert message.startswith("f: "), text
            assert len(message.splitlines()) == 1, text
            assert len(message) < 400, text
        else:
            n_read += 1
            check_tsptw(data, "f")
            assert np.array_equal(parse_tsptw(format_tsptw(data), "f"), data), text
    assert 0 < n_read < N_TEXTS
