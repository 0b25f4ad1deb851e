"""Latin squares as graphs to be coloured."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.domains.latin_square.text import MAX_ORDER, parse_grids
from solver.errors import InputError


def edges_of(order: int) -> list[tuple[int, int]]:
    """Pairs of nodes, from 1, that share a row or column."""
    cells = list(itertools.product(range(order), repeat=2))
    return [
        (one + 1, other + 1)
        for (one, a), (other, b) in itertools.combinations(enumerate(cells), 2)
        if a[0] == b[0] or a[1] == b[1]
    ]


def graph(order: int, *lines: str, edges: list[tuple[int, int]] | None = None) -> str:
    """A file of an empty square with further `lines`."""
    edges = edges_of(order) if edges is None else edges
    first = f"c a comment\np edge {order**2} {len(edges)}\n"
    return first + "".join(f"e {a} {b}\n" for a, b in edges) + "".join(f"{x}\n" for x in lines)


def one(text: str) -> list[list[int]]:
    ((name, grid),) = parse_grids(text, "f")
    assert name == "f"
    assert grid.dtype == np.int16
    return grid.tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    "text",
    [
        graph(3, "f 1 1", "f 3 3", "f 7 2"),
        graph(3, "f 1 1", "f 2 1 2 3 ", "f 3 3", "f 5 3 2 1", "f 7 2"),
        graph(3, "n 1 1", "n 3 3", "n 7 2"),
        graph(3, "f 1 1", "f 3 3", "f 7 2").replace("p edge", "p edges"),
        graph(3, "f 1 1", "f 3 3", "f 7 2").replace("p edge", "p col"),
        graph(3, "f 1 1", "f 3 3", "f 7 2").replace("\n", "\r\n"),
        "# a remark\n\n" + graph(3, "f 1 1", "c between", "# too", "f 3 3", "f 7 2"),
        graph(3, "f 1 1", "f 3 3", "f 7 2", edges=[(b, a) for a, b in edges_of(3)]),
        graph(3, "f 1 1", "f 3 3", "f 7 2", edges=[*edges_of(3), *edges_of(3)]),
        graph(3, "f 1 1", "f 3 3", "f 7 2", "e 1 2"),
    ],
)
def test_formats(text: str) -> None:
    """Givens and holes as any of the collections has them; edges in any order, once or twice."""
    assert one(text) == [[0, -1, 2], [-1, -1, -1], [1, -1, -1]]


def test_the_smallest_square_of_a_collection() -> None:
    """The first lines and the colours of qwhdec.order5.holes10.1.col of the COLOR symposia."""
    holes = (3, 5, 6, 12, 13, 17, 22, 23, 24, 14)
    givens = {1: 1, 2: 2, 4: 4, 7: 5, 8: 2, 9: 3, 10: 1, 11: 2, 15: 4, 16: 3, 18: 1, 19: 2}
    givens |= {20: 5, 21: 5, 25: 2}
    lines = [f"f {node} 1 2 3 4 5 " for node in holes] + [f"f {n} {c}" for n, c in givens.items()]
    text = graph(5, *lines).replace("p edge", "p edges")
    assert "p edges 25 100\n" in text
    assert one(text) == [
        [0, 1, -1, 3, -1], [-1, 4, 1, 2, 0], [1, -1, -1, -1, 3], [2, -1, 0, 1, 4],
        [4, -1, -1, -1, 1],
    ]  # fmt: skip


@given(order=st.integers(1, 8), seed=st.integers(0, 2**20))
def test_a_square_and_its_graph(order: int, seed: int) -> None:
    """The square whose graph is written is read back, in whatever order its lines come."""
    rng = np.random.default_rng(seed)
    square = (np.arange(order)[:, None] + np.arange(order)) % order
    square = square[rng.permutation(order)][:, rng.permutation(order)]
    square[rng.random(square.shape) < 0.5] = -1
    edges = edges_of(order)
    lines = [f"e {a} {b}" for a, b in edges]
    lines += [f"f {n} {v + 1}" for n, v in enumerate(square.ravel(), start=1) if v >= 0]
    shuffled = [lines[place] for place in rng.permutation(len(lines))]
    assert one(graph(order, *shuffled, edges=[]).replace(" 0\n", f" {len(edges)}\n", 1)) == (
        square.tolist()
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("c nothing\n", "f: no graph found, expected a line `p edge NODES EDGES`"),
        ("c x\np edge 9\n", "f: line 2: expected `p edge NODES EDGES`, found 'p edge 9'"),
        ("p cnf 9 18\n", "f: line 1: expected `p edge NODES EDGES`, found 'p cnf 9 18'"),
        ("p edge 9 -1\n", "f: line 1: expected `p edge NODES EDGES`, found 'p edge 9 -1'"),
        ("p edge 10 4\n", "f: line 1: 10 nodes, expected those of a square of order 1 ... 128"),
        (f"p edge {129**2} 4\n",
         "f: line 1: 16641 nodes, expected those of a square of order 1 ... 128"),
        ("p edge 0 0\n", "f: line 1: 0 nodes, expected those of a square of order 1 ... 128"),
        (f"p edge {'9' * 5000} 1\n",
         f"f: line 1: expected `p edge NODES EDGES`, found 'p edge {'9' * 73}..."),
        ("c\ne 1 2\n", "f: line 2: expected `p edge NODES EDGES`, found 'e 1 2'"),
        (graph(3, "e 1 5"), "f: line 21: 1 and 5, expected two cells of one row or column of a "
         "square of order 3: the nodes are row * 3 + column + 1"),
        (graph(3, "e 4 4"), "f: line 21: 4 and 4, expected two cells of one row or column of a "
         "square of order 3: the nodes are row * 3 + column + 1"),
        (graph(3, "e 1 10"), "f: line 21: 'e 1 10', expected `e` and two nodes 1 ... 9"),
        (graph(3, "e 1"), "f: line 21: 'e 1', expected `e` and two nodes 1 ... 9"),
        (graph(3, "e 1 2 3"), "f: line 21: 'e 1 2 3', expected `e` and two nodes 1 ... 9"),
        (graph(3, edges=edges_of(3)[1:]), "f: no edge between nodes 1 and 2, expected one between "
         "any two cells of a row or column"),
        (graph(3, edges=edges_of(3)[:-1]), "f: no edge between nodes 8 and 9, expected one between "
         "any two cells of a row or column"),
        (graph(3).replace(" 18\n", " 19\n"), "f: 18 edges, expected 19 as line 2 says"),
        (graph(3, "f 1 4"), "f: line 21, entry 3: '4', expected a colour 1 ... 3"),
        (graph(3, "f 1 0"), "f: line 21, entry 3: '0', expected a colour 1 ... 3"),
        (graph(3, "f 1 1 2"),
         "f: line 21: 2 colours, expected one for a given or all 3 for a hole"),
        (graph(3, "f 1"), "f: line 21: 'f 1', expected `f`, a node and its colours"),
        (graph(3, "f 10 1"), "f: line 21, entry 2: no node '10', expected 1 ... 9"),
        (graph(3, "n x 1"), "f: line 21, entry 2: no node 'x', expected 1 ... 9"),
        (graph(3, "f"), "f: line 21: 'f', expected `f`, a node and its colours"),
        (graph(3, "n 1 1 2"), "f: line 21: 'n 1 1 2', expected `n`, a node and its colour"),
        (graph(3, "f 1 1", "n 1 1"), "f: line 22: node 1 has its colours already"),
        (graph(3, "f 1 2", "f 3 2"), "f: line 22: row 1 has that given in line 21"),
        (graph(3, "f 1 2", "f 2 1", "f 7 2"), "f: line 23: column 1 has that given in line 21"),
        (graph(3, "a 1 2"), "f: line 21: 'a', expected a line of c, e, f or n"),
        (graph(3, "p edge 9 18"), "f: line 21: 'p', expected a line of c, e, f or n"),
    ],
)  # fmt: skip
def test_malformed_input(text: str, message: str) -> None:
    """Malformed Latin squares are refused with the line and the expected form."""
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        parse_grids(text, "f")


def test_the_largest_order() -> None:
    """Graphs may be as large as grids."""
    assert MAX_ORDER == 128
    with pytest.raises(InputError, match=r"^f: 0 edges, expected 2080768 as line 1 says$"):
        parse_grids("p edge 16384 2080768\n", "f")
